"""JSON as it comes from outside, read strictly: what has two meanings is refused."""

from __future__ import annotations

import json
from typing import Any, Final

LONGEST_INT: Final = 1000
"""Digits; Python itself refuses to read a few thousand."""


class DoubledKeyError(ValueError):
    """An object gives one key twice: which one is meant nobody can tell."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(f"gives the key {key[:40]!r} twice")


def read_json(text: str) -> Any:
    """Read JSON.  A number too long to read stays text, to be refused at its place.

    Raises:
        DoubledKeyError: a key stands twice in one object.
        ValueError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    return json.loads(text, object_pairs_hook=_once, parse_int=_int)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise DoubledKeyError(key)
        found[key] = value
    return found


def _int(digits: str) -> int | str:
    return int(digits) if len(digits) <= LONGEST_INT else digits
