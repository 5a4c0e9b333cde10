"""Zip archives that have the same bytes whenever, wherever and by whomever they are written."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

_MOMENT = (2024, 1, 1, 0, 0, 0)
_REGULAR_FILE = 0o100644 << 16
_UNIX = 3


def write(target: Path, content: Mapping[str, bytes], *, compress: bool) -> None:
    """Write the files sorted by name, with one fixed time, mode and system of origin."""
    method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, data in sorted(content.items()):
            entry = zipfile.ZipInfo(name, _MOMENT)
            entry.external_attr = _REGULAR_FILE
            entry.create_system = _UNIX
            archive.writestr(entry, data, compress_type=method)


def read(source: Path) -> dict[str, bytes]:
    """Return an archive's files by name."""
    with zipfile.ZipFile(source) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
