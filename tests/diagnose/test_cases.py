"""Made-up logs in the shape of public reports: everything that is right about each of them."""

import json
from pathlib import Path

import pytest

from tests.cases.log import check

CASES = json.loads(
    (Path(__file__).parents[1] / "cases" / "more_log.json").read_text(encoding="utf-8")
)["cases"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_made_up_log_is_understood(case):
    outcome = check(case)
    assert outcome.hard == []
    assert outcome.soft_misses == []
    assert outcome.soft_total > 0


def test_an_unknown_check_fails():
    case = {"input": "", "expected": {"diagnosis": "none", "colour": "red"}}
    assert check(case).hard == ["no check for 'colour'"]


@pytest.mark.parametrize(
    ("expected", "complaint"),
    [
        ({"diagnosis": "cuda_oom"}, "diagnosis is none, not cuda_oom"),
        ({"diagnosis": "none", "extract": {"pid": 4}}, "extract.pid should be 4, is None"),
        ({"diagnosis": "none", "extract": {"x_in": [4]}}, "extract.x_in should be [4], is None"),
    ],
)
def test_a_wrong_answer_fails(expected, complaint):
    assert check({"input": "", "expected": expected}).hard == [complaint]


def test_soft_checks_are_counted_and_said():
    expected = {
        "diagnosis": "none",
        "must_mention": ["elephant"],
        "must_not": ["text"],
        "actions": ["raise_shm"],
        "evidence": ["x"],
        "secondary": ["y"],
        "confidence": "low",
    }
    outcome = check({"input": " ", "expected": expected})
    assert (outcome.hard, outcome.soft_total, len(outcome.soft_misses)) == ([], 6, 6)


@pytest.mark.parametrize(
    ("wide", "narrow", "covered"),
    [
        (">=2.10", "2.10-2.11", True),
        (">=2.10", ">=2.12", True),
        ("<=2.9", "<=2.9", True),
        ("<2.10", "<=2.9", True),
        (">=2.12", ">=2.10", False),
        ("2.10-2.11", "2.10-2.11", True),
        (">=2.10,<2.12", "2.10-2.11", True),
        ("<=2.9", ">=2.10", False),
        ("<=2.9", "", False),
    ],
)
def test_versions_are_compared_by_meaning(wide, narrow, covered):
    from tests.cases.log import _covers  # noqa: PLC0415

    assert _covers(wide, narrow) is covered
