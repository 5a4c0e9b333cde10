"""The README says what the engine says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from calculator.__main__ import main
from tests.support import tables

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_measured_table_is_current() -> None:
    assert tables.measured_table(ROOT / "tests" / "measured.json") in README


def test_the_preset_table_is_current() -> None:
    assert tables.preset_table() in README


@pytest.mark.parametrize("line", re.findall(r"^python -m calculator (.*)$", README, re.MULTILINE))
def test_the_commands_shown_work(capsys, line) -> None:
    assert main(shlex.split(line, comments=True)) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("target", re.findall(r"\]\(((?!https?:|#)[^)]+)\)", README))
def test_files_it_points_to_are_there(target) -> None:
    assert (ROOT / target).exists()
