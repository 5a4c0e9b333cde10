"""How the lab's loaders are made and gone through, as a case says.

Runs where PyTorch is, in the process that job.py starts for it.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import probes
import samples
import torch
from torch.utils.data import DataLoader

QUIET_SECONDS = 0.08
"""A /dev/shm that has not changed for so long is what the workers make of it."""


def loader_workers(case: dict[str, Any]) -> list[int]:
    """Return the workers of each loader of the case."""
    several = case.get("scenario") in {"two_loaders", "interleaved"}
    return [case["workers"], *([case.get("val_workers", case["workers"])] if several else [])]


def make(case: dict[str, Any], workers: int, folder: Path) -> Any:
    """Make a loader as the case says."""
    batch = case["batch"] if case["collate"] != "none" else None
    count = (3 * max(workers, 1) * (case.get("prefetch") or 2) + 2) * case.get("rounds", 1)
    kind = samples.Flow if case.get("dataset") == "iter" else samples.Items
    number = count * (batch or 1) - (1 if case.get("ragged_last_batch") else 0)
    if case["collate"] == "none":
        case = {**case, "batch": None}
    settings = {key: case[key] for key in ("in_order", "drop_last", "timeout") if key in case}
    return DataLoader(
        kind(case, number),
        batch_size=batch,
        num_workers=workers,
        prefetch_factor=case.get("prefetch") or 2,
        collate_fn=samples.COLLATES.get(case["collate"]),
        persistent_workers=case.get("persistent", False),
        multiprocessing_context=case.get("context", "fork"),
        worker_init_fn=partial(start_worker, str(folder), case.get("strategy", "")),
        **settings,
    )


def start_worker(folder: str, strategy: str, worker: int) -> None:
    """Prepare a worker as the case says, and look."""
    if strategy:
        torch.multiprocessing.set_sharing_strategy(strategy)
    torch.set_num_threads(1)
    probes.install(folder, worker)


def consume(case: dict[str, Any], loaders: list[Any], folder: Path) -> None:
    """Go through the loaders as the case says."""
    if case.get("scenario") == "interleaved":
        for number, _batch in enumerate(steps(case, loaders[0], folder)):
            if number == 3:
                epoch(case, loaders[1], folder)
        return
    last = [epoch(case, loader, folder) for loader in loaders[:1]]
    if not case.get("hold_last"):
        last.clear()
    for loader in loaders[1:]:
        epoch(case, loader, folder)


def epoch(case: dict[str, Any], loader: Any, folder: Path) -> Any:
    """Go through one loader; return the last batch."""
    if case.get("pattern") == "next_del_first":
        return delete_first(case, loader, folder)
    kept: list[Any] = []
    batch = None
    for batch in steps(case, loader, folder):
        if case.get("pattern") == "keep_all":
            kept = [*kept, batch][-case["kept_batches"] :]
    return batch


def delete_first(case: dict[str, Any], loader: Any, folder: Path) -> None:
    """Drop each batch before the next one is asked for."""
    iterator = iter(loader)
    for _ in range(len(loader)):
        batch = next(iterator)
        tick(case, folder)
        del batch


def steps(case: dict[str, Any], loader: Any, folder: Path) -> Any:
    """Yield batches, each after the workers have made all that they were asked for.

    A generator would hold the batch beside the loop's own variable: this iterator does not.
    """
    return Steps(case, iter(loader), folder)


class Steps:
    """The iterator of `steps`."""

    def __init__(self, case: dict[str, Any], iterator: Any, folder: Path) -> None:
        self.case, self.iterator, self.folder = case, iterator, folder
        self.asked = False

    def __iter__(self) -> Steps:
        return self

    def __next__(self) -> Any:
        if self.asked:
            tick(self.case, self.folder)
        self.asked = True
        return next(self.iterator)


def tick(case: dict[str, Any], folder: Path) -> None:
    """Note that a batch has come, and be slow."""
    with (folder / "batches").open("a") as file:
        file.write(".")
    if case.get("consumer") != "fast":
        probes.settle(QUIET_SECONDS)
