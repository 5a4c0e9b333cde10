"""What `build.py lab` recorded, against the written law and against the engine.

The law is tests/support, transcribed from the write-up; the sizes it is given are those of the
kernel's own files.  The engine is given what the batch inspector made of the same loader.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from calculator import resources
from calculator.footprint import footprint
from calculator.workload import parse
from tests.lab.run import cases, key, results
from tests.support import law, memory_model
from web.make import measured, versions

ROWS = results()
CASES = {case["name"]: case for case in cases()}
MEASURED = [row for row in ROWS if "error" not in row]
INSPECTED = [row for row in MEASURED if row.get("inspected")]
SEARCHED = [row for row in MEASURED if row.get("smallest_surviving_bytes")]
PAGE = 4096


def named(rows: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(r, id=f"{r['torch']}-{r['python']}-{r['case']}") for r in rows]


def lawful(row: dict[str, Any], spike: int) -> int:
    """The law for this run; where batches differ, a full one is taken from the case's own words."""
    return law.lawful_peak({**row, "workload": CASES[row["case"]]}, spike=spike)


def told(row: dict[str, Any]) -> dict[str, Any]:
    return versions.told(row, CASES[row["case"]])


def test_every_case_was_measured_in_several_versions_and_all_say_when_and_where() -> None:
    assert {row["case"] for row in ROWS} == set(CASES)
    assert len({row["torch"] for row in MEASURED}) >= 2
    assert [key(row) for row in ROWS] == sorted({key(row) for row in ROWS})
    for row in ROWS:
        assert dt.date.fromisoformat(row["date"]) >= dt.date(2026, 11, 30)
        assert row["kernel"]
        assert row["machine"]


def least(row: dict[str, Any]) -> int:
    """The steady value; where no huge page is left the kernel takes small ones instead."""
    case = CASES[row["case"]]
    return law.lawful_peak({**row, "workload": {**case, "mount_opts": ""}}, spike=0)


@pytest.mark.parametrize("row", named(MEASURED))
def test_peak_is_between_the_steady_value_and_the_bound(row) -> None:
    assert row["peak_bytes"] % PAGE == 0
    assert row["peak_bytes"] <= lawful(row, spike=1)
    if CASES[row["case"]].get("consumer") != "fast":
        assert row["peak_bytes"] >= least(row)


@pytest.mark.parametrize("row", named(SEARCHED))
def test_smallest_that_survives_is_within_the_law_and_a_page_less_fails(row) -> None:
    assert least(row) <= row["smallest_surviving_bytes"] <= lawful(row, spike=1)
    if measured.page(CASES[row["case"]]) != PAGE:
        assert row["smallest_surviving_bytes"] == least(row)
    assert row["below"]["kind"] in {"hang", "runtime-error", "sigbus", "worker-died"}


@pytest.mark.parametrize("row", named(INSPECTED))
def test_engine_says_to_the_byte_what_the_law_says_when_the_inspector_describes_it(row) -> None:
    found = footprint(parse(told(row)))
    assert found.peak_bytes == lawful(row, spike=1)
    assert found.steady_bytes == lawful(row, spike=0)


def test_inspector_was_held_against_every_kind_of_collate_and_start() -> None:
    last = max(key(row)[:5] for row in INSPECTED)
    seen = [row for row in INSPECTED if key(row)[:5] == last]
    kinds = {loader["collate"] for row in seen for loader in row["inspected"]["loaders"]}
    assert kinds == {"default", "stack", "own", "list", "numpy"}
    assert {row["inspected"]["start_method"] for row in seen} == {"fork", "spawn", "forkserver"}
    assert len(seen) >= 40


def test_law_of_a_rebuilt_batch_holds_nothing() -> None:
    assert memory_model.one_loader([PAGE], 1, 1, held=0, spike=0) == (1 + 8 + 3) * PAGE


def test_words_of_a_full_shm_are_those_that_the_versions_said() -> None:
    rows = resources.table("facts", "crashes")["crash"]
    spoken = {row["id"]: versions.seen(row) for row in rows if row["collate"] != "none"}
    assert all(spoken.values()), spoken
    for collate, cases_of in (("default", {"default"}), ("private", {"stack", "list"})):
        failed = {
            versions.version(r)[0] for r in MEASURED if r["case"] in cases_of and r.get("below")
        }
        explained = {v for row in rows if row["collate"] == collate for v in versions.seen(row)}
        assert failed == explained


def test_matrix_has_a_verdict_for_each_case_and_version_and_none_is_above_the_bound() -> None:
    matrix = versions.matrix()
    assert len(matrix.cases) == len(CASES)
    for case in matrix.cases:
        assert len(case.verdicts) == len(matrix.versions)
        assert not any("ABOVE" in verdict for verdict in case.verdicts), case
