"""What `build.py prove` recorded: PyTorch in real containers, below the model and at our size."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest

from calculator import report
from calculator.workload import parse
from tests.proof.run import PAGE, SURVIVALS, WORKLOAD, model

RECORD = json.loads((Path(__file__).parent / "result.json").read_text(encoding="utf-8"))
ENGINES = ["docker", "podman"]


def rows(engine: str, *, survived: bool) -> list[dict[str, object]]:
    found = [row for row in RECORD["rows"] if row["engine"] == engine]
    return [row for row in found if row["survived"] is survived]


def test_it_is_of_this_workload_and_says_what_ran_and_when() -> None:
    assert RECORD["workload"] == WORKLOAD
    assert RECORD["versions"]["torch"].startswith("2.")
    assert all(RECORD["versions"][name] for name in ("python", "kernel", *ENGINES))
    assert dt.date.fromisoformat(RECORD["date"]) >= dt.date(2026, 11, 30)


@pytest.mark.parametrize("engine", ENGINES)
def test_one_page_below_the_steady_size_it_fails(engine) -> None:
    (row,) = rows(engine, survived=False)
    assert row["shm_bytes"] == model(spike=0) - PAGE == 9 * 32 * 602_112 + 20 * 4096 - 4096
    assert "No space left on device" in str(row["said"]) or "no progress" in str(row["said"])


@pytest.mark.parametrize("engine", ENGINES)
def test_at_our_size_it_survives_every_time(engine) -> None:
    survived = rows(engine, survived=True)
    assert len(survived) == SURVIVALS == 3
    ours = report.build(parse(WORKLOAD), targets=[]).shm.recommended_bytes
    for row in survived:
        assert row["shm_bytes"] == ours >= model(spike=1)
        assert json.loads(str(row["said"]))["batches"] == RECORD["batches"]
