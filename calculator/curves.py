"""What if: the need against one number of the job at a time, as small charts to scale.

Every point is the memory model run for the job with that one value changed.  Positions
are shares of the chart in percent, as text that SVG takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final, Literal

from calculator.errors import InputError
from calculator.form import control
from calculator.sizing import Sizing, size_job
from calculator.workload import Workload, uneven

MOST_VALUES: Final = 8
"""Values on one chart."""

BEFORE_PRESENT: Final = 4
"""Of them below the present one, where there are so many."""

WIDE_DIGITS: Final = 5
"""Numbers of so many digits need more room, so there are fewer of them."""

WIDE_VALUES: Final = 5
"""So many then."""

USUAL_RANKS: Final = 16
"""GPUs of a large machine: more processes are tried only by who has so many."""

FAR_ABOVE: Final = 2
"""A /dev/shm this many times the largest recommendation would squeeze the curve flat."""

VISIBLE: Final = Fraction(1, 100)
"""A number that changes the need by less than this share of it makes no curve."""

Reason = Literal["no workers", "own queue", "single samples", "hardly"]


@dataclass(frozen=True)
class Point:
    """The job with one value.

    Attributes:
        value: of the number that is turned.
        present: whether the job has it now.
        need_bytes: the need then, the strict bound.
        recommended_bytes: the size to configure then.
        fits: whether the need fits into the size one has.
        x, y: where the need stands.
        set_from, set_to, set_y: the stroke of the recommended size.
        left, width: the strip of the chart that belongs to the value.
    """

    value: int
    present: bool
    need_bytes: int
    recommended_bytes: int
    fits: bool
    x: str
    y: str
    set_from: str
    set_to: str
    set_y: str
    left: str
    width: str


@dataclass(frozen=True)
class Curve:
    """One chart.

    Attributes:
        knob: name of the number, `num_workers`.
        path: dotted path that it is set by.
        label: as the form has it.
        points: with growing values; the present one is among them.
        top_bytes: the upper edge.
        middle_bytes: half of that.
        current_y: where the size one has stands; None where it lies far above.
    """

    knob: str
    path: str
    label: str
    points: tuple[Point, ...]
    top_bytes: int
    middle_bytes: int
    current_y: str | None

    @property
    def id(self) -> str:
        """An id for the element."""
        return self.knob.replace("_", "-")

    @property
    def present(self) -> Point:
        """The point of the job as it is."""
        return next(point for point in self.points if point.present)

    @property
    def segments(self) -> tuple[tuple[Point, Point], ...]:
        """Neighbouring points."""
        return tuple(pairwise(self.points))


@dataclass(frozen=True)
class Omission:
    """A number that is not turned, and why."""

    knob: str
    why: Reason


@dataclass(frozen=True)
class Curves:
    """All charts of a job; those of a loader are about the fullest one."""

    loader: str
    several_loaders: bool
    charts: tuple[Curve, ...]
    omitted: tuple[Omission, ...]
    current_bytes: int
    above: bool


def curves(workload: Workload) -> Curves:
    """Run the memory model for a few values of each number that people turn."""
    sizing = size_job(workload)
    place = _fullest(sizing)
    charts: list[Curve] = []
    omitted: list[Omission] = []
    for knob in ("num_workers", "prefetch_factor", "batch_size", "ranks"):
        path = knob if knob == "ranks" else f"loaders.{place}.{knob}"
        why = _idle(workload, place, knob)
        tried = [] if why else list(_tried(workload, place, path))
        if _visible([each.need_bytes for _, each in tried]):
            charts.append(_curve(workload, path, _present(workload, place, knob), tried))
        else:
            omitted.append(Omission(knob, why or "hardly"))
    return Curves(
        loader=workload.loaders[place].name,
        several_loaders=len(workload.loaders) > 1,
        charts=tuple(charts),
        omitted=tuple(omitted),
        current_bytes=workload.current_shm,
        above=any(chart.current_y is None for chart in charts),
    )


def _visible(needs: list[int]) -> bool:
    return bool(needs) and max(needs) - min(needs) > VISIBLE * max(needs)


def _fullest(sizing: Sizing) -> int:
    """Return the position of the loader that takes the most when /dev/shm is fullest."""
    found = sizing.footprint
    largest = max(found.fullest.active, key=lambda use: use.peak_bytes)
    return next(place for place, use in enumerate(found.uses) if use is largest)


# ---------------------------------------------------------------- the values


def _idle(workload: Workload, place: int, knob: str) -> Reason | None:
    """Say why a number of a loader does nothing for this job."""
    loader = workload.loaders[place]
    if not loader.num_workers and knob in {"prefetch_factor", "batch_size"}:
        return "no workers"
    if loader.queue_size is not None and knob == "prefetch_factor":
        return "own queue"
    if loader.batch_size is None and knob == "batch_size":
        return "single samples"
    return None


def _present(workload: Workload, place: int, knob: str) -> int:
    loader = workload.loaders[place]
    if knob == "prefetch_factor":
        return loader.prefetch
    return int(getattr(workload if knob == "ranks" else loader, knob))


def _tried(workload: Workload, place: int, path: str) -> Iterator[tuple[int, Sizing]]:
    """Yield the job with each value, without those that no machine has or that do not divide."""
    knob = path.rpartition(".")[2]
    present, described = _present(workload, place, knob), control(workload, path)
    most = max(present, USUAL_RANKS) if knob == "ranks" else described.maximum
    jobs = {
        value: changed
        for value in rungs(present, described.minimum or 0, most)
        if not any(uneven(changed := _with(workload, place, knob, value)))
    }
    for value in around(list(jobs), present):
        try:
            yield value, size_job(jobs[value])
        except InputError:
            return


def rungs(present: int, least: int, most: int | None) -> list[int]:
    """Return the values that may be tried: the present one, and 1, 2, 3, 4, 6, 8, 12, ...

    A 0 is tried only where it is the present value.
    """
    found, rung = {present}, 1
    while rung <= (present or 1) * 2**MOST_VALUES:
        found |= {rung, rung + rung // 2}
        rung *= 2
    return sorted(each for each in found if least <= each and (most is None or each <= most))


def around(known: list[int], present: int) -> list[int]:
    """Return as many of these values as a chart has room for, with the present one in it."""
    chosen = _neighbours(known, present, MOST_VALUES, BEFORE_PRESENT)
    wide = len(str(chosen[-1])) >= WIDE_DIGITS
    return _neighbours(known, present, WIDE_VALUES, WIDE_VALUES // 2) if wide else chosen


def _neighbours(known: list[int], present: int, number: int, before: int) -> list[int]:
    """Return `number` neighbours, of them at most `before` below the present one if possible."""
    start = max(min(known.index(present) - before, len(known) - number), 0)
    return known[start : start + number]


def _with(workload: Workload, place: int, knob: str, value: int) -> Workload:
    """Return the job with one value, which is in its range, without reading all of it again."""
    if knob == "ranks":
        return workload.model_copy(update={knob: value})
    loaders = list(workload.loaders)
    loaders[place] = loaders[place].model_copy(update={knob: value})
    return workload.model_copy(update={"loaders": tuple(loaders)})


# ---------------------------------------------------------------- the chart


def _curve(workload: Workload, path: str, present: int, tried: list[tuple[int, Sizing]]) -> Curve:
    current = workload.current_shm
    largest = max(sizing.recommended_bytes for _, sizing in tried)
    near = current <= FAR_ABOVE * largest
    top = max(largest, current if near else 0)
    number = len(tried)
    return Curve(
        knob=path.rpartition(".")[2],
        path=path,
        label=control(workload, path).label,
        points=tuple(
            Point(
                value=value,
                present=value == present,
                need_bytes=sizing.need_bytes,
                recommended_bytes=sizing.recommended_bytes,
                fits=sizing.need_bytes <= current,
                x=_percent(2 * position + 1, 2 * number),
                y=_percent(top - sizing.need_bytes, top),
                set_from=_percent(8 * position + 1, 8 * number),
                set_to=_percent(8 * position + 7, 8 * number),
                set_y=_percent(top - sizing.recommended_bytes, top),
                left=_percent(position, number),
                width=_percent(1, number),
            )
            for position, (value, sizing) in enumerate(tried)
        ),
        top_bytes=top,
        middle_bytes=top // 2,
        current_y=_percent(top - current, top) if near else None,
    )


def _percent(value: int, whole: int) -> str:
    return f"{float(Fraction(100 * value, whole)):.3f}%"
