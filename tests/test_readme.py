"""The README says what the engine says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from calculator.__main__ import main
from calculator.deployment import Deployment
from calculator.workload import parse
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


@pytest.mark.parametrize("text", re.findall(r"```json\n(.*?)```", README, re.DOTALL))
def test_the_workload_shown_is_one(text) -> None:
    given = json.loads(text)
    workload = parse(given).model_dump(mode="json", exclude_unset=True)
    assert set(given["deployment"]) <= set(Deployment.model_fields)
    assert workload["deployment"] == given["deployment"]
    assert workload["loaders"][0]["num_workers"] == given["loaders"][0]["num_workers"]


def test_every_input_of_a_deployment_is_named() -> None:
    assert all(f"`{name}`" in README for name in Deployment.model_fields)


@pytest.mark.parametrize("target", re.findall(r"\]\(((?!https?:|#)[^)]+)\)", README))
def test_files_it_points_to_are_there(target) -> None:
    assert (ROOT / target).exists()
