"""The browser's Python in few files: runtime, archives of bytecode, one compiled module, a memory.

The first archive is what Pyodide gets as its standard library; it holds what the first answers
need of the library, the packages that the lock names, and the engine with its data. The second
holds the rest, and comes later. A Python whose memory is resumed has the first one's modules
there already: it gets a third, with the first one's data and nothing else. They are stored, not
compressed: a web server compresses them better, and Python reads them faster. A compiled module
cannot be imported from an archive, so pydantic-core's lies apart and is loaded by
web/js/loader.js.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from web.make import archive, bytecode, engine, needed, runtime, snapshot, stdlib
from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import step
from web.make.wheels import empty, offered

START = "start.zip"
LATER = "later.zip"
CORE = "pydantic_core.so"
LOCK = "pyodide-lock.json"
DATA = "data.zip"
CONTENT = (*runtime.SHIPPED, START, LATER, DATA, CORE, LOCK, *snapshot.CONTENT)

_UNUSED = (
    # pydantic's old self, and its plugins for other tools
    *("pydantic/v1/", "pydantic/mypy.py", "pydantic/_hypothesis_plugin.py"),
    # these run where the job does; the page carries them as texts
    *("calculator/probe/", "calculator/inspector/"),
)
"""What the page never imports."""

Files = dict[str, bytes]


def make(places: Places) -> None:
    """Fill .build/py with what dist/py is to hold."""
    whole(places)
    needed.find(places)
    split(places)
    snapshot.take(places)


def whole(places: Places) -> None:
    """Fill .build/whole with a Python that has everything in its first archive."""

    def work() -> None:
        packages = chosen(places)
        own = packages.pop(engine.NAME)
        libraries = {name: data for files in packages.values() for name, data in files.items()}
        empty(places.whole)
        site, core = join(places, libraries, own)
        archive.write(places.whole / START, site, compress=False)
        (places.whole / CORE).write_bytes(core)
        shutil.copyfile(places.frozen, places.whole / LOCK)
        for name in runtime.SHIPPED:
            shutil.copyfile(places.runtime / name, places.whole / name)

    modules = [places.make / name for name in ("archive.py", "bytecode.py", "stdlib.py")]
    step(
        places,
        "bundle: the browser's Python",
        inputs=[places.frozen, places.runtime, *modules, Path(__file__)],
        outputs=[places.whole],
        work=work,
    )


def split(places: Places) -> None:
    """Fill .build/py with the same, but what the first answers do without in an archive apart."""

    def work() -> None:
        everything = archive.read(places.whole / START)
        first = needed.names(places)
        empty(places.python)
        for path in places.whole.iterdir():
            shutil.copyfile(path, places.python / path.name)
        now = {name: everything[name] for name in first}
        rest = {name: data for name, data in everything.items() if name not in first}
        archive.write(places.python / START, now, compress=False)
        archive.write(places.python / LATER, rest, compress=False)
        read = {name: data for name, data in now.items() if not name.endswith(".pyc")}
        archive.write(places.python / DATA, read, compress=False)

    names = (path.name for path in places.whole.iterdir())
    step(
        places,
        "bundle: what comes first and what later",
        inputs=[places.whole, places.needed, Path(__file__)],
        outputs=[places.python / name for name in (*names, LATER, DATA)],
        work=work,
    )


def chosen(places: Places) -> dict[str, Files]:
    """Return the files of each wheel that the lock names, by package."""
    lock = json.loads(places.frozen.read_text("utf-8"))
    paths = {wheel.path.name: wheel.path for wheel in offered(places)}
    return {
        name: archive.read(paths[entry["file_name"]]) for name, entry in lock["packages"].items()
    }


def join(places: Places, libraries: Files, own: Files) -> tuple[Files, bytes]:
    """Return the archive's files, and the one compiled module that stays outside of it."""
    core = compiled_module(libraries)
    library = {**stdlib.modules(places.runtime / runtime.STDLIB), **sources(libraries)}
    site = bytecode.compiled(places, "library", library, bytecode.LIBRARY)
    site |= data(libraries)
    site |= bytecode.compiled(places, "engine", sources(own), bytecode.ENGINE)
    site |= sources(own) | data(own)  # sources too: tracebacks then show the engine's lines
    return site, core


def sources(files: Mapping[str, bytes]) -> Files:
    """Return the modules among a wheel's files."""
    return {n: data for n, data in files.items() if n.endswith(".py") and used(n)}


def data(files: Mapping[str, bytes]) -> Files:
    """Return a wheel's files that are neither modules nor metadata."""
    kinds = (".py", ".pyi", ".so", ".typed", "/")
    return {n: data for n, data in files.items() if not n.endswith(kinds) and used(n)}


def used(name: str) -> bool:
    """Tell whether the page has any use for a wheel's file."""
    return ".dist-info/" not in name and not name.startswith(_UNUSED)


def compiled_module(files: Mapping[str, bytes]) -> bytes:
    """Return pydantic-core's compiled module.

    Raises:
        BuildError: there is another one, which the loader does not know.
    """
    found = [name for name in files if name.endswith(".so")]
    if [name.partition("/")[0] for name in found] != ["pydantic_core"]:
        raise BuildError(
            f"compiled modules in the bundle: {', '.join(found) or 'none'}; "
            "web/js/loader.js loads pydantic-core's and no other"
        )
    return files[found[0]]
