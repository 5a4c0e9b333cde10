"""What the dataset returns: the fields of one sample."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from calculator import dtypes
from calculator.typed import (
    BlankIsNone,
    Dtype,
    Input,
    Name,
    OptionalShape,
    Shape,
    Sizes,
    Whole,
    ask,
)


class Kind(StrEnum):
    """What one field of a sample is."""

    TENSOR = "tensor"
    INT = "int"
    FLOAT = "float"
    STR = "str"


_KINDS = {
    Kind.TENSOR: "tensor",
    Kind.INT: "Python int",
    Kind.FLOAT: "Python float",
    Kind.STR: "text",
}


class SampleField(Input):
    """One field of a sample: a tensor, or a Python number or string beside it."""

    name: Annotated[Name, ask("Name")] = "image"
    kind: Annotated[
        Kind,
        ask(
            "Kind",
            "A Python number becomes one small tensor per batch; text stays out.",
            choices=_KINDS,
        ),
    ] = Kind.TENSOR
    shape: Annotated[
        Shape,
        ask(
            "Shape",
            "Of one sample as the dataset returns it, without the batch dimension.",
        ),
    ] = (3, 224, 224)
    dtype: Annotated[
        Dtype,
        ask(
            "dtype",
            "As it leaves the worker, not as the model wants it.",
            choices={name: name for name in dtypes.ITEMSIZE},
        ),
    ] = "float32"
    sizes: Annotated[
        Sizes,
        ask(
            "Sizes that vary",
            "First dimension of each sample, where samples differ, as frames or points do; for "
            "images of varying height and width give the largest shape instead. Empty: all are "
            "of the shape.",
        ),
    ] = None
    nnz: Annotated[
        Annotated[Whole, Field(ge=0, le=10**15)] | None,
        BlankIsNone,
        ask("Stored elements (sparse)", "Of one sample, if it is a sparse COO tensor."),
    ] = None
    view_of: Annotated[
        OptionalShape,
        ask(
            "View of",
            "Shape of the whole tensor if this one is a slice or an expanded view of it: the whole "
            "storage travels. Of the batch's tensor where the collate function makes one. "
            "default_collate and torch.stack copy, so it does not matter there.",
        ),
    ] = None
    same_storage_as: Annotated[
        Name,
        ask(
            "Same storage as",
            "Name of another field, if both are one tensor, or one is a view of the other. "
            "default_collate and torch.stack copy each, so it does not matter there.",
        ),
    ] = ""

    @property
    def numel(self) -> int:
        """Elements of one sample, the largest one; a number or a text is one."""
        return max(self.sample_numels(1)) if self.kind is Kind.TENSOR else 1

    def sample_numels(self, samples: int) -> tuple[int, ...]:
        """Elements of the largest `samples` samples of a varying field, or of any one.

        Where fewer sizes are known than there are samples, the largest stands for the rest.
        """
        if self.sizes is None:
            return (math.prod(self.shape),)
        rest = math.prod(self.shape[1:])
        largest = sorted(self.sizes, reverse=True)[:samples]
        return tuple(size * rest for size in largest)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        if self.kind is Kind.TENSOR:
            return dtypes.ITEMSIZE[self.dtype]
        return 0 if self.kind is Kind.STR else dtypes.SCALAR_BYTES

    @property
    def item_bytes(self) -> int:
        """Raw bytes of this field in one sample; of a sparse one indices and values."""
        if self.kind is Kind.TENSOR and self.nnz is not None:
            return self.nnz * (len(self.shape) * dtypes.ITEMSIZE["int64"] + self.itemsize)
        return self.numel * self.itemsize
