"""One container, or pod, of the job: the processes that share one /dev/shm, and its sizes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from calculator.descriptors import Descriptors, descriptors
from calculator.recommend import Memory, memory
from calculator.sizing import Sizing


class Sharing(StrEnum):
    """Which processes a platform's launcher puts behind one /dev/shm."""

    ALL = "all"
    """Those that the workload counts as its ranks: one container holds them."""
    POD = "pod"
    """One process a pod, unless the person says how many."""


@dataclass(frozen=True)
class Container:
    """The processes that share one /dev/shm, and what it takes to hold them.

    Attributes:
        sizing: of the processes in one such container.
        shm_bytes: /dev/shm to configure.
        memory: host memory it needs.
        descriptors: open files of its processes.
        number: how many such containers the job consists of.
    """

    sizing: Sizing
    shm_bytes: int
    memory: Memory
    descriptors: Descriptors
    number: int

    @property
    def ranks(self) -> int:
        """Training processes in it."""
        return self.sizing.workload.ranks


def container(sizing: Sizing, sharing: Sharing, shm_bytes: int | None = None) -> Container:
    """Size one container of the job.

    Args:
        sizing: of the job as the person describes it.
        sharing: what the platform's launcher does.
        shm_bytes: configure this size instead of the recommended one.
    """
    workload = sizing.workload
    total = max(workload.ranks, workload.job_ranks or 1)
    if sharing is Sharing.POD:
        said = workload.deployment
        ranks = min(said.ranks_per_pod or said.processes or 1, total)
        sizing = _with_ranks(sizing, ranks, total)
    size = shm_bytes or sizing.recommended_bytes
    found = sizing.footprint
    return Container(
        sizing=sizing,
        shm_bytes=size,
        memory=memory(sizing.workload, found.uses, size),
        descriptors=descriptors(sizing.workload, found),
        number=-(-total // sizing.workload.ranks),
    )


def _with_ranks(sizing: Sizing, ranks: int, total: int) -> Sizing:
    """Size the same job with fewer processes in a container.

    The memory limit that was given is that of all of them together, so it says nothing
    about one.
    """
    if ranks == sizing.workload.ranks:
        return sizing
    return sizing.what_if({"ranks": ranks, "job_ranks": total, "memory_limit": None})
