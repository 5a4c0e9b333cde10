"""`shm-sizer probe`: the same probe through the command line."""

from __future__ import annotations

import signal
import sys

import pytest

from tests.support.components import run
from tests.support.probing import probed

COMMAND = [sys.executable, "-m", "calculator", "probe"]


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
