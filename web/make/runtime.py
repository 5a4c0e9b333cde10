"""Pyodide itself: fetched as an npm package, checked against its pinned hash."""

from __future__ import annotations

import tarfile
from pathlib import Path

from web.make import npm, pins
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
        unpack(npm.fetch(pin, places.build), places.runtime, taken)

    step(
        places,
        f"runtime: {pin.npm} from npm",
        inputs=[pin.npm, pin.integrity, Path(__file__)],
        outputs=[places.runtime / name for name in taken],
        work=work,
    )


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
