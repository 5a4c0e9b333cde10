"""From the need to the sizes one configures: /dev/shm and container memory."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict

from calculator.errors import InputError
from calculator.live import LoaderUse
from calculator.typed import MAX_BYTES
from calculator.units import GIB, MIB, ceil_to, grow, ladder, size
from calculator.workload import DEFAULT_SHM_BYTES, Workload


class Model(BaseModel):
    """Base of the answer's parts: immutable."""

    model_config = ConfigDict(frozen=True)


# ---------------------------------------------------------------- /dev/shm


class Step(Model):
    """One step from the need to the recommendation."""

    bytes: int
    why: str


def shm_steps(workload: Workload, need: int) -> list[Step]:
    """Return the way from `need` to the recommended size; the last step is it.

    A single process whose need the runtime's default already holds is told to change
    nothing; otherwise the size is a rung of the ladder, 1 GiB at the least.
    """
    roomy = grow(need, workload.headroom)
    steps = [
        Step(bytes=need, why="Sum of the terms"),
        Step(bytes=roomy, why=f"With {workload.headroom:.0%} headroom"),
    ]
    if workload.ranks == 1 and roomy <= DEFAULT_SHM_BYTES:
        why = "The container runtime's default holds it: nothing to change"
        return [*steps, Step(bytes=DEFAULT_SHM_BYTES, why=why)]
    return [*steps, Step(bytes=ladder(roomy), why="Rounded up to the next usual size")]


# ---------------------------------------------------------------- container memory


class Assumption(Model):
    """A figure nobody measured for this job, and how to measure it."""

    name: str
    bytes: int
    measure: str


class Memory(Model):
    """Host memory the container needs, in bytes.

    Pages of /dev/shm are charged to the container's memory, so the limit must hold
    them besides the processes and the pinned copies.
    """

    limit_bytes: int
    shm_bytes: int
    pinned_bytes: int
    process_bytes: int
    given_limit_bytes: int | None
    assumptions: tuple[Assumption, ...]

    @property
    def block_limit_bytes(self) -> int:
        """The limit that configuration blocks carry: the person's own where it is enough."""
        return max(self.limit_bytes, self.given_limit_bytes or 0)


MEASURE_COMMAND: Final = "ps -eo pid,rss,args --sort=-rss | head"


def memory(workload: Workload, uses: tuple[LoaderUse, ...], shm_bytes: int) -> Memory:
    """Size the container's memory limit for a /dev/shm of `shm_bytes`, whole GiB.

    Raises:
        InputError: no machine has that much.
    """
    pinned = workload.ranks * sum(_pinned_bytes(workload, use) for use in uses)
    workers = sum(loader.num_workers for loader in workload.loaders)
    processes = workload.ranks * (
        workload.main_process_bytes + workers * workload.worker_process_bytes
    )
    limit = ceil_to(shm_bytes + pinned + max(processes, MIB), GIB)
    if limit > MAX_BYTES:
        message = f"with this the container needs {size(limit)}: more than any machine has"
        raise InputError.at("worker_process_bytes", message)
    return Memory(
        limit_bytes=limit,
        shm_bytes=shm_bytes,
        pinned_bytes=pinned,
        process_bytes=processes,
        given_limit_bytes=workload.memory_limit,
        assumptions=(
            Assumption(
                name="A training process without its batches",
                bytes=workload.main_process_bytes,
                measure=MEASURE_COMMAND,
            ),
            Assumption(
                name="A worker process",
                bytes=workload.worker_process_bytes,
                measure=MEASURE_COMMAND,
            ),
        ),
    )


def _pinned_bytes(workload: Workload, use: LoaderUse) -> int:
    """Pinned copies of one loader of one process.

    The pinning thread may have drained the whole queue, and the loop holds batches
    besides; PyTorch's caching host allocator rounds each block up to a power of two.
    """
    if not workload.pins(use.loader) or not use.loader.num_workers:
        return 0
    blocks = sum(_power_of_two(each.raw_bytes) * each.number for each in use.segments)
    return (use.queued + use.loader.held_batches + 1) * blocks


def _power_of_two(value: int) -> int:
    return 1 << max(value - 1, 0).bit_length()
