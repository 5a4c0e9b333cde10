"""Styles and scripts in a folder named by their content, which knows the Python's folder."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from web.make import hashed
from web.make.failure import BuildError

WEB: Final = Path(__file__).resolve().parents[1]
_KINDS: Final = ("css", "js")
_PLACES: Final = Path("js") / "places.js"
_IN_SOURCE: Final = {"PYTHON": "../py/", "ROOT": "../"}
_UP: Final = "../../../"
"""From a/<hash>/js/ to the folder that holds index.html."""


def write(site: Path, python: Path) -> str:
    """Write them into the site; return their folder, seen from its root, with a slash at its end.

    Args:
        site: the folder of the finished site.
        python: the folder in it that holds the browser's Python.
    """
    with TemporaryDirectory() as made:
        fresh = Path(made)
        for kind in _KINDS:
            shutil.copytree(WEB / kind, fresh / kind)
        place = {"PYTHON": f"{_UP}{python.relative_to(site).as_posix()}/", "ROOT": _UP}
        (fresh / _PLACES).write_bytes(placed((fresh / _PLACES).read_text("utf-8"), place).encode())
        there = hashed.put(fresh, site / hashed.ASSETS)
    return f"{there.relative_to(site).as_posix()}/"


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
