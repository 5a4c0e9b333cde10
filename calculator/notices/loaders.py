"""Notices about loaders: queues, and batches that stay."""

from __future__ import annotations

from calculator.loader import DEFAULT_PREFETCH
from calculator.notices.base import Case, Notice, first, notice, tip
from calculator.units import count
from calculator.workload import Schedule


def workers_zero(case: Case) -> Notice | None:
    """Without workers a DataLoader shares nothing."""
    loaders = case.sizing.workload.loaders
    if any(loader.num_workers for loader in loaders):
        return None
    text = (
        "With num_workers=0 the main process loads the data itself: the DataLoader uses "
        "nothing of /dev/shm, and PyTorch refuses a prefetch_factor beside it."
    )
    return notice("workers_zero", text, "pytorch-dataloader", level="tip")


def batches_kept(case: Case) -> Notice | None:
    """Batches the loop collects keep their shared memory."""
    position = first(case, lambda loader: loader.num_workers and loader.held_batches > 1)
    if position is None:
        return None
    held = case.sizing.workload.loaders[position].held_batches
    text = (
        f"You keep {count(held)} batches: each holds its shared memory and its open files until "
        "you drop it. Clone what you need and let the batch go."
    )
    fix = case.fix("Keep one", {f"loaders.{position}.held_batches": 1})
    return notice("batches_kept", text, "measured", fix)


def loaders_alive_together(case: Case) -> Notice | None:
    """Several loaders are full at once."""
    workload = case.sizing.workload
    if len(workload.loaders) == 1 or workload.schedule is Schedule.SEQUENTIAL:
        return None
    if workload.schedule is Schedule.ALWAYS:
        text = (
            "The loaders never end, so their queues add up for the whole run: give validation "
            "fewer workers than training."
        )
        changes = {
            f"loaders.{position}.num_workers": 1
            for position, loader in enumerate(workload.loaders)
            if position and loader.num_workers > 1
        }
        fix = case.fix("One worker each", changes) if changes else None
        return notice("loaders_alive_together", text, "measured", fix, level="tip")
    text = (
        "The loaders are alive at the same time, so their queues add up. Run validation after "
        "the epoch instead, and they take turns."
    )
    fix = case.fix("One after the other", {"schedule": Schedule.SEQUENTIAL.value})
    return notice("loaders_alive_together", text, "measured", fix)


def deep_prefetch(case: Case) -> Notice | None:
    """A deep queue costs memory and only evens out bursts."""
    position = first(case, lambda loader: loader.num_workers and loader.prefetch > DEFAULT_PREFETCH)
    if position is None:
        return None
    text = (
        f"prefetch_factor above {DEFAULT_PREFETCH} deepens every worker's queue: "
        "it evens out bursts, no more."
    )
    fix = case.fix(
        f"prefetch_factor={DEFAULT_PREFETCH}",
        {f"loaders.{position}.prefetch_factor": DEFAULT_PREFETCH},
    )
    return tip("deep_prefetch", text, "pytorch-dataloader", fix, case)


def stalled_queue(case: Case) -> Notice | None:
    """A loop left early keeps its queue while persistent workers live."""
    several = len(case.sizing.workload.loaders) > 1
    position = first(case, lambda loader: loader.early_breaks and loader.persistent_workers)
    if position is None or not several:
        return None
    text = (
        "Left before its end, a loader with persistent workers keeps what it prefetched until its "
        "next epoch starts: it adds to the loader that runs meanwhile."
    )
    fix = case.fix("Without persistent workers", {f"loaders.{position}.persistent_workers": False})
    return notice("stalled_queue", text, "measured", fix)
