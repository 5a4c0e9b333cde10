"""The bar of /dev/shm: where each term lies, to scale.

Positions are shares of the bar in percent, as text that SVG takes; so a template draws
without arithmetic, and the picture keeps its letters' size at any width.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from calculator.report import Report

WORTH_A_LABEL: Final = Fraction(1, 100)
"""A term below this share of the bar cannot be seen on it and gets no label there."""

FAR_BEYOND: Final = 4
"""A /dev/shm this many times the recommendation would squeeze the rest to nothing."""


@dataclass(frozen=True)
class Segment:
    """One term on the bar.  `kind` is what the term is, without its loader: `queued`.

    `width` is its share of the bar, `of_need` that of the need.
    """

    kind: str
    name: str
    bytes: int
    start: str
    width: str
    of_need: str
    labelled: bool


@dataclass(frozen=True)
class Mark:
    """A size on the bar; `anchor` is the side its label can lean on."""

    bytes: int
    at: str
    anchor: str


@dataclass(frozen=True)
class Bar:
    """The whole picture.  `current` is None where today's size lies far beyond the bar."""

    segments: tuple[Segment, ...]
    recommended: Mark
    current: Mark | None

    @property
    def rest(self) -> str:
        """Names of the terms that are too small for a label."""
        return ", ".join(each.name for each in self._small)

    @property
    def rest_bytes(self) -> int:
        """What these are together."""
        return sum(each.bytes for each in self._small)

    @property
    def _small(self) -> list[Segment]:
        return [each for each in self.segments if not each.labelled]


def bar(report: Report) -> Bar:
    """Lay the terms of a report end to end and mark the recommended and today's size."""
    shm = report.shm
    near = shm.current_bytes <= FAR_BEYOND * shm.recommended_bytes
    end = max(shm.recommended_bytes, shm.current_bytes if near else 0)
    segments, start = [], 0
    for term in shm.terms:
        segments.append(
            Segment(
                kind=term.id.partition("-")[0],
                name=term.name,
                bytes=term.bytes,
                start=_percent(start, end),
                width=_percent(term.bytes, end),
                of_need=_percent(term.bytes, shm.need_bytes),
                labelled=Fraction(term.bytes, end) >= WORTH_A_LABEL,
            )
        )
        start += term.bytes
    return Bar(
        segments=tuple(segments),
        recommended=_mark(shm.recommended_bytes, end),
        current=_mark(shm.current_bytes, end) if near else None,
    )


def _mark(value: int, end: int) -> Mark:
    anchor = "start" if 2 * value < end else "end"
    return Mark(bytes=value, at=_percent(value, end), anchor=anchor)


def _percent(value: int, end: int) -> str:
    return f"{float(Fraction(100 * value, end)):.3f}%"
