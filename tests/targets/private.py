"""Programs run where a /dev/shm of a chosen size is mounted for them alone."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import CompletedProcess

from tests.support.components import component, root, run

MOUNT = 'mount -t tmpfs -o "size=$1" shm /dev/shm && shift && exec "$@"'


def with_shm(size: int, command: Sequence[str | Path]) -> list[str | Path]:
    """Return the command that runs a program with a /dev/shm of so many bytes."""
    root("mounting")
    private = [component("unshare"), "--mount", "--propagation", "private"]
    return [*private, "sh", "-c", MOUNT, "sh", str(size), *command]


def python(script: Path, *arguments: str, shm: int) -> CompletedProcess[str]:
    """Run a Python program with a /dev/shm of so many bytes."""
    return run(with_shm(shm, [sys.executable, script, *arguments]), cwd=script.parent)
