"""`shm-sizer probe`: the same probe through the command line."""

from __future__ import annotations

import re
import signal
import sys
import tomllib

import pytest

from calculator.__main__ import NEEDED
from tests.support.components import run
from tests.support.probing import ROOT, probed

COMMAND = [sys.executable, "-m", "calculator", "probe"]
BARE = [sys.executable, "-S", "-m", "calculator"]
"""A plain Python: without `site` it has no other packages."""


def test_it_wraps_a_command_and_ends_as_it_ended() -> None:
    done = probed(run([*COMMAND, "--", "sh", "-c", 'echo "$@"; exit 7', "sh", "--json", "--"]))
    assert (done.status, done.out) == (7, "--json --\n")
    assert done.record["mode"] == "wrap"


def test_it_dies_of_the_signal_that_ended_the_command() -> None:
    assert run([*COMMAND, "--", "sh", "-c", "kill -SEGV $$"]).returncode == -signal.SIGSEGV


def test_its_options_are_the_probes_own() -> None:
    done = probed(run([*COMMAND, "--watch", "--for", "0.3", "--quiet"]))
    assert done.record["mode"] == "watch"
    assert "what was measured" not in done.err


@pytest.mark.parametrize(("words", "status"), [([], 2), (["--no-such"], 2), (["--help"], 0)])
def test_it_says_how_it_is_used(words, status) -> None:
    done = run([*COMMAND, *words])
    assert done.returncode == status
    assert "COMMAND ... | --pid N | --watch" in done.stdout + done.stderr


def test_where_there_is_no_proc_it_says_so_and_nothing_breaks(monkeypatch, capsys) -> None:
    from calculator.__main__ import main  # noqa: PLC0415

    monkeypatch.setattr(sys, "platform", "darwin")
    assert main(["probe", "--", "true"]) == 2
    assert "needs Linux" in capsys.readouterr().err


def test_without_any_other_package_it_measures() -> None:
    done = probed(run([*BARE, "probe", "--", "sh", "-c", "exit 7"]))
    assert done.status == 7
    assert done.record["mode"] == "wrap"


@pytest.mark.parametrize("words", [["size"], ["read", "x.log"], ["--help"]])
def test_without_them_the_other_commands_say_in_a_line_how_they_are_installed(words) -> None:
    done = run([*BARE, *words])
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "pip install pydantic jinja2 ruamel.yaml" in done.stderr


def test_what_is_to_be_installed_is_what_the_project_depends_on() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = [re.split(r"[^\w.-]", each)[0] for each in project["dependencies"]]
    assert sorted(NEEDED) == sorted(names)


@pytest.mark.parametrize("words", [["--help"], ["--no-such"]])
def test_its_help_shows_the_command_as_it_was_typed(words) -> None:
    done = run([*COMMAND, *words])
    assert re.search(r"^usage: python[\d.]* -m calculator probe ", done.stdout + done.stderr)
