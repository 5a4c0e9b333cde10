"""The cases of this kind, and more of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases.yaml import check

ROOT = Path(__file__).parents[1]
CASES: list[dict[str, Any]] = [
    case
    for path in (ROOT / "cases.json", ROOT / "cases" / "more_yaml.json")
    for case in json.loads(path.read_text("utf-8"))["cases"]
    if case["kind"] == "yaml"
]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_case_holds(case: dict[str, Any]) -> None:
    outcome = check(case)
    assert not outcome.hard
    assert not outcome.soft_misses


WRONG: list[tuple[str, Any]] = [
    ("action", "refuse"),
    ("format", "helm-values"),
    ("after", [{"service": "trainer", "shm_size_bytes": 1}]),
    ("keep_text", ["image: example/other"]),
    ("warn", ["wrong_medium"]),
    ("no_such_key", 1),
    ("after", [{"service": "trainer", "no_such_key": 1}]),
    ("text_matches", "nowhere"),
]


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_what_is_expected_wrongly_is_noticed(key: str, value: object) -> None:
    case = next(case for case in CASES if case["id"] == "compose-simple")
    assert check({**case, "expected": {**case["expected"], key: value}}).hard
