"""How /dev/shm fills, batch by batch, until the strict bound, and where it runs out.

The order is that of equally fast workers and processes: what is there before, then the
first batch of every worker, worker after worker and each in all processes, then their
second; then the loop takes one, which its worker replaces; last the successor of the
batch that is being handed over.  Other speeds give another order of the same batches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from calculator.footprint import dataset_bytes
from calculator.live import LoaderUse
from calculator.sizing import Sizing
from calculator.terms import Term

COMING: Final = frozenset({"queued", "held", "handover"})
"""Kinds of terms that consist of the batches that come one after the other."""

ALLOWED_FOR: Final = "nccl"
"""The term that is counted always and not there in every job."""


@dataclass(frozen=True)
class Place:
    """One batch in the order: which it is, whose, and in which process; all from 1.

    `worker` is None where workers share a queue and where the loop takes batches.
    """

    batch: int
    worker: int | None
    process: int


@dataclass(frozen=True)
class Phase:
    """Equal steps: in each step one batch of one process comes.

    Attributes:
        kind: what the batches become, as terms have it: `queued`, `held`, `handover`.
        loader: name of the loader.
        workers: that make a batch each in turn; 0 where nobody can say whose it is.
        processes: that take turns.
        skipped: batches of this loader and kind that came before, of one process.
        steps: batches of all processes.
        step_bytes: what one step adds.
        start_bytes: what is there before the first of them.
    """

    kind: str
    loader: str
    workers: int
    processes: int
    skipped: int
    steps: int
    step_bytes: int
    start_bytes: int = 0

    @property
    def end_bytes(self) -> int:
        """What is there after the last of them."""
        return self.after(self.steps)

    def after(self, steps: int) -> int:
        """Return what is there after the first `steps` of them, in bytes."""
        return self.start_bytes + steps * self.step_bytes

    def place(self, step: int) -> Place:
        """Say which batch comes in a step, counted from 0."""
        turn, process = divmod(step, self.processes)
        turn += self.skipped
        if not self.workers:
            return Place(batch=turn + 1, worker=None, process=process + 1)
        batch, worker = divmod(turn, self.workers)
        return Place(batch=batch + 1, worker=worker + 1, process=process + 1)


@dataclass(frozen=True)
class Stop:
    """The first batch that does not fit.

    Attributes:
        phase: the phase it comes in.
        step: its position there, from 0.
        fitting: batches that came before it.
        room_bytes: what is left for it.
    """

    phase: Phase
    step: int
    fitting: int
    room_bytes: int

    @property
    def place(self) -> Place:
        """Which batch it is, if all are equally fast."""
        return self.phase.place(self.step)


@dataclass(frozen=True)
class Filling:
    """How the /dev/shm of a job fills at the fullest time of its run; all processes, bytes.

    Attributes:
        before: terms that are there before the first batch; they sum to `before_bytes`.
        phases: the batches that come, in order; the last ends with `need_bytes`.
        steady_bytes: with full queues, as `df` shows it.
        current_bytes: the size one has.
        full_before: whether that does not even hold what is there before.
        stop: the first batch that does not fit; None where all do, or none may come.
        allowed: the term without which the first batches would fit, if it is such a term
            that leaves no room; `stop` is then where it ends without this term.
    """

    before: tuple[Term, ...]
    before_bytes: int
    phases: tuple[Phase, ...]
    need_bytes: int
    steady_bytes: int
    current_bytes: int
    recommended_bytes: int
    full_before: bool
    allowed: Term | None
    stop: Stop | None

    @property
    def processes(self) -> int:
        """Processes that share it."""
        return self.phases[0].processes if self.phases else 0

    @property
    def batches(self) -> int:
        """Batches that are there at the strict bound."""
        return sum(phase.steps for phase in self.phases)

    @property
    def in_any_order(self) -> bool:
        """Whether the number of batches that fit is the same in every order."""
        return len({phase.step_bytes for phase in self.phases}) == 1


def filling(sizing: Sizing) -> Filling:
    """Tell how the /dev/shm of a job fills."""
    phases = list(_phases(sizing))
    before = sizing.need_bytes - sum(each.steps * each.step_bytes for each in phases)
    placed = tuple(_placed(phases, before))
    current = sizing.workload.current_shm
    allowed = _allowed(sizing, before)
    spared = allowed.bytes if allowed else 0
    full = before > current
    fullest = sizing.footprint.fullest
    spikes = sum(use.peak_bytes - use.steady_bytes for use in fullest.active)
    return Filling(
        before=tuple(_before(sizing, placed)),
        before_bytes=before,
        phases=placed,
        need_bytes=sizing.need_bytes,
        steady_bytes=sizing.need_bytes - sizing.workload.ranks * spikes,
        current_bytes=current,
        recommended_bytes=sizing.recommended_bytes,
        full_before=full,
        allowed=allowed,
        stop=_stop(placed, current + spared) if not full or allowed else None,
    )


def _allowed(sizing: Sizing, before: int) -> Term | None:
    """Return the term that is only allowed for, where without it there is room at first."""
    current = sizing.workload.current_shm
    for term in sizing.terms:
        if term.id == ALLOWED_FOR and before - term.bytes <= current < before:
            return term
    return None


def _before(sizing: Sizing, phases: tuple[Phase, ...]) -> Iterator[Term]:
    """Yield the terms of what is there before the first batch."""
    carried = {f"dataset-{phase.loader}" for phase in phases if _carries(sizing, phase.loader)}
    for term in sizing.terms:
        if term.id.partition("-")[0] not in COMING and term.id not in carried:
            yield term


def _phases(sizing: Sizing) -> Iterator[Phase]:
    """Yield what comes at the fullest time, in order; those that take no room are left out."""
    active = sizing.footprint.fullest.active
    ranks = sizing.workload.ranks
    found = [
        *(each for use in active for each in _steady(sizing, use)),
        *(_phase(use, "handover", ranks, use.spike) for use in active),
    ]
    return (each for each in found if each.steps and each.step_bytes)


def _steady(sizing: Sizing, use: LoaderUse) -> Iterator[Phase]:
    """Yield the batches of one loader until its queues are full and the loop holds its own.

    Workers that return the dataset's own tensors move all of them with their first batch.
    """
    ranks, first = sizing.workload.ranks, 0
    if _carries(sizing, use.loader.name) and use.loader.moves_dataset:
        first = use.loader.num_workers
        once = _phase(use, "queued", ranks, first)
        yield replace(once, step_bytes=once.step_bytes + dataset_bytes(sizing.workload))
    yield replace(_phase(use, "queued", ranks, use.queued - first), skipped=first)
    yield _phase(use, "held", ranks, use.held)


def _carries(sizing: Sizing, loader: str) -> bool:
    """Whether the first batches of a loader at work bring the dataset."""
    uses = [use for use in sizing.footprint.fullest.active if use.loader.name == loader]
    moved = any(term.id == f"dataset-{loader}" for term in sizing.terms)
    return moved and all(use.loader.queue_size is None for use in uses)


def _phase(use: LoaderUse, kind: str, ranks: int, batches: int) -> Phase:
    told_apart = kind == "queued" and use.loader.queue_size is None
    return Phase(
        kind=kind,
        loader=use.loader.name,
        workers=use.loader.num_workers if told_apart else 0,
        processes=ranks,
        skipped=0,
        steps=batches * ranks,
        step_bytes=use.batch_bytes,
    )


def _placed(phases: list[Phase], start: int) -> Iterator[Phase]:
    for phase in phases:
        yield replace(phase, start_bytes=start)
        start += phase.steps * phase.step_bytes


def _stop(phases: tuple[Phase, ...], room: int) -> Stop | None:
    """Return the first batch that does not fit into `room` bytes."""
    fitting = 0
    for phase in phases:
        if phase.end_bytes > room:
            step = (room - phase.start_bytes) // phase.step_bytes
            left = room - phase.after(step)
            return Stop(phase=phase, step=step, fitting=fitting + step, room_bytes=left)
        fitting += phase.steps
    return None
