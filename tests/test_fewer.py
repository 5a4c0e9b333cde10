"""The need with fewer workers."""

from __future__ import annotations

import pytest

from calculator.fewer import fewer_workers
from calculator.sizing import size_job
from calculator.workload import parse


def needs(*workers: int) -> dict[int, int]:
    loaders = [{"num_workers": number} for number in workers]
    return fewer_workers(size_job(parse({"ranks": 1, "loaders": loaders})))


def test_workers_are_halved_down_to_none() -> None:
    assert list(needs(12)) == [12, 6, 3, 1, 0]
    assert list(needs(0)) == [0]


def test_each_need_is_that_of_the_job_with_so_many_workers() -> None:
    for cap, need in needs(8).items():
        assert need == size_job(parse({"ranks": 1, "loaders": [{"num_workers": cap}]})).need_bytes


def test_a_loader_with_fewer_workers_keeps_them() -> None:
    found = needs(8, 2)
    assert found[4] == needs(4, 2)[4]
    assert found[1] == needs(1, 1)[1]


@pytest.mark.parametrize("workers", [(8,), (5, 16), (1,)])
def test_fewer_workers_never_need_more(workers) -> None:
    found = list(needs(*workers).values())
    assert found == sorted(found, reverse=True)
    assert found[-1] == 0
