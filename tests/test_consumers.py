"""Other users of /dev/shm."""

from __future__ import annotations

from typing import Any

import pytest

from calculator.consumers import other_terms
from calculator.workload import parse

POOL = 33_030_528
CONNECTION = (9_637_888 + 4096) + (4096 + 4096)  # receiving and sending side, 4 bytes more each


def total(**values: Any) -> int:
    return sum(term.bytes for term in other_terms(parse(values)))


@pytest.mark.parametrize(
    ("values", "bytes_"),
    [
        ({"ranks": 1}, 0),
        ({"ranks": 2}, 2 * POOL),
        ({"ranks": 8, "nccl_communicators": 3}, 24 * POOL),
        ({"ranks": 8, "nccl_communicators": 0}, 0),
        ({"ranks": 2, "gpu_p2p": False}, 2 * POOL + 2 * 2 * 2 * CONNECTION),
        ({"ranks": 4, "gpu_p2p": False}, 4 * POOL + 4 * 2 * 2 * CONNECTION),
        ({"ranks": 4, "gpu_p2p": False, "nccl_channels": 1}, 4 * POOL + 4 * 2 * CONNECTION),
        ({"ranks": 4, "gpu_p2p": False, "nccl_cumem_host": True}, 4 * POOL),
        ({"ranks": 1, "gpu_p2p": False}, 0),
        ({"ranks": 1, "job_ranks": 1}, 0),
        ({"ranks": 1, "job_ranks": 16}, POOL),  # alone in its pod, not in the job
        ({"ranks": 1, "job_ranks": 16, "gpu_p2p": False}, POOL),
        ({"ranks": 2, "job_ranks": 1}, 2 * POOL),
        ({"ranks": 8, "process_shm_bytes": "1g", "nccl_communicators": 0}, 8 << 30),
        ({"ranks": 1, "ray_object_store_bytes": "2g"}, 2 << 30),
        ({"ranks": 1, "vllm_ring_buffers": 2}, 2 * 160 * 1024 * 1024),
        ({"ranks": 8, "other_shm_bytes": 7, "nccl_communicators": 0}, 7),
    ],
)
def test_each_is_a_term(values, bytes_) -> None:
    assert total(**values) == bytes_


def test_every_term_says_why() -> None:
    everything = {
        "gpu_p2p": False,
        "ray_object_store_bytes": 1,
        "vllm_ring_buffers": 1,
        "process_shm_bytes": 1,
        "other_shm_bytes": 1,
    }
    terms = list(other_terms(parse(everything)))
    assert [term.id for term in terms] == ["nccl", "nccl-channels", "ray", "vllm", "own", "other"]
    assert all(term.why and term.formula for term in terms)
