"""Pyodide itself: fetched as an npm package, checked against its pinned hash."""

from __future__ import annotations

import base64
import hashlib
import tarfile
from pathlib import Path

from web.make import node, pins
from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import step

STDLIB = "python_stdlib.zip"
SHIPPED = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
# The package's own lock says which platform this Pyodide is; the wheels it lists are elsewhere.
STOCK_LOCK = "pyodide-lock.json"


def fetch(places: Places) -> None:
    """Put the runtime's files into .build/runtime."""
    pin = pins.runtime(places.pyproject)
    taken = [*SHIPPED, STDLIB, STOCK_LOCK]

    def work() -> None:
        places.runtime.mkdir(parents=True, exist_ok=True)
        archive = pack(pin.npm, places.build)
        verify(archive, pin.integrity)
        unpack(archive, places.runtime, taken)

    step(
        places,
        f"runtime: {pin.npm} from npm",
        inputs=[pin.npm, pin.integrity, Path(__file__)],
        outputs=[places.runtime / name for name in taken],
        work=work,
    )


def pack(package: str, folder: Path) -> Path:
    """Download a package's archive."""
    printed = node.npm(
        "pack", package, "--silent", cwd=folder, failing=f"could not fetch {package} from npm"
    )
    return folder / printed.strip().splitlines()[-1]


def verify(archive: Path, integrity: str) -> None:
    """Compare the archive with its pinned hash, written as npm writes it: sha512-BASE64."""
    algorithm, _, expected = integrity.partition("-")
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, algorithm).digest()
    if base64.b64encode(digest).decode() != expected:
        archive.unlink()
        raise BuildError(f"{archive.name}: its hash is not the one pinned in pyproject.toml")


def unpack(archive: Path, target: Path, names: list[str]) -> None:
    """Take these files out of the archive's folder package/."""
    with tarfile.open(archive) as content:
        for name in names:
            try:
                file = content.extractfile(f"package/{name}")
            except KeyError:
                file = None
            if file is None:
                raise BuildError(f"{archive.name} holds no {name}")
            (target / name).write_bytes(file.read())
