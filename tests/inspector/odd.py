"""Gives the batch inspector ordinary and odd things, and prints what it made of each as JSON.

Run by test_inspector.py where PyTorch is.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import random
import sys
import tempfile
import threading
from collections import UserDict
from collections.abc import Iterator, Mapping
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


class Quits(Broken):
    """A dataset that ends the program."""

    def __getitem__(self, index: int) -> Any:
        sys.exit(3)


class Interrupted(Broken):
    """A dataset at which somebody presses Ctrl-C."""

    def __getitem__(self, index: int) -> Any:
        raise KeyboardInterrupt


class Speechless(Exception):  # noqa: N818 - it is its name that says nothing
    """An error that cannot say what it is."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


class Fails(Broken):
    """A dataset with such an error."""

    def __getitem__(self, index: int) -> Any:
        raise Speechless


class Lazy:
    """An object that has everything, and nothing that can be had."""

    __class__ = property(lambda _: 1 / 0)

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


class HoldsLazy(Augmented):
    """A dataset with such objects."""

    def __init__(self) -> None:
        self.lazy, self.nasty = Lazy(), Nasty()


class Archive(Mapping[str, Any]):
    """A file of arrays that are read when asked for, as numpy.load gives one."""

    def __init__(self) -> None:
        self.reads = 0

    def __getitem__(self, key: str) -> Any:
        self.reads += 1
        return torch.zeros(5)

    def __iter__(self) -> Iterator[str]:
        return iter(("a", "b"))

    def __len__(self) -> int:
        return 2


class HoldsArchive(Augmented):
    """A dataset over such a file."""

    def __init__(self) -> None:
        self.archive = Archive()


class Counted(Broken):
    """A dataset whose samples are their numbers."""

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> Any:
        return torch.tensor(index)


class OwnIterator(IterableDataset[Any]):  # type: ignore[misc]  # as above
    """A stream that goes on where it was."""

    def __init__(self, items: Any) -> None:
        self.items, self.lock = items, threading.Lock()
        self.seen: list[Any] = []

    def __iter__(self) -> Any:
        return self.items


class Through(OwnIterator):
    """The same behind a generator, which also takes notes."""

    def __iter__(self) -> Any:
        for each in self.items:
            self.seen.append(each)
            yield torch.tensor(len(self.seen))


class Itself(IterableDataset[Any]):  # type: ignore[misc]  # as above
    """A stream that is its own iterator."""

    number = 0

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> int:
        self.number += 1
        return self.number


class CountsLocked:
    """A sampler that counts and holds a lock, and shuffles an array of its own in place."""

    def __init__(self) -> None:
        self.lock, self.number, self.order = threading.Lock(), 0, torch.arange(40)

    def __iter__(self) -> Iterator[int]:
        self.order.copy_(self.order.flip(0).roll(1))
        while self.number < 40:
            self.number += 1
            yield int(self.order[self.number - 1])

    def __len__(self) -> int:
        return 40


class Draws(Broken):
    """A dataset with random numbers of its own, in each way of keeping them."""

    def __init__(self) -> None:
        own = random.Random(3)  # noqa: S311 - no secret
        self.kept = {"own": [random.Random(1)]}  # noqa: S311 - no secret
        self.torch = torch.Generator().manual_seed(2)
        self.transform: Any = lambda top=1: own.random() * top
        self.numpy: list[Any] = []
        with contextlib.suppress(ImportError):
            np: Any = importlib.import_module("numpy")
            self.numpy = [np.random.default_rng(4), np.random.RandomState(5)]
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - it ends with the process
        self.file.write(bytes(range(200)))
        self.file.seek(0)

    def __getitem__(self, index: int) -> Any:
        drawn = [self.kept["own"][0].random(), self.transform(), self.file.read(1)[0]]
        drawn += [float(each.normal()) for each in self.numpy]
        return torch.cat([torch.tensor(drawn), torch.rand(1, generator=self.torch)])


def generated() -> Iterator[list[int]]:
    """Yield batches once."""
    for start in range(0, 40, 4):
        yield list(range(start, start + 4))


def aliases(_: Any) -> Any:
    """Return more views of one tensor than there may be fields, then the largest tensor."""
    base = torch.zeros(100)
    return [*(base[n % 100 : n % 100 + 1] for n in range(1100)), torch.zeros(1_000_000)]


class Columns(Broken):
    """A table with more columns than there may be fields."""

    def __getitem__(self, index: int) -> Any:
        return {f"column {number}": torch.tensor(1.0) for number in range(1200)}


def printed(found: Description, encoding: str) -> Any:
    """Return what `show` prints where texts have this encoding."""
    kept = io.BytesIO()
    into = io.TextIOWrapper(kept, encoding=encoding)
    with contextlib.redirect_stdout(into):
        found.show()
    into.flush()
    return json.loads(kept.getvalue().decode(encoding))


def named() -> dict[str, Any]:
    """Describe a batch with names that no form takes."""
    names = ["a\nb", "\x00\x1b", "\u202e", "\ud800", "é", "\ud801", "n" * 90, "n" * 91]
    found = describe({name: torch.zeros(4, 3) for name in names})
    return {each: printed(found, each) for each in ("utf-8", "ascii")}


def interrupted() -> bool:
    """Whether Ctrl-C goes through."""
    try:
        describe(DataLoader(Interrupted(), 2))
    except KeyboardInterrupt:
        return True
    return False


def machine() -> dict[str, Any]:
    """Describe where the environment is nonsense."""
    os.environ.update(LOCAL_WORLD_SIZE="9" * 5000, WORLD_SIZE="²")
    try:
        return shown(describe(torch.zeros(4)))
    finally:
        del os.environ["LOCAL_WORLD_SIZE"], os.environ["WORLD_SIZE"]


def unread() -> dict[str, Any]:
    """Describe a dataset over a file of arrays, which nobody reads."""
    data = HoldsArchive()
    return {**shown(describe(DataLoader(data, 2))), "reads": data.archive.reads}


def firsts() -> dict[str, Any]:
    """Return the first batches of loaders that were described, and of those that were not."""
    made: dict[str, Any] = {
        "own iterator": lambda: DataLoader(OwnIterator(iter(range(40))), 4),
        "zipped": lambda: DataLoader(OwnIterator(map(abs, iter(list(range(40))))), 4),
        "through": lambda: DataLoader(Through(iter(range(40))), 4),
        "itself": lambda: DataLoader(Itself(), 4),
        "locked": lambda: DataLoader(Counted(), 4, sampler=CountsLocked()),
        "draws": lambda: DataLoader(Draws(), 4),
        "batches": lambda: DataLoader(Counted(), batch_sampler=generated()),
        "generator": lambda: DataLoader(OwnIterator(number for number in range(40)), 4),
    }
    found = {}
    for name, make in made.items():
        loader = make()
        notes = describe(loader).notes
        pair = [next(iter(each)).tolist() for each in (loader, make())]
        found[name] = {"same": pair[0] == pair[1], "notes": notes}
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
        "aliases": shown(describe(DataLoader(made, 2, collate_fn=aliases))),
        "columns": shown(describe(DataLoader(Columns(), 2))),
        "very many": shown(describe([torch.zeros(n % 3 + 1) for n in range(100_003)])),
        "named": named(),
        "quits": shown(describe(DataLoader(Quits(), 2))),
        "fails": shown(describe(DataLoader(Fails(), 2))),
        "interrupted": interrupted(),
        "machine": machine(),
        "lazy": shown(describe(DataLoader(HoldsLazy(), 2, **fork))),
        "unread": unread(),
        "user dict": shown(describe(UserDict(ids=torch.zeros(4, 7)))),
        "firsts": firsts(),
        "undisturbed": undisturbed(),
        "children": len(torch.multiprocessing.active_children()),
    }
    print(json.dumps(results))


if __name__ == "__main__":
    main()
