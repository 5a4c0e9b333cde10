"""A wheel without its compiled part, for packages that work without it.

MarkupSafe publishes one wheel a platform, none for Pyodide's; its C module only speeds up what its
Python module does too. Built without a compiler on no platform in particular, this also works on
Windows, and gives the same bytes everywhere.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
from email import message_from_bytes
from pathlib import Path

from web.make.archive import read, write

_COMPILED = (".so", ".pyd", ".dylib", ".c")


def strip(wheel: Path, folder: Path) -> Path:
    """Write the wheel's py3-none-any twin into the folder and return its path."""
    name, version = wheel.name.split("-")[:2]
    info = f"{name}-{version}.dist-info"
    content = {n: data for n, data in read(wheel).items() if not n.endswith(_COMPILED)}
    content.pop(f"{info}/RECORD")
    content[f"{info}/WHEEL"] = retag(content[f"{info}/WHEEL"])
    content[f"{info}/RECORD"] = record(content, f"{info}/RECORD")
    target = folder / f"{name}-{version}-py3-none-any.whl"
    write(target, content, compress=False)
    return target


def retag(metadata: bytes) -> bytes:
    """Say in WHEEL that the content fits every platform."""
    message = message_from_bytes(metadata)
    for key in ("Tag", "Root-Is-Purelib"):
        del message[key]
    message["Root-Is-Purelib"] = "true"
    message["Tag"] = "py3-none-any"
    return message.as_bytes()


def record(content: dict[str, bytes], own_name: str) -> bytes:
    """List every file with its hash and size, and the list itself without, as RECORD does."""
    rows = io.StringIO()
    table = csv.writer(rows, lineterminator="\n")
    for name, data in sorted(content.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        table.writerow([name, f"sha256={digest}", len(data)])
    table.writerow([own_name, "", ""])
    return rows.getvalue().encode()
