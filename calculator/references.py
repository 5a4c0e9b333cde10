"""Fields that name another one: what they name must be there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from calculator.errors import Problem
from calculator.loader import Loader
from calculator.sample import Kind, SampleField


def dangling(loaders: Iterable[Loader]) -> Iterator[Problem]:
    """Yield a problem for each tensor whose storage is said to be one that is not there.

    Such a storage counts once, with the field that is named: a name that nobody has would
    take the tensor out of the sum without a word.
    """
    for i, loader in enumerate(loaders):
        there = {
            field.name
            for field in loader.fields
            if field.kind is Kind.TENSOR and not field.same_storage_as
        }
        for j, field in enumerate(loader.fields):
            if _named(field) and field.same_storage_as not in there:
                path = f"loaders.{i}.fields.{j}.same_storage_as"
                yield Problem(path, "must be the name of another tensor of this sample")


def _named(field: SampleField) -> bool:
    """Whether a field names another; what one was as a tensor is kept, and means nothing."""
    return field.kind is Kind.TENSOR and bool(field.same_storage_as)
