"""Who shares a /dev/shm on a platform, and what one such container needs."""

from __future__ import annotations

from typing import Any

import pytest

from calculator.container import Container, Sharing, container
from calculator.errors import InputError
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


@pytest.mark.parametrize(("in_each", "ranks", "pods"), [(2, 2, 4), (8, 8, 1), (1, 1, 8)])
def test_how_many_in_a_pod_can_be_said(in_each, ranks, pods) -> None:
    found = one(Sharing.POD, deployment={"ranks_per_pod": in_each})
    assert (found.ranks, found.number) == (ranks, pods)
    assert found.sizing.need_bytes == ranks * (RANK + POOL)


def test_the_whole_job_decides_how_many_containers_there_are() -> None:
    assert one(Sharing.ALL, job_ranks=32).number == 4
    assert one(Sharing.POD, job_ranks=32).number == 32
    assert one(Sharing.POD, ranks=1, job_ranks=1).sizing.need_bytes == RANK


@pytest.mark.parametrize(
    ("command", "ranks", "pods"),
    [
        ("torchrun --nproc-per-node=4 train.py", 4, 2),
        ("python -m torch.distributed.run --nproc_per_node 8 train.py", 8, 1),
        ("torchrun --nproc-per-node=auto train.py", 1, 8),
        ("python train.py --nproc-per-node-x=4", 1, 8),
    ],
)
def test_a_command_that_starts_several_says_how_many(command, ranks, pods) -> None:
    found = one(Sharing.POD, deployment={"command": command})
    assert (found.ranks, found.number) == (ranks, pods)


@pytest.mark.parametrize("each", [3, 16])
def test_pods_that_cannot_be_even_are_refused(each) -> None:
    with pytest.raises(InputError, match="must divide the 8 processes of the job") as refused:
        parse({"deployment": {"ranks_per_pod": each}})
    assert [problem.path for problem in refused.value.problems] == ["deployment.ranks_per_pod"]


def test_containers_that_cannot_be_even_are_refused() -> None:
    with pytest.raises(InputError, match="must be a multiple of the 8 processes") as refused:
        parse({"job_ranks": 12})
    assert [problem.path for problem in refused.value.problems] == ["job_ranks"]


def test_a_given_size_is_kept() -> None:
    assert one(Sharing.POD, 5 * GIB).shm_bytes == 5 * GIB


def test_a_limit_for_all_processes_says_nothing_about_one() -> None:
    assert one(Sharing.ALL, memory_limit="900g").memory.block_limit_bytes == 900 * GIB
    assert one(Sharing.POD, memory_limit="900g").memory.block_limit_bytes == 9 * GIB
    whole = one(Sharing.POD, memory_limit="900g", deployment={"ranks_per_pod": 8})
    assert whole.memory.block_limit_bytes == 900 * GIB
