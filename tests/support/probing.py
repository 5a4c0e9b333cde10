"""The probe as people run it: a file, started by some Python."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support.components import component, root, run
from web.make.places import Places

ROOT = Path(__file__).parents[2]
FILE = ROOT / "calculator" / "probe" / "shm_probe.py"
MARK = "SHM-PROBE "


@dataclass(frozen=True)
class Probed:
    """How it ended, what went to standard output, what was said, and the record."""

    status: int
    out: str
    err: str
    record: dict[str, Any]

    @property
    def found(self) -> list[str]:
        """Ids of what it named, the surest first."""
        return [each["id"] for each in self.record["found"]]


def command(inside: Sequence[str | Path], *options: str, python: str = sys.executable) -> list[str]:
    """Return the words that wrap a command."""
    return [python, str(FILE), *options, "--", *map(str, inside)]


def probed(done: subprocess.CompletedProcess[str]) -> Probed:
    """Read what a finished probe left."""
    return Probed(done.returncode, done.stdout, done.stderr, record_in(done.stderr))


def record_in(text: str) -> dict[str, Any]:
    """Return the record, of which there is exactly one line."""
    (line,) = [line for line in text.splitlines() if line.startswith(MARK)]
    found = json.loads(line.removeprefix(MARK))
    assert isinstance(found, dict)
    return found


def wrap(inside: Sequence[str | Path], *options: str, timeout: float = 60) -> Probed:
    """Wrap a command on this machine."""
    return probed(run(command(inside, *options), timeout=timeout))


def python(code: str) -> list[str]:
    """Return the words that run this code."""
    return [sys.executable, "-c", code]


def with_tmpfs(options: str, inside: Sequence[str | Path]) -> list[str]:
    """Return the words that run a command where /dev/shm is a tmpfs of its own."""
    root("mounting")
    script = 'mount -t tmpfs -o "$1" shm /dev/shm && shift && exec "$@"'
    private = [component("unshare"), "--mount", "--propagation", "private"]
    return [*private, "sh", "-c", script, "sh", options, *map(str, inside)]


@cache
def torch_python() -> str:
    """Return the Python that has PyTorch (`build.py prove` makes it); without it skip."""
    found = Places(ROOT).build / "torch" / "bin" / "python"
    if not found.exists():
        pytest.skip("PyTorch is not installed: build.py prove installs it and runs this")
    return str(found)
