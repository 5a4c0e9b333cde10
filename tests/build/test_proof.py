"""`build.py prove`: what it runs, and that nothing that needs PyTorch is left out of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import probing, torches
from web.make import proof
from web.make.places import Places

ROOT = Path(__file__).parents[2]
NEEDS_TORCH = ("torch_python()", "torches.packages()", "torches.run(")


def test_every_test_that_needs_a_pytorch_is_among_those_it_runs() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if path != Path(__file__) and any(word in path.read_text("utf-8") for word in NEEDS_TORCH)
    }
    assert len(found) >= 4
    assert {each for each in found if not each.startswith(proof.LIVE)} == set()


@pytest.mark.parametrize("failing", ["tests.proof.run", "pytest", None])
def test_it_runs_both_and_fails_when_one_does(monkeypatch, failing) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], **how: Any) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        assert how["env"]["CI"] == "true"
        return subprocess.CompletedProcess(command, int(command[2] == failing))

    monkeypatch.setattr(proof, "install", lambda _: Path("python-with-torch"))
    monkeypatch.setattr(subprocess, "run", run)
    assert proof.run(Places(ROOT)) == int(failing is not None)
    assert ran == [
        [sys.executable, "-m", "tests.proof.run", "python-with-torch"],
        [sys.executable, "-m", "pytest", *proof.LIVE],
    ]


def test_where_there_is_no_pytorch_the_tests_say_how_to_get_one(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(torches, "ROOT", tmp_path)
    monkeypatch.setattr(probing, "ROOT", tmp_path)
    probing.torch_python.cache_clear()
    for ask in (torches.packages, probing.torch_python):
        with pytest.raises(pytest.skip.Exception, match=r"build\.py prove"):
            ask()
