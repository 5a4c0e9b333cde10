"""Other users of the same /dev/shm, each a term of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from calculator.terms import Term, term
from calculator.units import KIB, MIB, ceil_to
from calculator.workload import Workload

NCCL_PROXY_POOL_BYTES: Final = 33_030_528
"""One NCCL proxy operation pool: each rank of a communicator creates one in /dev/shm.

Source: nccl `src/proxy.cc` proxyProgressInit; size as reported in ai-dynamo/dynamo#1408.
"""

NCCL_SEND_BYTES: Final = 4 * KIB
NCCL_RECEIVE_BYTES: Final = 4 * KIB + 512 * KIB + 4800 * KIB + 4096 * KIB
"""Buffers of one NCCL shared-memory connection: control, LL, LL128, NCCL_BUFFSIZE.

Source: nccl `src/transport/shm.cc`, default buffer sizes in `src/init.cc`; logs say
`(size 9637888)` for the receiving side.
"""

NCCL_FILE_TAIL: Final = 4
"""NCCL keeps a reference count behind each segment."""

VLLM_RING_BUFFER_BYTES: Final = 160 * MIB
"""A vLLM message queue: chunks of 16 MiB, ten of them.

Source: vllm `distributed/device_communicators/shm_broadcast.py`; older versions 100 MiB.
"""


def other_terms(workload: Workload) -> Iterable[Term]:
    """Yield what else takes room in the /dev/shm of this job."""
    found = (
        *_nccl_terms(workload),
        term(
            "ray",
            "Ray object store",
            [(workload.ray_object_store_bytes, "bytes")],
            "Ray keeps its objects in the same /dev/shm, all processes of the node together.",
            "ray-store-code",
        ),
        term(
            "vllm",
            "vLLM ring buffers",
            [
                (workload.vllm_ring_buffers, "buffers"),
                (VLLM_RING_BUFFER_BYTES, "bytes"),
            ],
            "Message queues of a multi-process executor.",
            "vllm-ring-buffer",
        ),
        term(
            "own",
            "Each process's own use",
            [(workload.ranks, "ranks"), (workload.process_shm_bytes, "bytes")],
            "What you said every training process keeps there for itself.",
            "linux-shm",
        ),
        term(
            "other",
            "Your own use",
            [(workload.other_shm_bytes, "bytes")],
            "What you said you keep there besides.",
            "linux-shm",
        ),
    )
    return (each for each in found if each.bytes)


def _nccl_terms(workload: Workload) -> Iterable[Term]:
    if not workload.distributed:
        return
    ranks = (workload.ranks, "ranks")
    communicators = (workload.nccl_communicators, "communicators")
    pool = (NCCL_PROXY_POOL_BYTES, "bytes of proxy pool")
    several = [communicators] if workload.nccl_communicators != 1 else []
    yield term(
        "nccl",
        "NCCL",
        [ranks, *several, pool],
        "Where NCCL needs its proxy thread, as between nodes, each rank keeps the thread's "
        "operation pool there, one a communicator; allowed for always.",
        "nccl-proxy-pool",
    )
    if workload.ranks > 1 and not workload.gpu_p2p and not workload.nccl_cumem_host:
        yield term(
            "nccl-channels",
            "NCCL channels through memory",
            [
                ranks,
                *several,
                (workload.nccl_channels, "channels"),
                (2, "directions"),
                (nccl_connection_bytes(workload.page_bytes), "bytes a connection"),
            ],
            "Without peer access between the GPUs their data passes through /dev/shm; "
            "both neighbours of a ring are counted.",
            "nccl-shm",
        )


def nccl_connection_bytes(page: int) -> int:
    """Bytes of one connection: the files of both sides, each rounded to pages."""
    sides = (NCCL_SEND_BYTES, NCCL_RECEIVE_BYTES)
    return sum(ceil_to(side + NCCL_FILE_TAIL, page) for side in sides)
