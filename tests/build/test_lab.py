"""`build.py lab`: what it can be told, and what it says where something is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import build
from web.make import lab
from web.make.failure import BuildError
from web.make.places import Places

ROOT = Path(__file__).parents[2]


def test_versions_and_cases_may_be_repeated() -> None:
    words = ["lab", "--torch", "2.9.1", "--torch", "2.13.0", "--python", "3.13", "--only", "list"]
    options = build.parse([*words, "--quick"])
    assert options.torch == ["2.9.1", "2.13.0"]
    assert (options.python, options.only) == (["3.13"], ["list"])
    assert (options.quick, options.missing) == (True, False)


@pytest.mark.parametrize("text", ["2", "two", "2.13.0+cpu", "2..1", "../2.1", "٢.1"])
def test_what_is_no_version_ends_before_anything_is_installed(text, capsys) -> None:
    with pytest.raises(SystemExit):
        build.parse(["lab", "--torch", text])
    assert "is not a version" in capsys.readouterr().err


def test_a_python_that_is_not_there_is_said() -> None:
    with pytest.raises(BuildError, match=r"python9\.99 is not installed here"):
        lab.interpreter("9.99")


def test_this_python_is_found_without_its_environment() -> None:
    found = Path(lab.interpreter("{}.{}".format(*sys.version_info[:2])))
    assert found.exists()
    assert not found.is_relative_to(Path(sys.prefix).resolve())


def test_without_a_version_it_measures_in_the_one_of_the_proof() -> None:
    assert f'"torch=={lab.pinned(Places(ROOT))}"' in (ROOT / "pyproject.toml").read_text("utf-8")


def test_a_case_that_the_table_does_not_have_is_named() -> None:
    command = [sys.executable, "-m", "tests.lab.run", "nowhere", sys.executable, "--only=no-such"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.strip() == "no such case in cases.toml: no-such"
