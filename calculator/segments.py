"""One batch as shared memory: which tensor storages travel, and what each occupies.

Source: measured PyTorch (tests/measured.json), `torch/multiprocessing/reductions.py`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from calculator import dtypes
from calculator.loader import Collate, Loader
from calculator.sample import Kind, SampleField
from calculator.units import ceil_to
from calculator.workload import Strategy, Workload

REFCOUNT_HEADER_BYTES: Final = 64
"""What `file_system` puts before each storage (MapAllocator.cpp, map_alloc_alignment)."""

INDEX_BYTES: Final = dtypes.ITEMSIZE["int64"]
"""One index of a sparse COO tensor."""


@dataclass(frozen=True)
class Segments:
    """Equal shared-memory segments of one batch: one tensor storage each.

    Attributes:
        raw_bytes: of one segment, as the tensor has it.
        page_bytes: of one segment, as it occupies /dev/shm.
        number: how many such segments there are.
    """

    raw_bytes: int
    page_bytes: int
    number: int

    @property
    def total_bytes(self) -> int:
        """What all of them occupy."""
        return self.page_bytes * self.number


def batch_segments(workload: Workload, loader: Loader) -> tuple[Segments, ...]:
    """Return the segments that one batch of `loader` consists of, each rounded to pages."""
    numbers: Counter[int] = Counter()
    for storages in _distinct(loader):
        for raw, number in storages:
            numbers[raw] += number
    page, header = workload.page_bytes, header_bytes(workload)
    return tuple(
        Segments(raw, ceil_to(raw + header, page), number)
        for raw, number in numbers.items()
        if number and raw + header
    )


def header_bytes(workload: Workload) -> int:
    """Bytes before each storage."""
    by_name = workload.sharing_strategy is Strategy.FILE_SYSTEM
    return REFCOUNT_HEADER_BYTES if by_name else 0


Storages = Sequence[tuple[int, int]]
"""Raw bytes of a storage, and how many such storages there are in a batch."""


def _distinct(loader: Loader) -> Iterable[Storages]:
    """Yield what each field adds to a batch; of fields that are one tensor the largest counts."""
    groups: dict[str | int, list[Storages]] = {}
    wanted = {field.same_storage_as for field in loader.fields if _is_shared(loader, field)}
    for position, field in enumerate(loader.fields):
        one: str | int = position
        if _is_shared(loader, field):
            one = field.same_storage_as
        elif field.kind is Kind.TENSOR and field.name in wanted:
            one = field.name
            wanted.remove(one)  # others of that name are tensors of their own
        groups.setdefault(one, []).append(_storages(loader, field))
    return [max(group, key=_total) for group in groups.values()]


def _is_shared(loader: Loader, field: SampleField) -> bool:
    shares = loader.shares_storages and field.kind is Kind.TENSOR
    return shares and field.same_storage_as != ""


def _total(storages: Storages) -> int:
    return sum(raw * number for raw, number in storages)


def _storages(loader: Loader, field: SampleField) -> Storages:
    """Return the storages that `field` adds to a batch, if no other field brings them.

    numpy arrays, lists and text go through a pipe; a storage that belongs to the dataset
    does not travel again with every batch.
    """
    if field.kind is Kind.STR or loader.collate is Collate.NUMPY:
        return ()
    if field.kind is not Kind.TENSOR:
        return [(loader.samples * field.item_bytes, 1)] if loader.copies else ()
    if loader.copies:
        return [(raw, 1) for raw in _collated(loader, field)]
    return () if loader.moves_dataset else _as_they_are(loader, field)


def _collated(loader: Loader, field: SampleField) -> Iterable[int]:
    """One new tensor for the whole batch; a varying field is padded to its largest sample."""
    if field.nnz is not None:
        return _sparse(field, len(field.shape) + 1, field.nnz * loader.samples)
    if field.view_of and loader.shares_storages:
        return [math.prod(field.view_of) * field.itemsize]
    return [loader.samples * field.item_bytes]


def _as_they_are(loader: Loader, field: SampleField) -> Storages:
    """Each sample's own storage; for samples of unknown size the largest stands in."""
    if field.nnz is not None:
        return [(raw, loader.samples) for raw in _sparse(field, len(field.shape), field.nnz)]
    if field.view_of:
        return [(math.prod(field.view_of) * field.itemsize, loader.samples)]
    known = [numel * field.itemsize for numel in field.sample_numels(loader.samples)]
    return [(known[0], loader.samples - len(known)), *((raw, 1) for raw in known)]


def _sparse(field: SampleField, dimensions: int, stored: int) -> tuple[int, int]:
    """Indices and values of a COO tensor are two storages."""
    return (dimensions * stored * INDEX_BYTES, stored * field.itemsize)
