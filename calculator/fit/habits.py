"""Changes that cost little in the code: what is kept, for how long, and what runs when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from calculator.fit.model import Group
from calculator.fit.search import Move, Search
from calculator.loader import Loader
from calculator.workload import Schedule, StartMethod, Strategy, Workload

_move = partial(Move, group=Group.HABITS)


def habits(search: Search) -> Iterator[Move]:
    """Changes of the job and of its loaders, those that cost least first."""
    yield from _of_the_job(search.workload)
    for habit in _OF_LOADERS:
        changes = {
            f"loaders.{position}.{habit.key}": habit.value
            for position, loader in enumerate(search.workload.loaders)
            if loader.num_workers and habit.applies(loader)
        }
        if changes and not (habit.key == "pin_memory" and not search.workload.accelerator):
            yield _move(kind=habit.key, label=habit.label, costs=habit.costs, changes=changes)


def _of_the_job(workload: Workload) -> Iterator[Move]:
    several = len(workload.loaders) > 1
    in_turn = workload.schedule is Schedule.SEQUENTIAL
    if several and not in_turn:
        yield _move(
            kind="schedule",
            label="One loader after the other",
            costs="Validation waits for the end of the epoch.",
            changes={"schedule": Schedule.SEQUENTIAL.value},
        )
    if several and in_turn and workload.last_batch_held:
        yield _move(
            kind="last_batch_held",
            label="Delete the last batch before validation",
            costs="A line of code: del batch.",
            changes={"last_batch_held": False},
        )
    if workload.sharing_strategy is Strategy.FILE_SYSTEM:
        yield _move(
            kind="sharing_strategy",
            label="Use file_descriptor",
            costs="Each tensor in flight is an open file.",
            changes={"sharing_strategy": Strategy.FILE_DESCRIPTOR.value},
        )
    if workload.dataset_tensor_bytes and workload.effective_start_method is not StartMethod.FORK:
        yield _move(
            kind="dataset_tensor_bytes",
            label="Keep the dataset in numpy",
            costs="Every worker gets a copy in memory of its own.",
            changes={"dataset_tensor_bytes": 0},
        )


@dataclass(frozen=True)
class _Habit:
    key: str
    value: Any
    label: str
    costs: str
    applies: Callable[[Loader], bool]


_OF_LOADERS: Final = (
    _Habit(
        key="persistent_workers",
        value=False,
        label="Without persistent_workers",
        costs="Workers start anew every epoch.",
        applies=lambda loader: loader.persistent_workers,
    ),
    _Habit(
        key="returns_dataset_tensors",
        value=False,
        label="Clone the dataset's tensors",
        costs="A copy per sample.",
        applies=lambda loader: loader.returns_dataset_tensors,
    ),
    _Habit(
        key="held_batches",
        value=1,
        label="Keep one batch",
        costs="Clone what you need of the others.",
        applies=lambda loader: loader.held_batches > 1,
    ),
    _Habit(
        key="held_batches",
        value=0,
        label="Delete each batch before the next",
        costs="A line of code at the end of the loop: del batch, and whatever else names it.",
        applies=lambda loader: loader.held_batches > 0,
    ),
    _Habit(
        key="pin_memory",
        value=True,
        label="pin_memory=True",
        costs="The copies take pinned memory instead.",
        applies=lambda loader: not loader.pin_memory,
    ),
    _Habit(
        key="num_workers",
        value=0,
        label="num_workers=0",
        costs="Nothing is loaded ahead; the GPU waits.",
        applies=lambda loader: loader.num_workers > 0,
    ),
)
