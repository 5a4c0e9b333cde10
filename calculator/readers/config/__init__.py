"""Configurations of every kind: training files, command lines, and the files of platforms.

Adding a format is one module in this folder with `ORDER`, `reads(paste)` and `read(paste)`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from calculator.readers.config.paste import Paste
from calculator.readers.config.say import note
from calculator.readers.reading import Reading
from calculator.readers.text import clean


@cache
def formats() -> tuple[ModuleType, ...]:
    """Return the modules of this folder that read a format, the most particular first."""
    names = (each.name for each in pkgutil.iter_modules(__path__))
    modules = [import_module(f"{__name__}.{name}") for name in sorted(names)]
    return tuple(
        sorted((each for each in modules if hasattr(each, "ORDER")), key=lambda each: each.ORDER)
    )


def read(text: str, given: Mapping[str, Any] | None = None) -> Reading:
    """Read a configuration.

    Args:
        text: the paste.
        given: what is known beside it: `sample_shape`, `dtype` or `tensors`, `need_bytes`,
            `python`, `platform`, `request` with the `shm_bytes` that are wanted, `format`.

    Raises:
        InputError: it is too long or too deep, or what is given is no value.
    """
    found = attempt(text, given)
    return found or Reading(kind="config", notes=(note("nothing"),))


def attempt(text: str, given: Mapping[str, Any] | None = None) -> Reading | None:
    """Read a configuration; None where it is none.

    Raises:
        InputError: as `read`.
    """
    paste = Paste(clean(text), dict(given or {}))
    for module in formats():
        if module.reads(paste) and (found := module.read(paste)) is not None:
            return found  # type: ignore[no-any-return]
    return None
