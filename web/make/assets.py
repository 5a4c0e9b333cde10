"""Styles and scripts in a folder named by their content, which knows the Python's folder.

A page asks for few files: its styles are one, its modules one for the page and one for the engine's
thread. What the thread needs first is not behind a queue of small ones then.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from web.make import hashed, joined
from web.make.failure import BuildError

WEB: Final = Path(__file__).resolve().parents[1]
STYLES: Final = (
    *("base", "frame", "form", "paste", "answer", "picture", "charts", "fit", "compare", "blocks"),
    *("keep", "reference", "print"),
)
"""In the order in which they are to apply."""

STYLE: Final = "page.css"
_ALONE: Final = ("ahead.js", "theme.js", "local.js")
"""Scripts that a page names by themselves: they run before, or instead of, all others."""
_JOINED: Final = ("main.js", "worker.js")
"""Scripts that hold what they import."""
_PLACES: Final = "places.js"
_IN_SOURCE: Final = {"PYTHON": "../py/", "ROOT": "../"}
_UP: Final = "../../../"
"""From a/<hash>/js/ to the folder that holds index.html."""


def write(site: Path, python: Path) -> str:
    """Write them into the site; return their folder, seen from its root, with a slash at its end.

    Args:
        site: the folder of the finished site.
        python: the folder in it that holds the browser's Python.
    """
    place = {"PYTHON": f"{_UP}{python.relative_to(site).as_posix()}/", "ROOT": _UP}
    with TemporaryDirectory() as made:
        fresh = Path(made)
        _styles(fresh / "css")
        _scripts(fresh / "js", place)
        there = hashed.put(fresh, site / hashed.ASSETS)
    return f"{there.relative_to(site).as_posix()}/"


def _styles(target: Path) -> None:
    """Write all styles as one file.

    Raises:
        BuildError: the order leaves one out.
    """
    target.mkdir()
    source = WEB / "css"
    if set(STYLES) != {path.stem for path in source.glob("*.css")}:
        raise BuildError("web/make/assets.py does not name exactly the styles of web/css")
    texts = ((source / f"{name}.css").read_text("utf-8") for name in STYLES)
    (target / STYLE).write_bytes("\n".join(texts).encode())


def _scripts(target: Path, place: dict[str, str]) -> None:
    target.mkdir()
    source = WEB / "js"
    for name in _ALONE:
        shutil.copyfile(source / name, target / name)

    def find(name: str) -> str:
        text = (source / name).read_text("utf-8")
        return placed(text, place) if name == _PLACES else text

    for name in _JOINED:
        (target / name).write_bytes(joined.beside(name, find).encode())


def placed(script: str, place: dict[str, str]) -> str:
    """Put addresses into js/places.js, in place of those that hold among the sources.

    Raises:
        BuildError: one of them does not stand there as it should.
    """
    for key, value in place.items():
        line = f'export const {key} = "{_IN_SOURCE[key]}";'
        if script.count(line) != 1:
            raise BuildError(f"web/js/places.js does not hold the line {line}")
        script = script.replace(line, f'export const {key} = "{value}";')
    return script
