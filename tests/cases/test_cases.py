"""Pasted text in the shape of public reports, each case held against the product.

`pytest --cases PATH` takes another file of the same format.  Every case is a test of its
hard checks; one further test counts the soft checks of all of them.
"""

from __future__ import annotations

import importlib
import json
import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.cases.outcome import Outcome

HERE = Path(__file__).parent
SOFT_SHARE = 0.95


def cases_of(path: Path) -> list[dict[str, Any]]:
    """Return the cases of a file."""
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return found


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test of every case in the file, and of every case in our own files."""
    if "case" in metafunc.fixturenames:
        given = [
            pytest.param(case, id=case["id"]) for case in cases_of(cases_file(metafunc.config))
        ]
        own = [
            pytest.param(case, id=f"{file.stem}:{case['id']}")
            for file in sorted(HERE.glob("more_*.json"))
            for case in cases_of(file)
        ]
        metafunc.parametrize("case", [*given, *own])


def cases_file(config: pytest.Config) -> Path:
    """Return the file that --cases names."""
    found: Path = config.getoption("cases")
    return found


@cache
def checker(kind: str) -> ModuleType:
    """Return the module that knows the checks of a kind; there is one a kind.

    Raises:
        ModuleNotFoundError: nobody knows this kind.
    """
    assert re.fullmatch("[a-z]+", kind), kind
    return importlib.import_module(f"tests.cases.{kind}")


def outcome(case: dict[str, Any]) -> Outcome:
    found: Outcome = checker(case["kind"]).check(case)
    return found


def test_hard_checks(case: dict[str, Any]) -> None:
    assert outcome(case).hard == []


def test_soft_checks(request: pytest.FixtureRequest) -> None:
    """Nearly all of what an answer should say, name first, or leave out."""
    found = {case["id"]: outcome(case) for case in cases_of(cases_file(request.config))}
    misses = [f"{name}: {miss}" for name, each in found.items() for miss in each.soft_misses]
    total = sum(each.soft_total for each in found.values())
    assert total
    print(f"{total - len(misses)} of {total} soft checks pass")
    assert len(misses) <= (1 - SOFT_SHARE) * total, "\n".join(misses)


def test_an_unknown_kind_is_a_failure() -> None:
    with pytest.raises(ModuleNotFoundError):
        checker("teacup")


def test_ids_are_told_apart(request: pytest.FixtureRequest) -> None:
    ids = [case["id"] for case in cases_of(cases_file(request.config))]
    assert len(set(ids)) == len(ids)
