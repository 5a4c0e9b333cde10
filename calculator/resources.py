"""The engine's data files: presets, targets, facts, and the templates of the live page.

In the wheel they lie inside the package; in a checkout `presets/` and `web/templates/live/`
stand where people edit them.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

_IN_CHECKOUT: Final = {"presets": ("presets",), "live": ("web", "templates", "live")}


@cache
def _folder(name: str) -> Traversable:
    packaged = files("calculator") / name
    if name not in _IN_CHECKOUT or packaged.is_dir():
        return packaged
    return Path(__file__).parents[1].joinpath(*_IN_CHECKOUT[name])


def reread() -> None:
    """Look for the folders anew: in the browser some of their files come later."""
    _folder.cache_clear()


@cache
def names(folder: str, suffix: str) -> tuple[str, ...]:
    """Return the names of a folder's files without their suffix, sorted."""
    entries = (entry.name for entry in _folder(folder).iterdir())
    return tuple(sorted(name.removesuffix(suffix) for name in entries if name.endswith(suffix)))


@cache
def public(folder: str, suffix: str) -> tuple[str, ...]:
    """Return `names` without those that start with an underscore: they only serve the others."""
    return tuple(name for name in names(folder, suffix) if not name.startswith("_"))


@cache
def text(folder: str, name: str) -> str:
    """Return one file's text.

    Raises:
        FileNotFoundError: no such file.
    """
    return (_folder(folder) / name).read_text(encoding="utf-8")


@cache
def table(folder: str, name: str) -> dict[str, Any]:
    """Return one TOML file's content; treat it as read-only."""
    return tomllib.loads(text(folder, f"{name}.toml"))
