"""What the lab's loaders deliver: datasets and collate functions, by their names in cases.toml.

Runs where PyTorch is, from 1.13 on, with the standard library and PyTorch alone.  The words
for a case are those of tests/measured.json; what stands here is only what they mean.
"""

from __future__ import annotations

import math
import time
from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.utils.rnn import pack_sequence
from torch.utils.data import Dataset, IterableDataset

Case = dict[str, Any]
Pair = namedtuple("Pair", ["image", "label"])  # noqa: PYI024 - the untyped one is what people have


class Slotted:
    """A batch class of one's own, without a __dict__."""

    __slots__ = ("images",)

    def __init__(self, images: Any) -> None:
        self.images = images


@dataclass
class Record:
    """A batch class of one's own, as most people write one."""

    images: Any
    names: list[str]


class Marked(torch.Tensor):  # type: ignore[misc]  # torch is not installed for the checks
    """A subclass of Tensor, as torchvision and MONAI have theirs."""


class Items(Dataset[Any]):  # type: ignore[misc]  # as above
    """Samples made anew each time, or rows that the dataset keeps."""

    def __init__(self, case: Case, number: int) -> None:
        self.case, self.number = case, number
        self.kept = keep(case)

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, index: int) -> Any:
        time.sleep(self.case.get("work_s", 0) / (self.case["batch"] or 1))
        if self.kept is not None:
            return self.kept[index % len(self.kept)]
        values = [value(self.case, field, index) for field in self.case["fields"]]
        return arrange(self.case.get("sample", ""), values)


class Flow(IterableDataset[Any]):  # type: ignore[misc]  # as above
    """The same samples, without a length; each worker yields its share."""

    def __init__(self, case: Case, number: int) -> None:
        self.items = Items(case, number)

    def __iter__(self) -> Any:
        info = torch.utils.data.get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        batch = self.items.case["batch"]
        for index in range(len(self.items)):
            if index // batch % step == first:
                yield self.items[index]


def keep(case: Case) -> Any:
    """Return what the dataset itself holds, if it does."""
    kind = case.get("dataset", "map")
    if not kind.startswith("base_"):
        return None
    whole = torch.zeros(case["base_shape"])
    if kind == "base_list":
        return [row.clone() for row in whole]
    return whole.numpy() if kind == "base_numpy" else whole


def value(case: Case, field: dict[str, Any], index: int) -> Any:
    """Make one field of one sample."""
    kind = field.get("as", "tensor")
    if kind in {"int", "float", "str"}:
        return {"int": index, "float": index / 2, "str": f"sample {index}"}[kind]
    shape = list(field["shape"])
    if "var" in field:
        shape[0] = field["var"][index % len(field["var"])]
    made = torch.zeros(shape, dtype=getattr(torch, field["dtype"]))
    return made.numpy() if case.get("items") == "numpy" else made


def arrange(sample: str, values: list[Any]) -> Any:
    """Put the fields of a sample into what the dataset returns."""
    if sample == "dict":
        return {f"field{number}": each for number, each in enumerate(values)}
    if sample == "nested":
        return {"input": {"image": values[0]}, "target": (values[1], [values[2]])}
    if sample == "namedtuple":
        return Pair(*values)
    return tuple(values) if len(values) > 1 or sample == "tuple" else values[0]


# ---------------------------------------------------------------- collate functions


def stack(items: list[Any]) -> Any:
    """Stack in ordinary memory."""
    return torch.stack(items)


def as_list(items: list[Any]) -> Any:
    """Return the items as they are."""
    return list(items)


def clone_list(items: list[Any]) -> Any:
    """Return the items, each copied."""
    return [item.clone() for item in items]


def numpy(items: list[Any]) -> Any:
    """Return one array."""
    return torch.stack(items).numpy()


def pylist(items: list[Any]) -> Any:
    """Return Python's own lists."""
    return [item.flatten()[:64].tolist() for item in items]


def view(items: list[Any]) -> Any:
    """Return the first half of a tensor twice as large."""
    return torch.stack(items * 2)[: len(items)]


def noncontig(items: list[Any]) -> Any:
    """Return a transposed tensor."""
    return torch.stack(items).transpose(0, -1)


def expand(items: list[Any]) -> Any:
    """Return a batch whose samples are all the first."""
    return items[0].unsqueeze(0).expand(len(items), *items[0].shape)


def twice(items: list[Any]) -> Any:
    """Return one tensor under two names, and a view of it under a third."""
    whole = torch.stack(items)
    return {"first": whole, "again": whole, "part": whole[:1]}


def sparse(items: list[Any]) -> Any:
    """Return a COO tensor with every element stored."""
    return torch.ones_like(torch.stack(items)).to_sparse()


def sparse_csr(items: list[Any]) -> Any:
    """Return a CSR tensor with every element stored."""
    return torch.ones(len(items), math.prod(items[0].shape)).to_sparse_csr()


def nested(items: list[Any]) -> Any:
    """Return a nested tensor of samples of several lengths."""
    return torch.nested.nested_tensor(items)


def jagged(items: list[Any]) -> Any:
    """Return a nested tensor in the newer layout."""
    return torch.nested.nested_tensor(items, layout=torch.jagged)


def subclass(items: list[Any]) -> Any:
    """Return a tensor of a subclass."""
    return torch.stack(items).as_subclass(Marked)


def packed(items: list[Any]) -> Any:
    """Return a PackedSequence."""
    return pack_sequence(items, enforce_sorted=False)


def slots(items: list[Any]) -> Any:
    """Return an object with __slots__."""
    return Slotted(torch.stack(items))


def record(items: list[Any]) -> Any:
    """Return a dataclass."""
    return Record(torch.stack(items), [str(number) for number in range(len(items))])


def columns(items: list[Any]) -> Any:
    """Return one tuple a field, as detection models have it."""
    return tuple(zip(*items))  # noqa: B905 - also runs on Python 3.8


COLLATES = {
    each.__name__.replace("as_list", "list"): each
    for each in (
        *(stack, as_list, clone_list, numpy, pylist, view, noncontig, expand, twice, sparse),
        *(sparse_csr, nested, jagged, subclass, packed, slots, record, columns),
    )
}
"""By the name in cases.toml; `default` and `none` (batch_size=None) are no functions."""
