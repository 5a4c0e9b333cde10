"""The memory model: what a job's DataLoaders put into /dev/shm, as named terms.

One loader with workers holds, for each process,

    (prefetch x workers + held + spike) x batch  +  (8 + 3 x workers) pages

where `batch` sums the distinct tensor storages of one collated batch, each rounded up
to whole pages.  `held` is what the loop still references (1 in a plain `for` loop);
`spike` is the successor of the batch being handed over, which a fast worker can
allocate before the old batch is freed.  With `spike` the sum is the strict bound, never
exceeded in any measured run; without, it is what `df` shows.

Source: measured PyTorch DataLoaders, tests/measured.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, ConfigDict

from calculator.loader import Collate, Loader
from calculator.sample import Kind, SampleField
from calculator.units import ceil_to, count
from calculator.workload import Schedule, StartMethod, Strategy, Workload

SPIKE_BATCHES: Final = 1
"""Batches that exist for an instant while one is handed over and its successor is made."""

REFCOUNT_HEADER_BYTES: Final = 64
"""What `file_system` puts before each storage (MapAllocator.cpp, map_alloc_alignment)."""


class Term(BaseModel):
    """One summand of the need.

    `formula` is exact: the product of the whole numbers in it is `bytes`.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    bytes: int
    formula: str
    why: str


# ---------------------------------------------------------------- one batch


@dataclass(frozen=True)
class Segments:
    """Equal shared-memory segments of one batch: one tensor storage each."""

    raw_bytes: int
    page_bytes: int
    number: int

    @property
    def total_bytes(self) -> int:
        """What all of them occupy, page-rounded."""
        return self.page_bytes * self.number


def batch_segments(workload: Workload, loader: Loader) -> list[Segments]:
    """Return the segments that one collated batch of `loader` consists of.

    `default_collate` and `torch.stack` make one tensor per field; a list collate sends
    each sample's tensor as it is; numpy arrays, lists and text go through a pipe.
    """
    found = (_field_segments(workload, loader, field) for field in loader.fields)
    return [segments for segments in found if segments is not None]


def _field_segments(workload: Workload, loader: Loader, field: SampleField) -> Segments | None:
    if field.kind is Kind.STR or loader.collate is Collate.NUMPY:
        return None
    if loader.collate is Collate.LIST:
        if field.kind is not Kind.TENSOR:
            return None
        raw, number = field.item_bytes, loader.batch_size
    else:
        raw, number = field.item_bytes * loader.batch_size, 1
    header = REFCOUNT_HEADER_BYTES if workload.sharing_strategy is Strategy.FILE_SYSTEM else 0
    return Segments(raw, ceil_to(raw + header, workload.page_bytes), number)


# ---------------------------------------------------------------- one loader


@dataclass(frozen=True)
class LoaderUse:
    """What one loader of one process puts into /dev/shm while its iterator is alive.

    Sizes are bytes, page-rounded unless they are called raw.
    """

    loader: Loader
    segments: tuple[Segments, ...]
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
        return self.loader.num_workers * self.loader.prefetch

    @property
    def queue_per_worker_bytes(self) -> int:
        """What one worker has in flight at most."""
        return (self.loader.prefetch if self.loader.num_workers else 0) * self.batch_bytes

    @property
    def steady_bytes(self) -> int:
        """What `df` shows once the queues are full."""
        return (self.queued + self.held) * self.batch_bytes + self.semaphore_bytes

    @property
    def peak_bytes(self) -> int:
        """The strict bound: what must be provided."""
        return self.steady_bytes + self.spike * self.batch_bytes


def loader_use(workload: Workload, loader: Loader) -> LoaderUse:
    """Apply the model to one loader of one process.

    Without workers nothing is pickled and nothing is shared.  With the pinning thread
    what the loop holds is pinned memory, not /dev/shm.
    """
    workers = loader.num_workers
    pinned = workload.pins(loader)
    return LoaderUse(
        loader=loader,
        segments=tuple(batch_segments(workload, loader)),
        held=0 if pinned or not workers else loader.held_batches,
        spike=0 if pinned or not workers else SPIKE_BATCHES,
        semaphore_bytes=semaphore_pages(workers) * workload.page_bytes,
    )


def semaphore_pages(workers: int) -> int:
    """Pages for the queues' semaphores, one each; none without workers."""
    return 8 + 3 * workers if workers else 0


# ---------------------------------------------------------------- several loaders


@dataclass(frozen=True)
class Moment:
    """A time in the run, and what is in /dev/shm then, for one process.

    `active` loaders deliver batches, `idle` ones only keep their workers' semaphores,
    and of `leftover` ones the last batches are still in a variable.
    """

    active: tuple[LoaderUse, ...]
    idle: tuple[LoaderUse, ...] = ()
    leftover: tuple[LoaderUse, ...] = ()

    @property
    def steady_bytes(self) -> int:
        """Bytes as `df` shows them."""
        return self._around + sum(use.steady_bytes for use in self.active)

    @property
    def peak_bytes(self) -> int:
        """Bytes at the strict bound."""
        return self._around + sum(use.peak_bytes for use in self.active)

    @property
    def _around(self) -> int:
        return sum(use.semaphore_bytes for use in self.idle) + sum(
            use.held * use.batch_bytes for use in self.leftover
        )


def moments(workload: Workload, uses: Sequence[LoaderUse]) -> list[Moment]:
    """Return the times of the run at which /dev/shm can be fullest.

    Loaders that run one after the other are never full together: an exhausted iterator
    holds no batch.  What remains of the first one is its last batch, if a variable still
    names it, and the semaphores of persistent workers.
    """
    if workload.schedule is not Schedule.SEQUENTIAL:
        return [Moment(active=tuple(uses))]
    first = uses[:1] if workload.last_batch_held else ()
    return [
        Moment(
            active=(use,),
            idle=tuple(
                other for other in uses if other is not use and other.loader.persistent_workers
            ),
            leftover=tuple(other for other in first if other is not use),
        )
        for use in uses
    ]


# ---------------------------------------------------------------- the whole job


@dataclass(frozen=True)
class Footprint:
    """What the DataLoaders of all processes put into the /dev/shm they share.

    Attributes:
        uses: one entry per loader, for one process.
        peak_bytes: the strict bound, all processes.
        steady_bytes: what `df` shows, all processes.
        terms: summands of `peak_bytes`.
    """

    uses: tuple[LoaderUse, ...]
    peak_bytes: int
    steady_bytes: int
    terms: tuple[Term, ...]


def footprint(workload: Workload) -> Footprint:
    """Apply the memory model to a job."""
    uses = tuple(loader_use(workload, loader) for loader in workload.loaders)
    times = moments(workload, uses)
    fullest = max(times, key=lambda moment: moment.peak_bytes)
    resident = resident_bytes(workload)
    terms = [*_moment_terms(workload.ranks, fullest), *_resident_term(workload.ranks, resident)]
    return Footprint(
        uses=uses,
        peak_bytes=workload.ranks * (fullest.peak_bytes + resident),
        steady_bytes=workload.ranks * (max(m.steady_bytes for m in times) + resident),
        terms=tuple(term for term in terms if term.bytes),
    )


def resident_bytes(workload: Workload) -> int:
    """Bytes that a process's dataset keeps in /dev/shm, whatever the loader does.

    Under spawn and forkserver pickling the dataset to the workers moves its tensors
    there once per process; under fork they are inherited.
    """
    if workload.effective_start_method is StartMethod.FORK:
        return 0
    if not any(loader.num_workers for loader in workload.loaders):
        return 0
    return ceil_to(workload.dataset_tensor_bytes, workload.page_bytes)


def _moment_terms(ranks: int, moment: Moment) -> Iterable[Term]:
    several = len(moment.active) + len(moment.leftover) > 1
    for use in moment.active:
        yield from _loader_terms(ranks, use, f" ({use.loader.name})" if several else "")
    for use in moment.leftover:
        yield Term(
            id=f"leftover-{use.loader.name}",
            name=f"Last batch of {use.loader.name}",
            bytes=ranks * use.held * use.batch_bytes,
            formula=_formula(ranks, (use.held, "held"), (use.batch_bytes, "bytes a batch")),
            why="The loop variable still names it while the other loader runs.",
        )
    for use in moment.idle:
        yield Term(
            id=f"idle-{use.loader.name}",
            name=f"Idle workers of {use.loader.name}",
            bytes=ranks * use.semaphore_bytes,
            formula=_formula(ranks, (use.semaphore_bytes, "bytes of semaphores")),
            why="persistent_workers keeps their queues between epochs; no batch stays in them.",
        )


def _loader_terms(ranks: int, use: LoaderUse, suffix: str) -> Iterable[Term]:
    loader = use.loader
    batch = (use.batch_bytes, "bytes a batch")
    yield Term(
        id=f"queued-{loader.name}",
        name=f"Queued batches{suffix}",
        bytes=ranks * use.queued * use.batch_bytes,
        formula=_formula(
            ranks, (loader.num_workers, "workers"), (loader.prefetch, "prefetched"), batch
        ),
        why="Each worker may have prefetch_factor batches made or in the making; "
        "PyTorch asks for no more until one is taken.",
    )
    yield Term(
        id=f"held-{loader.name}",
        name=f"Held by your loop{suffix}",
        bytes=ranks * use.held * use.batch_bytes,
        formula=_formula(ranks, (use.held, "held"), batch),
        why="The batch in use keeps its shared memory until the variable is rebound.",
    )
    yield Term(
        id=f"handover-{loader.name}",
        name=f"Being handed over{suffix}",
        bytes=ranks * use.spike * use.batch_bytes,
        formula=_formula(ranks, (use.spike, "handed over"), batch),
        why="A fast worker starts the next batch before the old one is freed: "
        "df rarely shows it, a crash does.",
    )
    yield Term(
        id=f"semaphores-{loader.name}",
        name=f"Queues and semaphores{suffix}",
        bytes=ranks * use.semaphore_bytes,
        formula=_formula(ranks, (use.semaphore_bytes, "bytes of semaphores")),
        why="Every lock and queue of the loader takes one page: 8, and 3 more per worker.",
    )


def _resident_term(ranks: int, resident: int) -> Iterable[Term]:
    yield Term(
        id="dataset",
        name="Tensors held by the dataset",
        bytes=ranks * resident,
        formula=_formula(ranks, (resident, "bytes")),
        why="spawn and forkserver move them to /dev/shm once per process; they stay.",
    )


def _formula(ranks: int, *factors: tuple[int, str]) -> str:
    of_all = ((ranks, "ranks"), *factors) if ranks > 1 else factors
    return " × ".join(f"{count(value)} {what}" for value, what in of_all)
