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
        for j, field in enumerate(loader.fields):
            if field.same_storage_as and not _is_there(loader, field):
                path = f"loaders.{i}.fields.{j}.same_storage_as"
                yield Problem(path, "must be the name of another tensor of this sample")


def _is_there(loader: Loader, field: SampleField) -> bool:
    if field.kind is not Kind.TENSOR:
        return True  # what it was as a tensor is kept, and means nothing
    return any(
        other is not field
        and other.kind is Kind.TENSOR
        and other.name == field.same_storage_as
        and not other.same_storage_as
        for other in loader.fields
    )
