"""Options and fixtures shared by all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let files from outside be held against the engine."""
    parser.addoption(
        "--measured",
        type=Path,
        default=HERE / "measured.json",
        help="measured rows to hold the memory model against",
    )
