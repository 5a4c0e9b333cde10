"""Modules compiled ahead: the browser imports bytecode and compiles nothing.

Compiling the library at each start is most of what Pyodide's start takes; this build does it once,
with Pyodide's own Python, because bytecode belongs to one version of Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from web.make import archive, node, pins, resolve
from web.make.places import Places
from web.make.stamps import step

# Libraries lose docstrings and asserts: a sixth of the bytes. The engine keeps both.
LIBRARY, ENGINE = 2, 0


def compiled(
    places: Places, name: str, modules: Mapping[str, bytes], optimize: int
) -> dict[str, bytes]:
    """Return the modules' bytecode by file name, from the last run where nothing has changed."""
    source, target = places.bytecode / f"{name}.py.zip", places.bytecode / f"{name}.pyc.zip"
    archive.write(source, modules, compress=False)

    def work() -> None:
        node.script(
            places.make / "bytecode.mjs",
            {
                "runtime": str(places.runtime),
                "info": resolve.platform(places),
                "script": str(places.make / "inside" / "bytecode.py"),
                "source": str(source),
                "target": str(target),
                "home": home(places),
                "optimize": optimize,
            },
            failing=f"could not compile the {name}",
        )

    scripts = [places.make / part for part in ("bytecode.mjs", "pyodide.mjs", "inside/bytecode.py")]
    step(
        places,
        f"bytecode: {name}",
        inputs=[source, str(optimize), home(places), places.runtime, *scripts, Path(__file__)],
        outputs=[target],
        work=work,
    )
    return archive.read(target)


def home(places: Places) -> str:
    """Return where Pyodide puts the archive that is passed as its standard library."""
    version = pins.runtime(places.pyproject).python.replace(".", "")
    return f"/lib/python{version}.zip"
