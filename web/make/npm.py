"""One npm package's archive: fetched by name, checked against its pinned hash."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from web.make import node, pins
from web.make.failure import BuildError


def fetch(package: pins.Npm, folder: Path) -> Path:
    """Download the package's archive into the folder.

    Raises:
        BuildError: it is out of reach, or it is not the archive that was pinned.
    """
    printed = node.npm(
        *("pack", package.npm, "--silent"),
        cwd=folder,
        failing=f"could not fetch {package.npm} from npm",
    )
    archive = folder / printed.strip().splitlines()[-1]
    verify(archive, package.integrity)
    return archive


def verify(archive: Path, integrity: str) -> None:
    """Compare the archive with its pinned hash, written as npm writes it: sha512-BASE64."""
    algorithm, _, expected = integrity.partition("-")
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, algorithm).digest()
    if base64.b64encode(digest).decode() != expected:
        archive.unlink()
        raise BuildError(f"{archive.name}: its hash is not the one pinned in pyproject.toml")
