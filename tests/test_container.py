"""Who shares a /dev/shm on a platform, and what one such container needs."""

from __future__ import annotations

from typing import Any

import pytest

from calculator.container import Container, Sharing, container
from calculator.sizing import size_job
from calculator.units import GIB
from calculator.workload import parse

POOL = 33_030_528
RANK = 18 * 38_535_168 + 32 * 4096  # 8 workers x 2, held, handed over; 8 + 3 x 8 semaphores


def one(sharing: Sharing, shm: int | None = None, **values: Any) -> Container:
    return container(size_job(parse(values)), sharing, shm)


def test_one_container_holds_every_process_it_is_said_to_have() -> None:
    found = one(Sharing.ALL)
    assert (found.ranks, found.number) == (8, 1)
    assert found.sizing.need_bytes == 8 * (RANK + POOL)
    assert found.shm_bytes == 8 * GIB


def test_a_pod_of_one_process_needs_an_eighth_and_still_talks_to_the_others() -> None:
    found = one(Sharing.POD)
    assert (found.ranks, found.number) == (1, 8)
    assert found.sizing.need_bytes == RANK + POOL
    assert found.shm_bytes == GIB
    assert found.memory.process_bytes == 4 * GIB + 8 * GIB // 2


@pytest.mark.parametrize(("in_each", "ranks", "pods"), [(2, 2, 4), (8, 8, 1), (9, 8, 1), (3, 3, 3)])
def test_how_many_in_a_pod_can_be_said(in_each, ranks, pods) -> None:
    found = one(Sharing.POD, deployment={"ranks_per_pod": in_each})
    assert (found.ranks, found.number) == (ranks, pods)
    assert found.sizing.need_bytes == ranks * (RANK + POOL)


def test_the_whole_job_decides_how_many_containers_there_are() -> None:
    assert one(Sharing.ALL, job_ranks=32).number == 4
    assert one(Sharing.POD, job_ranks=32).number == 32
    assert one(Sharing.POD, ranks=1, job_ranks=1).sizing.need_bytes == RANK


def test_a_given_size_is_kept() -> None:
    assert one(Sharing.POD, 5 * GIB).shm_bytes == 5 * GIB


def test_a_limit_for_all_processes_says_nothing_about_one() -> None:
    assert one(Sharing.ALL, memory_limit="900g").memory.block_limit_bytes == 900 * GIB
    assert one(Sharing.POD, memory_limit="900g").memory.block_limit_bytes == 9 * GIB
    whole = one(Sharing.POD, memory_limit="900g", deployment={"ranks_per_pod": 8})
    assert whole.memory.block_limit_bytes == 900 * GIB
