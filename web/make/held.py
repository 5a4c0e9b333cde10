"""Rules of thumb, held against the measured runs: what each gives, and where it is too small."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from calculator.footprint import footprint
from calculator.rules import rules
from calculator.sizing import size_job
from calculator.workload import Workload, parse
from web.make.measured import NotExpressibleError, rows, workload

OURS: Final = "This page: the bound, before headroom"

SHOWN: Final = {
    "q14a-imagenet": "Images",
    "q14b-volume": "Volumes",
    "q14f-detection": "Detection",
    "q14d-tokens": "Tokens",
}
"""Runs with the sizes of real jobs, as the table's columns."""


@dataclass(frozen=True, slots=True)
class Run:
    """A measured run; `needed_bytes` is the smallest /dev/shm that survived, or else the peak."""

    name: str
    needed_bytes: int
    given: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Given:
    """What a rule gives one of the shown runs."""

    bytes: int
    enough: bool


@dataclass(frozen=True, slots=True)
class Held:
    """A rule: its size for the shown runs, and for how many of all runs it is too small."""

    name: str
    shown: tuple[Given, ...]
    too_small: int


@dataclass(frozen=True, slots=True)
class Table:
    """The shown runs, the rules, and how many runs they were held against."""

    runs: tuple[tuple[str, Run], ...]
    rules: tuple[Held, ...]
    number: int


def held(path: Path) -> Table:
    """Hold each rule against every measured run of a file that the inputs have words for."""
    runs = {run.name: run for row in rows(path) if (run := _run(row))}
    shown = tuple((title, runs[name]) for name, title in SHOWN.items())
    names = next(iter(runs.values())).given
    return Table(
        runs=shown,
        rules=tuple(_held(name, [run for _, run in shown], list(runs.values())) for name in names),
        number=len(runs),
    )


def _run(row: dict[str, Any]) -> Run | None:
    try:
        job = parse(workload(row))
    except NotExpressibleError:
        return None
    needed = row["smallest_surviving_bytes"] or row["peak_bytes"]
    return Run(row["name"], needed, _given(job))


def _given(job: Workload) -> dict[str, int]:
    given = {rule.name: rule.bytes for rule in rules(size_job(job))}
    return {**given, OURS: footprint(job).peak_bytes}


def _held(name: str, shown: list[Run], runs: list[Run]) -> Held:
    return Held(
        name=name,
        shown=tuple(Given(run.given[name], run.given[name] >= run.needed_bytes) for run in shown),
        too_small=sum(run.given[name] < run.needed_bytes for run in runs),
    )
