"""Programs that only note what they are told: scripts found before the real ones."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def path_with(folder: Path, scripts: Mapping[str, str], behind: str = os.environ["PATH"]) -> str:
    """Write scripts into the folder's bin/, by name, and return a PATH that begins there."""
    place = folder / "bin"
    place.mkdir()
    for name, body in scripts.items():
        (place / name).write_text(f"#!/bin/sh\n{body}", encoding="utf-8")
        (place / name).chmod(0o755)
    return f"{place}{os.pathsep}{behind}"


NOTE_WORDS = 'for word; do printf \'%s\\0\' "$word"; done >"$LOG"\n'
"""A script that leaves its words in the file LOG."""


def noted(log: Path) -> list[str]:
    """Return what NOTE_WORDS left there; nothing where it did not run."""
    return log.read_text("utf-8").split("\0")[:-1] if log.exists() else []
