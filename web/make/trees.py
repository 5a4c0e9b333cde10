"""Which source a site was made from, said as git says it, with or without git.

A commit's name also hangs on its date, its author and all that came before; the name of a folder's
content does not. It is the same in a checkout, in a copy and in an archive, so that two builds of
one commit agree, and `git rev-parse COMMIT:FOLDER` says whether it is that commit's.
"""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path
from typing import Final

_CACHES: Final = {"__pycache__"}
_EXECUTABLE: Final = stat.S_IXUSR


def name(place: Path) -> str:
    """Return git's name for the content of a file or folder, in hexadecimal."""
    return (tree(place) if place.is_dir() else blob(place)).hex()


def blob(file: Path) -> bytes:
    """Return git's name for a file's content."""
    return _named("blob", file.read_bytes())


def tree(folder: Path) -> bytes:
    """Return git's name for a folder, which covers names, contents and who may run what.

    Python's caches are left out, and so are empty folders, which git does not know.
    """
    rows = []
    for entry in folder.iterdir():
        if entry.name in _CACHES:
            continue
        if not entry.is_dir():
            mode = "100755" if entry.stat().st_mode & _EXECUTABLE else "100644"
            rows.append((entry.name, mode, blob(entry)))
        elif any(entry.iterdir()):
            rows.append((f"{entry.name}/", "40000", tree(entry)))
    rows.sort(key=lambda row: row[0].encode())
    content = b"".join(
        f"{mode} {entry.rstrip('/')}\0".encode() + digest for entry, mode, digest in rows
    )
    return _named("tree", content)


def _named(kind: str, content: bytes) -> bytes:
    return hashlib.sha1(
        f"{kind} {len(content)}\0".encode() + content, usedforsecurity=False
    ).digest()
