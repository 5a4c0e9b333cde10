"""Folders named by what they hold, so that a browser may keep their files for good.

dist/a/<hash>/ holds styles and scripts, dist/py/<hash>/ the browser's Python. A file there never
changes: a new build that changes one lies in a folder of another name.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from typing import Final

from web.make.failure import BuildError
from web.make.stamps import files, sha256

ASSETS: Final = "a"
PYTHON: Final = "py"
NAME: Final = re.compile(r"[0-9a-f]{12}")
_DIGITS: Final = 12


def put(source: Path, parent: Path) -> Path:
    """Copy a folder into `parent` under the name of its content; return where it lies."""
    there = parent / name(source)
    shutil.copytree(source, there)
    return there


def name(source: Path) -> str:
    """Return 12 hex digits of a hash over the names and contents of a folder's files."""
    digest = hashlib.sha256()
    for path in files(source):
        digest.update(f"{path.relative_to(source).as_posix()} {sha256(path)}\n".encode())
    return digest.hexdigest()[:_DIGITS]


def folder(dist: Path, kind: str) -> Path:
    """Return a site's folder of that kind, ASSETS or PYTHON.

    Raises:
        BuildError: there is none, or more than one.
    """
    parent = dist / kind
    found = [path for path in parent.glob("*") if path.is_dir() and NAME.fullmatch(path.name)]
    if len(found) != 1:
        raise BuildError(f"{parent} holds {len(found)} folders named by their content, not one")
    return found[0]
