"""Other users of the same /dev/shm, each a term of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from calculator.footprint import Term
from calculator.units import count
from calculator.workload import Workload

NCCL_PROXY_POOL_BYTES: Final = 33_030_528
"""One NCCL proxy operation pool: each rank of a communicator creates one in /dev/shm.

Source: nccl `src/proxy.cc` proxyProgressInit; size as reported in ai-dynamo/dynamo#1408.
"""


def other_terms(workload: Workload) -> Iterable[Term]:
    """Yield what else takes room in the /dev/shm of this job."""
    if workload.ranks > 1:
        yield Term(
            id="nccl",
            name="NCCL",
            bytes=workload.ranks * NCCL_PROXY_POOL_BYTES,
            formula=f"{workload.ranks} ranks × {count(NCCL_PROXY_POOL_BYTES)} bytes of proxy pool",
            why="Each rank's proxy thread keeps its operation pool there; "
            "GPUs are taken to reach each other directly (P2P).",
        )
    if workload.other_shm_bytes:
        yield Term(
            id="other",
            name="Your own use",
            bytes=workload.other_shm_bytes,
            formula=f"{count(workload.other_shm_bytes)} bytes",
            why="What you said you keep there besides.",
        )
