"""What fits into today's /dev/shm as the page shows it: the best first, the rest folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from calculator.fit import Fit, Group, Option, fit
from calculator.paths import value_at
from calculator.units import GIB
from calculator.workload import DEFAULT_SHM_BYTES, Workload

BEST: Final = 3
"""Options of a group that are seen at once."""

USUAL_SIZES: Final = (GIB, 2 * GIB, 8 * GIB)
"""Sizes people are given."""


@dataclass(frozen=True)
class Row:
    """An option; `standing` where it is what the job does already."""

    option: Option
    standing: bool


@dataclass(frozen=True)
class Ways:
    """The options of one kind: those that are seen, and those in the fold."""

    group: Group
    best: tuple[Row, ...]
    more: tuple[Row, ...]


@dataclass(frozen=True)
class Size:
    """A size of /dev/shm that one may have; `what` says whose it is, where it is anybody's."""

    what: Literal["docker", "half", ""]
    bytes: int
    chosen: bool


@dataclass(frozen=True)
class Panel:
    """What fits into today's /dev/shm."""

    fit: Fit
    ways: tuple[Ways, ...]
    sizes: tuple[Size, ...]


def panel(workload: Workload) -> Panel:
    """Fit a job into the /dev/shm there is.

    Raises:
        InputError: the job itself is beyond what any machine has.
    """
    found = fit(workload, workload.current_shm)
    data = workload.model_dump(mode="json")
    rows = [
        Row(option, all(value_at(data, path) == value for path, value in option.set.items()))
        for option in found.options
    ]
    return Panel(fit=found, ways=tuple(_ways(rows)), sizes=tuple(_sizes(workload)))


def _ways(rows: Sequence[Row]) -> Iterator[Ways]:
    for group in Group:
        of_it = _best_first([row for row in rows if row.option.group is group])
        if of_it:
            yield Ways(group, tuple(of_it[:BEST]), tuple(of_it[BEST:]))


def _best_first(rows: Iterable[Row]) -> list[Row]:
    """One of each kind comes before a second of any."""
    kinds: dict[str, int] = {}
    ranked = []
    for row in rows:
        turn = kinds[row.option.kind] = kinds.get(row.option.kind, 0) + 1
        ranked.append((turn if row.option.kind != "set" else 1, row))
    return [row for _, row in sorted(ranked, key=lambda each: each[0])]


def _sizes(workload: Workload) -> Iterator[Size]:
    now = workload.current_shm
    yield Size("docker", DEFAULT_SHM_BYTES, now == DEFAULT_SHM_BYTES)
    for usual in USUAL_SIZES:
        yield Size("", usual, now == usual)
    if workload.machine_memory:
        half = workload.machine_memory // 2
        yield Size("half", half, now == half)
