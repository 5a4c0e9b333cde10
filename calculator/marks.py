"""Labels above a bar that never overlap: each on the lowest level where it has room.

How wide a letter is depends on the reader's fonts, and how wide the bar on their window; so
room is reckoned for the narrowest window and a wide font.  On a larger one there is more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

NARROW_PX: Final = 280
"""How wide a bar is in a window of 320 px."""

LETTER_PX: Final = Fraction(8)
"""How wide a letter of 12 px is taken to be."""


@dataclass(frozen=True)
class Mark:
    """A size on a bar; `share` is its place from 0 to 1, `level` counts from the bar upwards."""

    kind: str
    name: str
    bytes: int
    share: Fraction
    text: str
    level: int = 0

    @property
    def anchor(self) -> str:
        """The side that the label leans on."""
        return "start" if 2 * self.share < 1 else "end"

    @property
    def span(self) -> tuple[Fraction, Fraction]:
        """From where to where the label goes, as shares of the bar."""
        width = room(self.text)
        return (
            (self.share, self.share + width)
            if self.anchor == "start"
            else (self.share - width, self.share)
        )


def room(text: str) -> Fraction:
    """Return the share of the narrowest bar that a text takes, a letter's gap included."""
    return (len(text) + 1) * LETTER_PX / NARROW_PX


def fits(text: str, share: Fraction) -> bool:
    """Whether a text has room in a share of the narrowest bar."""
    return room(text) <= share


def levelled(marks: Iterable[Mark]) -> tuple[Mark, ...]:
    """Put each label on the lowest level where it meets no other.

    Those that lean on their right side go from left to right, the others from right to
    left: then the line down from a label crosses no label of the same side.
    """
    rightward = sorted(marks, key=lambda mark: mark.share)
    ends = [mark for mark in rightward if mark.anchor == "end"]
    starts = [mark for mark in rightward if mark.anchor == "start"]
    placed: list[Mark] = []
    for mark in (*ends, *reversed(starts)):
        taken = {each.level for each in placed if _meet(each, mark)}
        placed.append(replace(mark, level=min(set(range(len(placed) + 1)) - taken)))
    return tuple(placed)


def _meet(one: Mark, other: Mark) -> bool:
    (a, b), (c, d) = one.span, other.span
    return a < d and c < b
