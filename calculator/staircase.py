"""The filling of /dev/shm as a drawing: columns to scale, and the lines of the sizes.

Positions are shares of the drawing in percent, as text that SVG takes, from its upper
left corner; so a template draws without arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from calculator.filling import Filling, Phase, Place
from calculator.filling import filling as tell
from calculator.sizing import size_job
from calculator.workload import Workload

MAX_GROUPS: Final = 45
"""Groups of batches in one drawing; what is left of a phase makes one group more."""

COLUMN_SHARE: Final = Fraction(6, 7)
"""How much of its place a column fills; the rest is the gap to the next."""

LABEL_GAP: Final = 10
"""Pixels between the sign of the break and its words."""

LABEL_SHARE: Final = Fraction(15, 100)
"""What the two lines of a label take of the drawing's height."""


@dataclass(frozen=True)
class Column:
    """Some batches that come one after the other, or what is there before them.

    Attributes:
        kind: as of the phase; `before` for what is there before.
        loader: whose batches.
        number: of the first batch, counted over all, from 1; 0 for what is there before.
        last_number: of the last one.
        first: which batch the first is.
        last: which the last is.
        added_bytes: what they add.
        end_bytes: what is there then.
        fits: whether all of it fits, as `yes`, `partly` and `no`.
        x, width, y, height: the column.
        solid_y, solid_height: its part that fits.
    """

    kind: str
    loader: str
    number: int
    last_number: int
    first: Place | None
    last: Place | None
    added_bytes: int
    end_bytes: int
    fits: str
    x: str
    width: str
    y: str
    height: str
    solid_y: str
    solid_height: str


@dataclass(frozen=True)
class Line:
    """A size across the drawing; its label keeps clear of another one."""

    bytes: int
    y: str
    label_y: str


@dataclass(frozen=True)
class Break:
    """Where it breaks: the middle of the column, and its upper edge.

    Its words stand beside it, `label_x` pixels away, and lean on it with `anchor`.
    """

    x: str
    y: str
    label_x: int
    anchor: str


@dataclass(frozen=True)
class Staircase:
    """The whole drawing.  `current` is None where today's size lies above it."""

    filling: Filling
    several: bool
    columns: tuple[Column, ...]
    recommended: Line
    current: Line | None
    broken: Break | None


def staircase(workload: Workload) -> Staircase:
    """Lay out how the /dev/shm of a job fills; the recommended size is the upper edge."""
    found = tell(size_job(workload))
    columns = tuple(_columns(found))
    return Staircase(
        filling=found,
        several=len({phase.loader for phase in found.phases}) > 1,
        columns=columns,
        recommended=Line(found.recommended_bytes, _percent(0), _percent(0)),
        current=_today(found),
        broken=_break(columns),
    )


def _columns(found: Filling) -> Iterator[Column]:
    groups = [
        (phase, start, min(start + stride, phase.steps))
        for stride in [_stride(found)]
        for phase in found.phases
        for start in range(0, phase.steps, stride)
    ]
    number = len(groups) + 1
    yield _column(found, 0, number, None, (0, 0, 0))
    came = 0
    for position, (phase, start, end) in enumerate(groups, start=1):
        yield _column(found, position, number, phase, (came, start, end))
        came += end - start


def _stride(found: Filling) -> int:
    """Return how many batches a group has: one, or the same batch of all processes, or more."""
    if found.batches <= MAX_GROUPS:
        return 1
    turns = found.batches // found.processes
    return found.processes * -(-turns // MAX_GROUPS)


def _column(
    found: Filling, position: int, number: int, phase: Phase | None, steps: tuple[int, int, int]
) -> Column:
    came, start, end = steps
    low = phase.after(start) if phase else 0
    high = phase.after(end) if phase else found.before_bytes
    solid = _solid(found, phase, low, high, start)
    top = found.recommended_bytes
    return Column(
        kind=phase.kind if phase else "before",
        loader=phase.loader if phase else "",
        number=came + 1 if phase else 0,
        last_number=came + end - start,
        first=phase.place(start) if phase else None,
        last=phase.place(end - 1) if phase else None,
        added_bytes=high - low,
        end_bytes=high,
        fits="yes" if solid == high else "partly" if solid else "no",
        x=_percent(Fraction(position, number)),
        width=_percent(COLUMN_SHARE / number),
        y=_percent(1 - Fraction(high, top)),
        height=_percent(Fraction(high, top)),
        solid_y=_percent(1 - Fraction(solid, top)),
        solid_height=_percent(Fraction(solid, top)),
    )


def _solid(found: Filling, phase: Phase | None, low: int, high: int, start: int) -> int:
    """Return how far a column is filled with the size one has, in bytes."""
    if high <= found.current_bytes:
        return high
    if phase is None or found.current_bytes < low + phase.step_bytes:
        return 0
    return phase.after(start + (found.current_bytes - low) // phase.step_bytes)


def _today(found: Filling) -> Line | None:
    """Return the line of today's size; its label stays below the upper one, and inside."""
    if found.current_bytes > found.recommended_bytes:
        return None
    at = 1 - Fraction(found.current_bytes, found.recommended_bytes)
    label = min(max(at, LABEL_SHARE), 1 - LABEL_SHARE)
    return Line(found.current_bytes, _percent(at), _percent(label))


def _break(columns: tuple[Column, ...]) -> Break | None:
    position = next((place for place, each in enumerate(columns) if each.fits != "yes"), None)
    if position is None:
        return None
    middle = (position + COLUMN_SHARE / 2) / len(columns)
    left = 2 * middle < 1
    return Break(
        x=_percent(middle),
        y=columns[position].y,
        label_x=LABEL_GAP if left else -LABEL_GAP,
        anchor="start" if left else "end",
    )


def _percent(share: Fraction | int) -> str:
    return f"{float(100 * share):.3f}%"
