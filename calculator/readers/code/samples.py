"""From a sample's value to its fields, and what comments and people say of it."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from calculator.dtypes import ITEMSIZE
from calculator.readers.code.loops import shape_in_comment
from calculator.readers.code.values import (
    Choice,
    Const,
    Dims,
    Map,
    Repeat,
    Seq,
    Tensor,
    Unknown,
    Value,
)

MAX_FIELDS: Final = 100
_SCALAR_NAMES: Final = re.compile(
    r"label|target|class|idx|index|\by\b|score|id\b|length", re.IGNORECASE
)

_DENSE_NAMES: Final = re.compile(r"mask|segm|box|depth|heat|flow", re.IGNORECASE)


@dataclass(frozen=True)
class Field:
    """One field of a sample.  `kind` is the engine's, or "unknown"."""

    name: str
    kind: str
    dims: Dims | None = None
    dtype: str | None = None
    whole: Dims | None = None
    tensor: Tensor | None = None
    line: int = 0

    @property
    def bytes(self) -> int | None:
        """Raw bytes of one sample; None where the shape is not known."""
        if self.kind == "str":
            return 0
        if self.kind != "tensor":
            return 8 if self.kind in {"int", "float"} else None
        if self.dims is None or None in self.dims:
            return None
        return math.prod(each or 0 for each in self.dims) * ITEMSIZE[self.dtype or "float32"]


def fields_of(value: Value | None, name: str = "", depth: int = 0) -> list[Field]:
    """Return the fields of a sample; nested ones one after the other."""
    if value is None or depth > 6:  # noqa: PLR2004
        return []
    match value:
        case Tensor():
            return [
                Field(
                    name or "image",
                    "tensor",
                    value.dims,
                    value.dtype,
                    value.whole,
                    value,
                    value.line,
                )
            ]
        case Const():
            kind = {bool: "int", int: "int", float: "float", str: "str"}.get(type(value.value))
            return [Field(name or "value", kind, line=value.line)] if kind else []
        case Seq():
            names = (
                [name]
                if len(value.items) == 1
                else [f"{name or 'field'} {place}" for place in range(1, len(value.items) + 1)]
            )
            found = [
                each
                for label, part in zip(names, value.items, strict=True)
                for each in fields_of(part, label, depth + 1)
            ]
            return _labels(found)[:MAX_FIELDS]
        case Map():
            return [
                each
                for key, part in value.items.items()
                for each in fields_of(part, str(key), depth + 1)
            ][:MAX_FIELDS]
        case Choice():
            options = [fields_of(each, name, depth + 1) for each in value.options[:4]]
            return max(options, key=lambda each: sum(field.bytes or 0 for field in each))
        case Repeat():
            inner = fields_of(value.item, name, depth + 1)
            count = value.count or 1
            return [each for each in inner for _ in range(min(count, 20))][:MAX_FIELDS]
        case Unknown():
            is_label = any(_SCALAR_NAMES.search(each) for each in (value.text, name))
            if _DENSE_NAMES.search(value.text):
                return [Field("mask", "unknown", line=value.line)]
            return [Field(name or "value", "int" if is_label else "unknown", line=value.line)]
        case _:
            text = getattr(value, "name", "")
            is_label = isinstance(text, str) and bool(_SCALAR_NAMES.search(text))
            return [Field(name or "value", "int" if is_label else "unknown", line=value.line)]


def _labels(found: list[Field]) -> list[Field]:
    """Beside an image an unknown second entry is its label, as in most datasets."""
    if len(found) != 2:  # noqa: PLR2004
        return found
    first, second = found
    known = [each for each in found if each.kind == "tensor" and each.bytes is not None]
    if len(known) == 1 and second.kind == "unknown" and second.name != "mask":
        second = Field("label", "int", line=second.line)
    if second.kind == "int":
        return [dataclasses.replace(first, name="image"), dataclasses.replace(second, name="label")]
    return found


def given_sample(given: Mapping[str, Any]) -> Value | None:
    """Return the sample that a person states beside the paste, already checked."""
    tensors = given.get("tensors")
    if tensors:
        parts: list[Value] = [Tensor(tuple(shape), dtype) for shape, dtype in tensors]
        return parts[0] if len(parts) == 1 else Seq(parts, "tuple")
    shape = given.get("sample_shape")
    return Tensor(tuple(shape), given.get("dtype")) if shape else None


# ---------------------------------------------------------------- comments

_TOKENS: Final = re.compile(
    r"((?:\w+\s*,\s*|\w+\s+and\s+){0,8}\w+)\s+(?:of|with|=)\s+([\d_]{1,12})\s+(float\d+|bfloat16|u?int\d+)\b"
)
_POINTS: Final = re.compile(
    r"([\d_,]{1,14})\s+points?\s+(?:with|x|×|of|,)\s*(\d{1,4})\s*(?:features|channels|values|columns|float)?"
)
_SECONDS: Final = re.compile(
    r"\b(?:shape|size|tensor|returns?|yields?|each|sample|->)\b|[(\[]\d", re.IGNORECASE
)


def sample_in_comment(text: str, *, plain: bool = False) -> Value | None:
    """Return the sample that a comment describes; `plain` where its place says that it does."""
    tokens = _TOKENS.search(text[:500])
    if tokens:
        names = re.split(r"\s*,\s*|\s+and\s+", tokens[1])
        length = int(tokens[2].replace("_", "") or 0)
        return Map({name: Tensor((length,), tokens[3]) for name in names}) if length else None
    points = _POINTS.search(text[:500])
    if points:
        number = int(re.sub(r"\D", "", points[1]) or 0)
        return (
            Tensor((number, int(points[2])), "float32", varies="up to" in text or "max" in text)
            if number
            else None
        )
    found = shape_in_comment(text[:500])
    if found is None:
        return None
    dims, dtype, varies = found
    clear = plain and (dtype is not None or len(dims) >= len("CHW"))
    if not clear and not _SECONDS.search(text[:500]):
        return None
    return Tensor(dims, dtype, varies=varies)
