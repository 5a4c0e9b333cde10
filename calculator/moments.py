"""Several loaders: the times of a run at which /dev/shm can be fullest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calculator.live import LoaderUse
from calculator.workload import Schedule, Workload


@dataclass(frozen=True)
class Moment:
    """A time in the run, and what is in /dev/shm then, for one process.

    Attributes:
        active: loaders that deliver batches.
        idle: loaders whose persistent workers keep only their semaphores.
        stalled: loaders left before their end, whose persistent workers keep their queues.
        leftover: loaders whose last batches are still in a variable.
    """

    active: tuple[LoaderUse, ...]
    idle: tuple[LoaderUse, ...] = ()
    stalled: tuple[LoaderUse, ...] = ()
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
        waiting = (*self.idle, *self.stalled)
        return (
            sum(use.semaphore_bytes for use in waiting)
            + sum(use.queued_bytes for use in self.stalled)
            + sum(use.held_bytes for use in self.leftover)
        )


def moments(workload: Workload, uses: Sequence[LoaderUse]) -> list[Moment]:
    """Return the times of the run at which /dev/shm can be fullest.

    Loaders that run one after the other are never full together: an exhausted iterator
    holds no batch.  What remains is the last batch of the first one, if a variable still
    names it, the semaphores of persistent workers, and their queues after an early break.
    """
    if workload.schedule is not Schedule.SEQUENTIAL:
        return [Moment(active=tuple(uses))]
    return [_turn_of(workload, uses, position) for position in range(len(uses))]


def _turn_of(workload: Workload, uses: Sequence[LoaderUse], position: int) -> Moment:
    others = [use for place, use in enumerate(uses) if place != position]
    lasting = [use for use in others if use.loader.persistent_workers]
    first_keeps = workload.last_batch_held and position > 0
    return Moment(
        active=(uses[position],),
        idle=tuple(use for use in lasting if not use.loader.early_breaks),
        stalled=tuple(use for use in lasting if use.loader.early_breaks),
        leftover=tuple(uses[:1]) if first_keeps else (),
    )
