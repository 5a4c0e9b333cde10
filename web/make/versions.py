"""What the lab measured in several versions: tests/lab/results.json, as the page shows it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from calculator.footprint import Footprint, footprint
from calculator.typed import release
from calculator.workload import parse

LAB: Final = Path(__file__).resolve().parents[2] / "tests" / "lab"
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """One case: what the engine says, and how each version did, in the order of the versions."""

    name: str
    what: str
    steady: int
    bound: int
    verdicts: tuple[str, ...]


@dataclass(frozen=True)
class Matrix:
    """Every case in every version; a version is PyTorch's and Python's."""

    versions: tuple[tuple[str, str], ...]
    cases: tuple[Case, ...]
    dates: tuple[str, str]
    kernels: tuple[str, ...]
    missing: tuple[tuple[str, str, str], ...]


def told(row: Row, case: Row) -> dict[str, Any]:
    """Return what the batch inspector found, with what it cannot see: the loop."""
    held = case["kept_batches"] if case.get("pattern") == "keep_all" else 1
    if case.get("pattern") == "next_del_first" or case.get("rebuilt"):
        held = 0
    return {
        **row["inspected"],
        "loaders": [{**each, "held_batches": held} for each in row["inspected"]["loaders"]],
        "schedule": "interleaved" if case.get("scenario") == "interleaved" else "sequential",
        "last_batch_held": bool(case.get("hold_last")),
    }


@cache
def rows() -> tuple[Row, ...]:
    """Read what was measured, by version and case."""
    return tuple(json.loads((LAB / "results.json").read_text("utf-8"))["rows"])


@cache
def cases() -> tuple[Row, ...]:
    """Read the table of cases."""
    return tuple(tomllib.loads((LAB / "cases.toml").read_text("utf-8"))["case"])


def version(row: Row) -> tuple[str, str]:
    """Return the versions that people know: without build tags and patch levels of Python."""
    return str(row["torch"]).partition("+")[0], ".".join(str(row["python"]).split(".")[:2])


def matrix() -> Matrix:
    """Put the cases beside what the engine says of them."""
    versions = tuple(dict.fromkeys(map(version, rows())))
    found = {(version(row), row["case"]): row for row in rows()}
    shown = [
        _case(case, [found.get((each, case["name"])) for each in versions]) for case in cases()
    ]
    dates = sorted(row["date"] for row in rows())
    return Matrix(
        versions=versions,
        cases=tuple(each for each in shown if each),
        dates=(dates[0], dates[-1]),
        kernels=tuple(sorted({row["kernel"].partition("-")[0] for row in rows()})),
        missing=tuple(_missing()),
    )


def _missing() -> Iterator[tuple[str, str, str]]:
    """Yield what does not run where: the kind of loader, PyTorch's version, its own words."""
    what = {case["name"]: case["what"] for case in cases()}
    for row in rows():
        if "error" in row:
            yield what[row["case"]], version(row)[0], row["error"].partition(": ")[2]


def _case(case: Row, measured: list[Row | None]) -> Case | None:
    described = [row for row in measured if row and row.get("inspected")]
    if not described:
        return None
    model = footprint(parse(told(described[-1], case)))
    verdicts = tuple(_verdict(model, row) for row in measured)
    return Case(case["name"], case["what"], model.steady_bytes, model.peak_bytes, verdicts)


def _verdict(model: Footprint, row: Row | None) -> str:
    """Say in a word where the largest use lay, and what survived if that is another size."""
    if row is None:
        return "not run"
    if "error" in row:
        return "does not run"
    peak = _place(model, row["peak_bytes"])
    smallest = row.get("smallest_surviving_bytes")
    least = _place(model, smallest) if smallest else peak
    return peak if least == peak else f"{peak}; smallest {least}"


def _place(model: Footprint, size: int) -> str:
    if size in {model.steady_bytes, model.peak_bytes}:
        return "steady" if size == model.steady_bytes else "bound"
    if size < model.steady_bytes:
        return "below"
    return "between" if size < model.peak_bytes else "ABOVE"


# ---------------------------------------------------------------- what a failure said


SHOWING: Final[Mapping[str, tuple[str, ...]]] = {
    "default": ("default",),
    "private": ("stack", "list"),
    "number": ("fields-tuple", "fields-namedtuple"),
}
"""The cases that show what happens, by who allocates the page that is lacking."""


def seen(crash: Row) -> tuple[str, ...]:
    """Return the PyTorch versions in which the lab saw this message, by who allocates.

    A page less than the smallest size made it appear.
    """
    cases_of = SHOWING.get(crash["collate"], ())
    found = (
        version(row)[0]
        for row in rows()
        if row["case"] in cases_of and _covers(crash, row) and _says(crash, row.get("below"))
    )
    return tuple(dict.fromkeys(found))


def _covers(crash: Row, row: Row) -> bool:
    here, until = release(version(row)[0]), crash["torch_until"]
    since = crash["torch_from"]
    return (since == "0" or release(since) <= here) and (not until or here < release(until))


def _says(crash: Row, below: Row | None) -> bool:
    if not below or below["kind"] != crash["kind"]:
        return False
    wanted = [line for line in crash["text"].strip().splitlines() if _telling(line)]
    return bool(wanted) and _all_in(wanted, below["said"])


def _telling(line: str) -> bool:
    return "unable to" in line or "bus error" in line.lower()


def _all_in(wanted: Iterable[str], said: Iterable[str]) -> bool:
    lines = [line.strip() for line in said]
    return any(line.strip() in lines for line in wanted)
