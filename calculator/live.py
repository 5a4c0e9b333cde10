"""One loader at work: what it holds in /dev/shm while its iterator is alive.

A DataLoader with workers holds, for each process,

    (prefetch x workers + held + spike) x batch  +  (8 + 3 x workers) pages

where `held` is what the loop still references (1 in a plain `for` loop) and `spike` the
successor of the batch being handed over, which a fast worker can allocate before the old
batch is freed.  With `spike` the sum is the strict bound, never exceeded in any measured
run; without, it is what `df` shows.

Source: measured PyTorch DataLoaders, tests/measured.json.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from calculator.loader import Loader
from calculator.segments import Segments, batch_segments
from calculator.terms import Factor
from calculator.workload import Workload

SPIKE_BATCHES: Final = 1
"""Batches that exist for an instant while one is handed over and its successor is made."""


@dataclass(frozen=True)
class LoaderUse:
    """What one loader of one process puts into /dev/shm; sizes in bytes, page-rounded.

    `queue` are the factors of the batches in its queues: their product is `queued`.
    """

    loader: Loader
    segments: tuple[Segments, ...]
    queue: tuple[Factor, ...]
    held: int
    spike: int
    semaphore_bytes: int

    @property
    def raw_batch_bytes(self) -> int:
        """One batch without page rounding."""
        return sum(each.raw_bytes * each.number for each in self.segments)

    @property
    def batch_bytes(self) -> int:
        """One batch as it occupies /dev/shm."""
        return sum(each.total_bytes for each in self.segments)

    @property
    def tensors(self) -> int:
        """Tensor storages of one batch."""
        return sum(each.number for each in self.segments)

    @property
    def queued(self) -> int:
        """Batches asked for and not yet delivered, at most."""
        product = 1
        for value, _ in self.queue:
            product *= value
        return product

    @property
    def in_flight(self) -> int:
        """Batches that exist at the strict bound."""
        return self.queued + self.held + self.spike

    @property
    def queued_bytes(self) -> int:
        """What waits in the queues."""
        return self.queued * self.batch_bytes

    @property
    def held_bytes(self) -> int:
        """What the loop keeps."""
        return self.held * self.batch_bytes

    @property
    def queue_per_worker_bytes(self) -> int:
        """What one worker has in flight at most."""
        return (self.loader.prefetch if self.loader.num_workers else 0) * self.batch_bytes

    @property
    def steady_bytes(self) -> int:
        """What `df` shows once the queues are full."""
        return self.queued_bytes + self.held_bytes + self.semaphore_bytes

    @property
    def peak_bytes(self) -> int:
        """The strict bound: what must be provided."""
        return self.steady_bytes + self.spike * self.batch_bytes


def loader_use(workload: Workload, loader: Loader) -> LoaderUse:
    """Apply the model to one loader of one process.

    Without workers nothing is pickled and nothing is shared.  With the pinning thread
    what the loop holds is pinned memory, not /dev/shm.
    """
    pinned = workload.pins(loader)
    works = loader.num_workers > 0
    takes_over = loader.queue_size is not None or not pinned
    return LoaderUse(
        loader=loader,
        segments=batch_segments(workload, loader),
        queue=_queue(loader, pinned=pinned),
        held=loader.held_batches if works and not pinned else 0,
        spike=SPIKE_BATCHES if works and takes_over else 0,
        semaphore_bytes=semaphore_pages(loader.num_workers) * workload.page_bytes,
    )


def _queue(loader: Loader, *, pinned: bool) -> tuple[Factor, ...]:
    """Factors of the batches that wait.

    batchgenerators fills one bounded queue from all its processes; a thread of the main
    process moves them to a second one of the same length, pinned or still shared.
    """
    workers = (loader.num_workers, "workers")
    if loader.queue_size is None or not loader.num_workers:
        return (workers, (loader.prefetch, "prefetched"))
    size = (loader.queue_size, "in a queue")
    return (size,) if pinned else ((2, "queues"), size)


def semaphore_pages(workers: int) -> int:
    """Pages for the queues' semaphores, one each; none without workers."""
    return 8 + 3 * workers if workers else 0
