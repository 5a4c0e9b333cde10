"""The model against measured PyTorch, row by row."""

from __future__ import annotations

from typing import Any

import pytest

from calculator.footprint import footprint
from calculator.workload import parse
from tests.support import law
from web.make import measured


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test per row of the file that --measured names."""
    rows = measured.rows(metafunc.config.getoption("measured"))
    metafunc.parametrize("row", [pytest.param(r, id=r["name"]) for r in rows])


def test_peak_is_the_law_and_never_below_what_was_measured(row: dict[str, Any]) -> None:
    found = footprint(parse(measured.workload(row)))
    assert found.peak_bytes == law.lawful_peak(row)
    assert found.peak_bytes >= row["peak_bytes"]
    assert found.peak_bytes >= (row["smallest_surviving_bytes"] or 0)
    assert found.steady_bytes <= found.peak_bytes
    assert sum(term.bytes for term in found.terms) == found.peak_bytes
