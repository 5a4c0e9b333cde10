"""Bytes per element of PyTorch's dtypes, each confirmed by a measured run (memory model, Q13)."""

from __future__ import annotations

from typing import Final

ITEMSIZE: Final[dict[str, int]] = {
    "float64": 8,
    "float32": 4,
    "float16": 2,
    "bfloat16": 2,
    "float8_e4m3fn": 1,
    "float8_e5m2": 1,
    "float8_e4m3fnuz": 1,
    "float8_e5m2fnuz": 1,
    "int64": 8,
    "int32": 4,
    "int16": 2,
    "int8": 1,
    "uint64": 8,
    "uint32": 4,
    "uint16": 2,
    "uint8": 1,
    "bool": 1,
    "complex128": 16,
    "complex64": 8,
    "complex32": 4,
}

_ALIAS: Final[dict[str, str]] = {
    "double": "float64", "float": "float32", "half": "float16",
    "fp64": "float64", "fp32": "float32", "fp16": "float16", "bf16": "bfloat16",
    "float8": "float8_e4m3fn", "fp8": "float8_e4m3fn",
    "long": "int64", "int": "int32", "short": "int16", "byte": "uint8", "char": "int8",
    "cdouble": "complex128", "cfloat": "complex64", "chalf": "complex32",
}  # fmt: skip

SCALAR_BYTES: Final = 8
"""A Python int becomes int64 and a float float64 in `default_collate`."""


class UnknownDtypeError(ValueError):
    """A name that is no PyTorch dtype."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"{name[:40]!r} is not a PyTorch dtype; try {', '.join(list(ITEMSIZE)[:4])}"
        )


def canonical(name: str) -> str:
    """Return PyTorch's own name for a dtype: `torch.half` and `fp16` are `float16`.

    Raises:
        UnknownDtypeError: no such dtype.
    """
    short = name.strip().lower().removeprefix("torch.").removeprefix("np.").removeprefix("numpy.")
    short = _ALIAS.get(short, short)
    if short not in ITEMSIZE:
        raise UnknownDtypeError(name)
    return short
