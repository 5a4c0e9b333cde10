"""A program that runs beside the tests, and is stopped for sure."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.support.components import component

PATIENCE = 30.0
"""Seconds for it to become ready, and as many to end when asked."""


@contextmanager
def running(
    command: Sequence[str | Path],
    *,
    ready: Callable[[], bool],
    log: Path,
    env: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Start the program, wait until it is ready, and stop it with all that it started.

    The kernel asks it to end, too, when the tests' own process dies.
    """
    guarded = [component("setpriv"), "--pdeathsig", "TERM", *map(str, command)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            guarded,
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **(env or {})},
            start_new_session=True,
        )
    try:
        wait(process, ready, log)
        yield
    finally:
        stop(process)


def wait(process: subprocess.Popen[bytes], ready: Callable[[], bool], log: Path) -> None:
    """Return once the program is ready; fail with its last words when it never is."""
    until = time.monotonic() + PATIENCE
    while not ready():
        if process.poll() is not None or time.monotonic() > until:
            words = log.read_text("utf-8", errors="replace")[-2000:]
            pytest.fail(f"{process.args!r} did not become ready:\n{words}")
        time.sleep(0.1)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ask the program to end, then end whatever is left of its group."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
