"""Looking for many texts at once: those that share a piece are looked for by that piece first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from calculator.diagnose.signatures import triggers

LENGTH: Final = 5
_FEWEST: Final = 2


@cache
def stems() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return pieces, each with the triggers that have it; every trigger belongs to one."""
    left = set(triggers())
    found: list[tuple[str, tuple[str, ...]]] = []
    while left:
        holders = _holders(left)
        piece = max(sorted(holders), key=lambda each: len(holders[each]), default="")
        if len(holders[piece]) < _FEWEST:
            break
        found.append((piece, tuple(sorted(holders[piece]))))
        left -= holders[piece]
    return (*found, *((each, (each,)) for each in sorted(left)))


def present(low: str) -> Iterator[str]:
    """Yield the triggers that a text in lower case has."""
    for piece, members in stems():
        if piece in low:
            yield from (each for each in members if each in low)


def _holders(texts: Iterable[str]) -> dict[str, set[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for text in texts:
        for start in range(len(text) - LENGTH + 1):
            found[text[start : start + LENGTH]].add(text)
    return found
