"""Gives the batch inspector ordinary and odd things, and prints what it made of each as JSON.

Run by test_inspector.py where PyTorch is.
"""

from __future__ import annotations

import json
import os
import random
import threading
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, RandomSampler, TensorDataset

from calculator.inspector import Description, describe


class Nasty:
    """An object that answers no question."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("no")


class Locked:
    """A batch with a part that no process can be sent."""

    def __init__(self, images: Any) -> None:
        self.images, self.lock = images, threading.Lock()


class Broken(Dataset[Any]):  # type: ignore[misc]  # torch is not installed for the checks
    """A dataset that cannot give a sample."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        raise KeyError(index)


class Augmented(Broken):
    """A dataset that draws random numbers."""

    def __getitem__(self, index: int) -> Any:
        return torch.rand(3, 8, 8) + random.random()  # noqa: S311 - no secret


class Endless(IterableDataset[Any]):  # type: ignore[misc]  # as above
    """A stream."""

    def __iter__(self) -> Any:
        while True:
            yield {"ids": torch.zeros(5, dtype=torch.int64), "text": "a"}


def locked(items: Any) -> Any:
    """Collate into a batch that cannot be pickled."""
    return Locked(torch.stack(items))


def strided(items: Any) -> Any:
    """Return a nested tensor in the older layout."""
    return torch.nested.nested_tensor(items)


def jagged(items: Any) -> Any:
    """Return a nested tensor in the newer layout."""
    return torch.nested.nested_tensor(items, layout=torch.jagged)


def mixed(items: Any) -> Any:
    """Return a tensor of the dataset's own, and a new one."""
    return [items[0], torch.ones(7)]


def detections(items: Any) -> Any:
    """Images in one tensor, and a list with the boxes of each, as many as it has."""
    boxes = [torch.zeros(number + 1, 4) for number in range(len(items))]
    return {"images": torch.zeros(len(items), 3, 8, 8), "targets": [{"boxes": b} for b in boxes]}


def cycle() -> Any:
    """Return a list that holds itself."""
    found: list[Any] = [torch.zeros(6)]
    found.append(found)
    return found


def shown(found: Description) -> dict[str, Any]:
    """Return what was found, after a look at it as text."""
    return {"workload": json.loads(str(found)), "notes": found.notes}


def undisturbed() -> dict[str, bool]:
    """Describe a loader in the middle of its epoch; compare with one that nobody described."""

    def epoch(look: bool) -> list[Any]:
        torch.manual_seed(1)
        random.seed(1)
        data = Augmented()
        own = torch.Generator().manual_seed(3)
        loader = DataLoader(data, 2, sampler=RandomSampler(data, generator=own))
        found = []
        for number, batch in enumerate(loader):
            found.append(batch)
            if look and number == 1:
                describe(loader)
        return [*found, torch.rand(2), torch.tensor(random.random())]  # noqa: S311 - no secret

    with_look, without = epoch(True), epoch(False)
    return {"same": all(map(torch.equal, with_look, without))}


def main() -> None:
    """Describe all of it."""
    own = TensorDataset(torch.zeros(10, 4))
    made = Augmented()
    os.environ.update(LOCAL_WORLD_SIZE="4", WORLD_SIZE="8")
    several = shown(describe(DataLoader(made, 2), DataLoader(made, 4, num_workers=3)))
    for name in ("LOCAL_WORLD_SIZE", "WORLD_SIZE"):
        del os.environ[name]
    spawn = {"num_workers": 2, "multiprocessing_context": "spawn"}
    fork = {"num_workers": 2, "multiprocessing_context": "fork"}
    sampled = torch.utils.data.BatchSampler(range(8), 3, False)
    results = {
        "nasty": shown(describe(Nasty())),
        "nothing": shown(describe()),
        "none": shown(describe(None)),
        "cycle": shown(describe(cycle())),
        "batch": shown(describe({"x": torch.zeros(8, 3), "y": torch.zeros(8)})),
        "broken": shown(describe(DataLoader(Broken(), 2, num_workers=2))),
        "lambda": shown(describe(DataLoader(made, 2, collate_fn=lambda items: items, **spawn))),
        "locked": shown(describe(DataLoader(made, 2, num_workers=1, collate_fn=locked))),
        "endless": shown(describe(DataLoader(Endless(), 6, num_workers=2, prefetch_factor=5))),
        "sampler": shown(describe(DataLoader(made, batch_sampler=sampled, num_workers=1))),
        "mixed": shown(describe(DataLoader(own.tensors[0], 2, collate_fn=mixed, **fork))),
        "strided": shown(describe(DataLoader(made, 2, collate_fn=strided, **fork))),
        "jagged": shown(describe(DataLoader(made, 2, collate_fn=jagged, **fork))),
        "detections": shown(describe(DataLoader(made, 3, collate_fn=detections, **fork))),
        "held": shown(describe(DataLoader(own, 2, **spawn))),
        "several": several,
        "many": shown(describe([torch.zeros(n % 7 + 1) for n in range(1500)])),
        "empty": shown(describe(torch.zeros(0))),
        "undisturbed": undisturbed(),
        "children": len(torch.multiprocessing.active_children()),
    }
    print(json.dumps(results))


if __name__ == "__main__":
    main()
