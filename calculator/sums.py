"""The need as a sum of this job's own numbers: what multiplies to what, loader by loader.

Everything is a whole number, so whoever multiplies and adds gets the bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from calculator.live import LoaderUse
from calculator.loader import Loader
from calculator.moments import Moment
from calculator.recommend import Step
from calculator.sizing import Sizing, size_job
from calculator.terms import Factor, Term
from calculator.workload import Workload


@dataclass(frozen=True)
class Share:
    """What one loader of one process has in /dev/shm at the fullest moment.

    Attributes:
        loader: its name.
        works: whether it delivers batches then; otherwise this is what stays of it.
        queue: factors of the batches that wait; none where none waits.
        queued: their product.
        held: batches that the loop holds.
        handed: batches being handed over.
        batch_bytes: one batch, page-rounded.
        pages: pages of its semaphores.
        page_bytes: size of a page.
    """

    loader: str
    works: bool
    queue: tuple[Factor, ...]
    queued: int
    held: int
    handed: int
    batch_bytes: int
    pages: int
    page_bytes: int

    @property
    def batches(self) -> int:
        """Batches that exist."""
        return self.queued + self.held + self.handed

    @property
    def batches_bytes(self) -> int:
        """What the batches occupy."""
        return self.batches * self.batch_bytes

    @property
    def semaphore_bytes(self) -> int:
        """What the semaphores occupy."""
        return self.pages * self.page_bytes

    @property
    def bytes(self) -> int:
        """All of it."""
        return self.batches_bytes + self.semaphore_bytes


@dataclass(frozen=True)
class Addition:
    """A term beside the loaders, and the sum so far with it, in bytes."""

    term: Term
    sum_bytes: int


@dataclass(frozen=True)
class Sum:
    """The whole way from the batches to the size to configure, in bytes.

    `shares` are those of one process, `absent` the loaders that have nothing there then.
    """

    shares: tuple[Share, ...]
    absent: tuple[Loader, ...]
    process_bytes: int
    ranks: int
    processes_bytes: int
    additions: tuple[Addition, ...]
    steps: tuple[Step, ...]


def add_up(workload: Workload) -> Sum:
    """Return the need of a job as a sum."""
    sizing = size_job(workload)
    every = _every(sizing)
    process = sum(share.bytes for share in every)
    pairs = zip(workload.loaders, every, strict=True)
    return Sum(
        shares=tuple(share for share in every if share.bytes),
        absent=tuple(loader for loader, share in pairs if not share.bytes),
        process_bytes=process,
        ranks=workload.ranks,
        processes_bytes=workload.ranks * process,
        additions=_additions(sizing, workload.ranks * process),
        steps=sizing.steps,
    )


def _every(sizing: Sizing) -> list[Share]:
    moment, page = sizing.footprint.fullest, sizing.workload.page_bytes
    return [_share(moment, use, page) for use in sizing.footprint.uses]


def _share(moment: Moment, use: LoaderUse, page: int) -> Share:
    works = _among(moment.active, use)
    waits = works or _among(moment.stalled, use)
    alive = waits or _among(moment.idle, use)
    return Share(
        loader=use.loader.name,
        works=works,
        queue=use.queue if waits and use.queued else (),
        queued=use.queued if waits else 0,
        held=use.held if works or _among(moment.leftover, use) else 0,
        handed=use.spike if works else 0,
        batch_bytes=use.batch_bytes,
        pages=use.semaphore_bytes // page if alive else 0,
        page_bytes=page,
    )


def _among(uses: tuple[LoaderUse, ...], use: LoaderUse) -> bool:
    return any(each is use for each in uses)  # two loaders may be alike


def _additions(sizing: Sizing, start: int) -> tuple[Addition, ...]:
    found, total = [], start
    for term in sizing.beside:
        total += term.bytes
        found.append(Addition(term, total))
    return tuple(found)
