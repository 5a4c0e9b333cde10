"""The root of a container that holds busybox and nothing else."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

from tests.support.components import HOME, component, run

SHM_BYTES = ["/bin/stat", "-f", "-c", "%T %S %b", "/dev/shm"]  # noqa: S108
"""Run inside a container: what is mounted there, the size of a block, and how many it has."""


@cache
def root_folder() -> Path:
    """Make the folder."""
    root = HOME / "rootfs"
    for folder in ("bin", "proc", "sys", "dev/shm", "tmp", "etc"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    program = component("busybox")
    shutil.copy(program, root / "bin" / "busybox")
    for name in run([program, "--list"]).stdout.split():
        link = root / "bin" / name
        if not link.is_symlink() and name != "busybox":
            link.symlink_to("busybox")
    return root


def read_shm_bytes(printed: str) -> int:
    """Return the size of /dev/shm from what SHM_BYTES prints."""
    kind, size, blocks = printed.split()
    assert kind == "tmpfs", printed
    return int(size) * int(blocks)
