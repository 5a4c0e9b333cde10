"""What the dataset returns: the fields of one sample."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated

from calculator import dtypes
from calculator.typed import Dtype, Input, Shape, ask


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

    name: Annotated[str, ask("Name", max_length=80)] = "image"
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
        ask("Shape", "Of one sample as the dataset returns it, without the batch dimension."),
    ] = (3, 224, 224)
    dtype: Annotated[
        Dtype,
        ask(
            "dtype",
            "As it leaves the worker, not as the model wants it.",
            choices={name: name for name in dtypes.ITEMSIZE},
        ),
    ] = "float32"

    @property
    def numel(self) -> int:
        """Elements of one sample: 1 for a number, 0 for text."""
        if self.kind is Kind.TENSOR:
            return math.prod(self.shape)
        return 0 if self.kind is Kind.STR else 1

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        if self.kind is Kind.TENSOR:
            return dtypes.ITEMSIZE[self.dtype]
        return 0 if self.kind is Kind.STR else dtypes.SCALAR_BYTES

    @property
    def item_bytes(self) -> int:
        """Raw bytes of this field in one sample."""
        return self.numel * self.itemsize
