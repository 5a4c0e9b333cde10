"""What the single file carries as text: the browser's Python, and the licences.

Each file stands in script elements that no browser runs. A browser reads an element in one go, so
a file is cut into pieces, each small enough that nobody notices.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from web.make import bundle, licenses, lighter, packed
from web.make.places import Places
from web.make.stamps import step

_FILES: Final = (bundle.START, bundle.LATER, bundle.CORE, bundle.LOCK)
_THREAD: Final = "worker.js"


def python(places: Places, thread: str) -> Iterator[str]:
    """Yield the elements that hold the script of the engine's thread, then all that it wants."""
    for name, text in {_THREAD: packed.pack(thread.encode()), **_packed(places)}.items():
        yield from _elements(f'data-file="{name}"', text)


def licences(places: Places) -> Iterator[str]:
    """Yield the elements that hold the licences, as a part of a page."""
    yield from _elements("data-licences", packed.pack(licenses.inside(places).encode()))


def _elements(attribute: str, text: str) -> Iterator[str]:
    for piece in packed.pieces(text):
        yield f'<script type="text/plain" {attribute}>{piece}</script>\n'


def _packed(places: Places) -> dict[str, str]:
    """Return the files of the browser's Python by name, as text; packed anew when they change."""
    folder = places.packed
    shipped = sorted(path for path in places.python.iterdir() if _is_carried(path))

    def work() -> None:
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        for path in shipped:
            text = packed.pack(_light(path) if path.suffix == ".zip" else path.read_bytes())
            (folder / path.name).write_text(text, "ascii")

    modules = [places.make / name for name in ("lighter.py", "packed.py", "archive.py")]
    step(
        places,
        "one file: Python as text",
        inputs=[*shipped, *modules, Path(__file__)],
        outputs=[folder],
        work=work,
    )
    return {path.name: path.read_text("ascii") for path in sorted(folder.iterdir())}


def _light(path: Path) -> bytes:
    with TemporaryDirectory() as made:
        lighter.lighten(path, Path(made) / path.name)
        return (Path(made) / path.name).read_bytes()


def _is_carried(path: Path) -> bool:
    """Tell whether a direct start fetches it, or what comes later; scripts are joined instead."""
    return path.suffix == ".wasm" or path.name in _FILES
