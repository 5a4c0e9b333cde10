"""What a collate function makes of a batch: tensors of its own, lists, or arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from calculator.readers.code import known
from calculator.readers.code.attributes import Method
from calculator.readers.code.values import (
    Choice,
    Class,
    Const,
    Dims,
    Func,
    Made,
    Map,
    Obj,
    Ref,
    Repeat,
    Seq,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

Mode = Literal["default", "stack", "list", "numpy"]

_DEFAULTS: Final = {
    "default_collate",
    "list_data_collate",
    "default_data_collator",
    "Collater",
    "pad_list_data_collate",
}


@dataclass
class Collated:
    """The collate of the engine, and the sample as it leaves it, where that is known.

    `varies`: samples differ, and are padded or joined; `unknown`: nobody sees the function.
    """

    mode: Mode = "default"
    sample: Value | None = None
    varies: bool = False
    unknown: bool = False


def collated(
    machine: Machine, function: Value | None, sample: Value | None, count: int | None
) -> Collated:
    """Send a batch of `count` samples through a collate function."""
    if isinstance(function, Choice):
        function = next((each for each in function.options if not isinstance(each, Const)), None)
    if function is None or isinstance(function, Const):
        return Collated()
    if isinstance(function, Made) and function.short == "partial" and function.args:
        inner = collated(machine, function.args[0], sample, count)
        if not inner.unknown:
            return inner
    name = _name(function)
    if name in _DEFAULTS:
        return Collated("default")
    if name in {"list", "tuple"}:
        return Collated("list")
    if isinstance(function, Func | Obj | Class) or (
        isinstance(function, Made) and function.short == "partial"
    ):
        return _followed(machine, function, sample, count)
    pads = name.startswith(("DataCollator", "pad"))
    return Collated("stack", varies=pads, unknown=not pads)


def _name(function: Value) -> str:
    match function:
        case Ref() | Made():
            return function.name.rpartition(".")[2]
        case Method():
            return function.name
        case Func() if hasattr(function.node, "name"):
            return str(getattr(function.node, "name", ""))
        case Unknown():
            return function.text.rpartition(".")[2]
        case _:
            return ""


def _followed(
    machine: Machine, function: Value, sample: Value | None, count: int | None
) -> Collated:
    item = sample if sample is not None else Tensor(None, None)
    node = function.node if isinstance(function, Func) else machine.source.tree
    result = machine.call(function, [Repeat(item, count)], {}, node)
    while isinstance(result, Choice):
        result = result.options[0]
    parts = list(_leaves(result))
    alone = [each for each in parts if isinstance(each, Tensor)]
    lists = [each for each in parts if isinstance(each, Repeat)]
    torch_alone = [each for each in alone if each.lib == "torch"]
    if torch_alone:
        out = [
            *(_per_sample(each, count) for each in torch_alone),
            *(each.item for each in lists if _is_torch(each)),
        ]
        varies = any(each.varies for each in torch_alone)
        return Collated("stack", _as_sample(out, result), varies)
    if any(_is_torch(each) for each in lists):
        out = [each.item for each in lists if _is_torch(each)]
        return Collated("list", _as_sample(out, result), varies=False)
    if alone or any(isinstance(_deep(each), Tensor) for each in lists):
        return Collated("numpy")
    unknown = isinstance(result, Unknown) or not parts
    return Collated("stack" if unknown else "list", unknown=unknown)


def _leaves(value: Value, depth: int = 0) -> list[Value]:
    if depth > 6:  # noqa: PLR2004
        return []
    match value:
        case Seq():
            return [leaf for each in value.items[:100] for leaf in _leaves(each, depth + 1)]
        case Map():
            return [leaf for each in value.items.values() for leaf in _leaves(each, depth + 1)]
        case Made() if (
            value.short == "zip" and len(value.args) == 1 and isinstance(value.args[0], Repeat)
        ):
            return _leaves(known.transposed(value.args[0]), depth + 1)
        case Made() if value.args:
            return [leaf for each in value.args[:20] for leaf in _leaves(each, depth + 1)]
        case Repeat() if isinstance(value.item, Seq | Map):
            inner = (
                value.item.items if isinstance(value.item, Seq) else list(value.item.items.values())
            )
            return [Repeat(each, value.count) for each in inner]
        case Tensor() | Repeat():
            return [value]
        case _:
            return []


def _deep(value: Value) -> Value:
    while isinstance(value, Repeat):
        value = value.item
    return value


def _is_torch(value: Value) -> bool:
    inner = _deep(value)
    return isinstance(inner, Tensor) and inner.lib == "torch"


def _per_sample(tensor: Tensor, count: int | None) -> Tensor:
    """Return what one sample contributes to a tensor of the whole batch."""
    dims: Dims | None = tensor.dims
    first = dims[0] if dims else None
    if dims and count and first is not None:
        if first == count:
            dims = dims[1:]
        elif first % count == 0:
            dims = (first // count, *dims[1:])
    elif dims:
        dims = dims[1:] if dims[0] is None and count is None else dims
    return Tensor(dims, tensor.dtype, tensor.lib, varies=tensor.varies, line=tensor.line)


def _as_sample(parts: list[Value], result: Value) -> Value | None:
    if not parts:
        return None
    if isinstance(result, Map) and len(parts) == len(result.items):
        return Map(dict(zip(result.items, parts, strict=True)))
    return parts[0] if len(parts) == 1 else Seq(parts, "tuple")
