"""What a full /dev/shm is in a container's memory limit: the cgroup counts each page of it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from tests.lab.measure import PAGE
from tests.support import components, podman, torches
from tests.support.memory_model import one_loader

SCRIPT = Path(__file__).parent / "inside.py"
BATCH = 8 * 1024 * 1024 * 4
SLACK = 2 * 1024 * 1024
"""The kernel adds up its counters of a cgroup in steps, for each processor on its own."""


@cache
def counted() -> dict[str, tuple[int, int]]:
    packages = torches.packages().resolve()
    flags = ["--shm-size=1g", "--memory=4g", f"--env=PYTHONPATH={packages}"]
    inside = [torches.python(), "-B", str(SCRIPT)]
    done = podman.podman("run", "--rm", *flags, "--rootfs", "/:O", *inside)
    if "memory" in done.stderr and "cgroup" in done.stderr and done.returncode == 126:
        components.missing("the memory cgroup cannot be used here")
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, tuple[int, int]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("when", ["before", "full", "after"])
def test_the_cgroup_counts_what_df_shows(when) -> None:
    used, charged = counted()[when]
    assert abs(charged - used) <= SLACK


def test_full_queues_are_there_to_the_byte_in_a_real_container() -> None:
    used, _ = counted()["full"]
    steady, bound = (one_loader([BATCH], 2, 2, spike=spike) for spike in (0, 1))
    assert used == steady < bound
    assert used % PAGE == 0


def test_nothing_is_left_of_it_when_the_loader_is_gone() -> None:
    assert counted()["after"][0] == counted()["before"][0] == 0
