"""Tensors and arrays: how calls, methods and slices shape them."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Final

from calculator.dtypes import ITEMSIZE, UnknownDtypeError, canonical
from calculator.readers.code.values import (
    Const,
    Dims,
    Ref,
    Repeat,
    Scope,
    Seq,
    Tensor,
    Unknown,
    Value,
    constant,
    numbers,
    whole,
)

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

_CASTS: Final = {
    "float": "float32", "half": "float16", "double": "float64", "bfloat16": "bfloat16",
    "long": "int64", "int": "int32", "short": "int16", "byte": "uint8", "char": "int8",
    "bool": "bool",
}  # fmt: skip
_DTYPES: Final = {
    "FloatTensor": "float32", "LongTensor": "int64", "HalfTensor": "float16",
    "ByteTensor": "uint8", "DoubleTensor": "float64", "f": "float32", "bool_": "bool",
    "single": "float32", "f4": "float32", "u1": "uint8", "float_": "float64",
}  # fmt: skip
_SAME: Final = {
    "contiguous", "detach", "cpu", "pin_memory", "requires_grad_", "squeeze_", "data",
    "share_memory_",
    "convert", "rotate", "transpose_", "clip", "clamp", "clamp_", "div_", "mul_", "add_", "normal_",
    "uniform_", "zero_", "fill_", "sub_", "abs", "sqrt", "exp", "log", "round", "sub", "add", "mul",
    "div", "normalize", "rename", "as_subclass", "cumsum", "flip", "roll", "sort", "random_",
    "log1p",
}  # fmt: skip
_RESHAPING: Final = {"view", "reshape", "permute", "transpose", "unsqueeze", "squeeze", "flatten",
                     "repeat", "expand", "resize", "T", "t", "swapaxes", "unfold"}  # fmt: skip


def is_tensor_method(name: str) -> bool:
    """Tell whether a method makes sure that its owner is a tensor or an array."""
    return name in {"astype", "half", "unsqueeze", "permute", "numpy", "from_numpy", "contiguous"}


def dtype_of(value: Value | None) -> str | None:
    """Return PyTorch's name of a dtype that an argument names."""
    name = value.name if isinstance(value, Ref) else constant(value)
    if name in {"float", "np.float", "numpy.float", "numpy.double"}:
        return "float64"
    if name in {"int", "numpy.int"}:
        return "int64"
    if not isinstance(name, str):
        return None
    short = name.rpartition(".")[2]
    short = _DTYPES.get(short, short)
    try:
        return canonical(short)
    except UnknownDtypeError:
        return None


def size_bytes(tensor: Tensor) -> int | None:
    """Return the raw bytes of a tensor; None where its shape is not known."""
    dims = tensor.dims
    if dims is None or None in dims:
        return None
    return math.prod(each or 0 for each in dims) * ITEMSIZE[tensor.dtype or "float32"]


# ---------------------------------------------------------------- attributes, slices, methods


def attribute(owner: Value, name: str) -> Value | None:
    """Return `.shape`, `.T` and the like of a tensor."""
    if not isinstance(owner, Tensor):
        return None
    if name == "shape" and owner.dims is not None:
        return Seq([Unknown("") if each is None else Const(each) for each in owner.dims], "tuple")
    if name == "T" and owner.dims is not None:
        return Tensor(owner.dims[::-1], owner.dtype, owner.lib, resident=owner.resident)
    return owner if name == "data" else None


def index(machine: Machine, value: Tensor, node: ast.expr, scope: Scope) -> Value:
    """Return what `tensor[...]` gives: a view, of torch tensors."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    dims: list[int | None] | None = None if value.dims is None else list(value.dims)
    found: list[int | None] = []
    for part in parts:
        if isinstance(part, ast.Constant) and part.value is ...:
            keep = len(dims or []) - (len(parts) - parts.index(part) - 1)
            if dims is not None:
                found += dims[:keep]
                dims = dims[keep:]
            continue
        if isinstance(part, ast.Constant) and part.value is None:
            found.append(1)
            continue
        size = dims.pop(0) if dims else None
        if isinstance(part, ast.Slice):
            found.append(_slice_length(machine, part, size, scope))
        elif isinstance(machine.evaluate(part, scope), Tensor | Seq | Repeat):
            found.append(None)
    unknown = value.dims is None
    shape: Dims | None = (
        None if unknown and not _all_slices(found, parts) else (*found, *(dims or ()))
    )
    if unknown:
        shape = None
    storage = value.whole or value.dims
    return Tensor(shape, value.dtype, value.lib, storage if value.lib == "torch" else None,
                  resident=value.resident, varies=value.varies, float64=value.float64,
                  line=getattr(node, "lineno", 0))  # fmt: skip


def _all_slices(found: list[int | None], parts: list[ast.expr]) -> bool:
    return bool(found) and len(found) == len(parts) and None not in found


def _slice_length(machine: Machine, part: ast.Slice, size: int | None, scope: Scope) -> int | None:
    start = whole(machine.evaluate(part.lower, scope)) if part.lower else 0
    stop = whole(machine.evaluate(part.upper, scope)) if part.upper else size
    step = whole(machine.evaluate(part.step, scope)) if part.step else 1
    if isinstance(part.upper, ast.BinOp) and part.lower is not None and stop is None:
        return _window(machine, part.lower, part.upper, scope)
    if start is None or stop is None or not step or step < 0:
        return size if part.step is not None and step == -1 else None
    if size is not None:
        start, stop = (max(0, each + size) if each < 0 else each for each in (start, stop))
        stop = min(stop, size)
    return max(0, -((start - stop) // step)) if stop >= 0 and start >= 0 else None


def _window(machine: Machine, lower: ast.expr, upper: ast.BinOp, scope: Scope) -> int | None:
    """`x[s : s + n]` is n long, wherever it starts."""
    if isinstance(upper.op, ast.Add) and ast.dump(upper.left) == ast.dump(lower):
        return whole(machine.evaluate(upper.right, scope))
    return None


def method(owner: Tensor, name: str, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Return what a method of a tensor gives."""
    made = Tensor(owner.dims, owner.dtype, owner.lib, owner.whole, resident=owner.resident,
                  varies=owner.varies, float64=owner.float64, line=owner.line)  # fmt: skip
    if name in _CASTS and not args:
        made.dtype, made.float64 = _CASTS[name], name == "double"
        changed = made.dtype != owner.dtype or owner.dtype is None
        made.whole, made.resident = (None, False) if changed else (owner.whole, owner.resident)
        return made
    if name in {"to", "type", "astype", "type_as"}:
        dtype = dtype_of(kwargs.get("dtype")) or next(
            (each for each in map(dtype_of, args) if each), None
        )
        if dtype is not None:
            made.dtype, made.float64, made.whole, made.resident = (
                dtype,
                dtype == "float64",
                None,
                False,
            )
        return made
    if name in {"clone", "copy", "deepcopy"}:
        made.whole, made.resident = None, False
        return made
    if name == "numpy":
        made.lib = "numpy"
        return made
    if name in {
        "item",
        "tolist",
        "size",
        "dim",
        "numel",
        "__len__",
        "sum",
        "max",
        "min",
        "mean",
        "argmax",
        "std",
    }:
        if name in {"size", "__len__"} and args and owner.dims:
            place = whole(args[0])
            if place is not None and -len(owner.dims) <= place < len(owner.dims):
                return Const(owner.dims[place]) if owner.dims[place] else Unknown("")
        if name == "size" and owner.dims is not None:
            return Seq(
                [Unknown("") if each is None else Const(each) for each in owner.dims], "tuple"
            )
        return Unknown("")
    if name in _RESHAPING:
        return _reshaped(made, name, args)
    if name == "crop" and owner.lib == "pil":
        made.dims = (None, None, *(owner.dims or (None, None, 3))[2:])
        return made
    if name in _SAME:
        return made
    if name == "getdata" or name.startswith("__"):
        return Unknown("")
    return Tensor(None, owner.dtype, owner.lib, varies=owner.varies, line=owner.line)


def _reshaped(made: Tensor, name: str, args: list[Value]) -> Tensor:
    dims = made.dims
    wanted = (
        numbers(args[0])
        if len(args) == 1 and isinstance(args[0], Seq)
        else tuple(whole(each) for each in args)
    )
    wanted = wanted or ()
    if name == "resize" and made.lib == "pil":
        tail = (dims or (None, None, 3))[2:]
        if len(wanted) == 2:  # noqa: PLR2004
            made.dims = (wanted[1], wanted[0], *tail)
        return made
    if name in {"view", "reshape"}:
        made.dims = _view(dims, wanted)
    elif dims is None:
        return made
    elif name in {"permute", "transpose", "swapaxes"}:
        order = wanted
        if name != "permute" and len(order) == 2 and len(dims) != 2 and made.lib == "torch":  # noqa: PLR2004
            swapped = list(range(len(dims)))
            one, other = (each or 0 for each in order)
            if max(one, other) < len(dims):
                swapped[one], swapped[other] = swapped[other], swapped[one]
            order = tuple(swapped)
        good = len(order) == len(dims) and all(
            each is not None and -len(dims) <= each < len(dims) for each in order
        )
        made.dims = (
            tuple(dims[each or 0] for each in order)
            if good
            else (dims[::-1] if not order else None)
        )
    elif name == "unsqueeze":
        place = (wanted or (0,))[0] or 0
        place = place if place >= 0 else len(dims) + 1 + place
        made.dims = (*dims[:place], 1, *dims[place:])
    elif name == "squeeze":
        made.dims = tuple(each for each in dims if each != 1)
    elif name == "flatten":
        made.dims = (None if None in dims else math.prod(each or 0 for each in dims),)
    elif name in {"repeat", "expand"} and made.lib == "torch":
        made.dims = _grown(dims, wanted, expand=name == "expand")
        if name == "expand":
            made.whole = made.whole or dims
    elif name in {"T", "t"}:
        made.dims = dims[::-1]
    else:
        made.dims = None
    return made


def _view(dims: Dims | None, wanted: Dims) -> Dims | None:
    if not wanted or wanted.count(None) or wanted.count(-1) > 1:
        return None
    if -1 not in wanted:
        return wanted
    if dims is None or None in dims:
        return None
    known = math.prod(each or 0 for each in wanted if each != -1)
    total = math.prod(each or 0 for each in dims)
    return tuple(total // known if each == -1 else each for each in wanted) if known else None


def _grown(dims: Dims, wanted: Dims, *, expand: bool) -> Dims | None:
    if len(wanted) < len(dims) or None in wanted:
        return None
    old = (*(1,) * (len(wanted) - len(dims)), *dims)
    pairs = zip(old, wanted, strict=True)
    if expand:
        return tuple(one if new == -1 else new for one, new in pairs)
    return tuple(None if one is None else one * (new or 0) for one, new in pairs)
