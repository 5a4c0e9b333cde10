"""Tensors and arrays: how calls, methods and slices shape them."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Final

from calculator.dtypes import ITEMSIZE, UnknownDtypeError, canonical
from calculator.readers.code.values import (
    Batch,
    Const,
    Dims,
    Made,
    Map,
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

_FILLED: Final = {"zeros", "ones", "empty", "rand", "randn", "full", "randint", "normal"}
_LIKE: Final = {"zeros_like", "ones_like", "empty_like", "rand_like", "randn_like", "full_like"}
_CASTS: Final = {
    "float": "float32", "half": "float16", "double": "float64", "bfloat16": "bfloat16",
    "long": "int64", "int": "int32", "short": "int16", "byte": "uint8", "char": "int8", "bool": "bool",
}  # fmt: skip
_SAME: Final = {
    "contiguous", "detach", "cpu", "pin_memory", "requires_grad_", "squeeze_", "data", "share_memory_",
    "convert", "rotate", "transpose_", "clip", "clamp", "clamp_", "div_", "mul_", "add_", "normal_",
    "uniform_", "zero_", "fill_", "sub_", "abs", "sqrt", "exp", "log", "round", "sub", "add", "mul",
    "div", "normalize", "rename", "as_subclass", "cumsum", "flip", "roll", "sort", "random_", "log1p",
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
    short = {"FloatTensor": "float32", "LongTensor": "int64", "HalfTensor": "float16",
             "ByteTensor": "uint8", "DoubleTensor": "float64", "f": "float32", "bool_": "bool",
             "single": "float32", "f4": "float32", "u1": "uint8", "float_": "float64"}.get(short, short)  # fmt: skip
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


# ---------------------------------------------------------------- made by a call


def made_tensor(machine: Machine, made: Made) -> Value | None:
    """Return the tensor that a call of torch, numpy, PIL or OpenCV makes."""
    root, name, line = made.name.partition(".")[0], made.short, made.line
    if root == "numpy":
        return _numpy(made, name)
    if root in {"torch", "torchvision", "torchaudio"}:
        return _torch(made, name)
    if made.name.startswith("PIL.") and name in {"open", "fromarray", "new"}:
        return Tensor((None, None, 3), "uint8", "pil", line=line)
    if root == "cv2":
        return _opencv(made, name)
    if name in {"imread", "read_image", "decode_image", "decode_jpeg", "imdecode"}:
        return Tensor((None, None, 3), "uint8", "numpy", line=line)
    if made.name == "librosa.load":
        return Seq([Tensor((None,), "float32", "numpy", line=line), Unknown("")], "tuple")
    return None


def _torch(made: Made, name: str) -> Value | None:  # noqa: PLR0911
    line = made.line
    if name in _FILLED and not made.name.startswith("torch.nn"):
        default = "int64" if name == "randint" else "float32"
        return Tensor(_dims(made, name), dtype_of(made.get("dtype")) or default, line=line)
    first = made.args[0] if made.args else made.get("input")
    if name in _LIKE and isinstance(first, Tensor):
        return Tensor(first.dims, dtype_of(made.get("dtype")) or first.dtype, line=line)
    if name in {"from_numpy", "tensor", "as_tensor", "Tensor", "FloatTensor", "LongTensor"}:
        return _converted(made, first, name)
    if name in {"arange", "linspace"}:
        ends = [whole(each) for each in made.args[:2]]
        count = ends[0] if len(ends) == 1 else None if None in ends else (ends[1] or 0) - (ends[0] or 0)
        return Tensor((count,), dtype_of(made.get("dtype")) or "int64", line=line)
    if name in {"stack", "cat", "concat", "concatenate", "vstack", "hstack"}:
        return joined(made, first, name, "torch")
    if name == "pad_sequence":
        return padded(first, made)
    if name in {"pad", "interpolate", "one_hot", "normalize", "resize"}:
        return _functional(made, first, name)
    if name in {"read_image", "decode_image", "decode_jpeg"}:
        return Tensor((3, None, None), "uint8", line=line)
    if name in {"to_tensor", "pil_to_tensor"}:
        dims = first.dims if isinstance(first, Tensor) and first.dims else (None, None, 3)
        turned = (dims[-1], *dims[:-1]) if isinstance(first, Tensor) and first.lib != "torch" else dims
        return Tensor(turned, "float32" if name == "to_tensor" else "uint8", line=line)
    if name == "load":
        return None
    return None


def _functional(made: Made, first: Value | None, name: str) -> Value | None:
    if not isinstance(first, Tensor):
        first = Tensor(None, line=made.line)
    if name == "pad":
        return _padded(made, first)
    size = numbers(made.get("size", 1)) or ((whole(made.get("size", 1)),) * 2)
    if name in {"interpolate", "resize"} and size and None not in size:
        lead = first.dims[: -len(size)] if first.dims else (3,)
        return Tensor((*lead, *size), first.dtype, first.lib, line=made.line)
    if name == "one_hot":
        return Tensor((*(first.dims or ()), whole(made.get("num_classes", 1))), "int64")
    return first


def _padded(made: Made, first: Tensor) -> Tensor:
    """`F.pad(x, (0, N - len(x)))` pads to N."""
    amounts = made.get("pad", 1)
    if isinstance(amounts, Seq) and amounts.items:
        target = _pad_target(amounts.items[-1] if len(amounts.items) == 2 else amounts.items[1])  # noqa: PLR2004
        if target is not None:
            lead = first.dims[:-1] if first.dims else ()
            return Tensor((*lead, target), first.dtype, first.lib, line=made.line)
    return first


def _pad_target(value: Value) -> int | None:
    return value.upper if isinstance(value, Unknown) else None


def _converted(made: Made, first: Value | None, name: str) -> Value:
    dtype = dtype_of(made.get("dtype")) or {"FloatTensor": "float32", "LongTensor": "int64"}.get(name)
    line = made.line
    if isinstance(first, Tensor):
        lib32 = name in {"Tensor"}
        return Tensor(first.dims, dtype or ("float32" if lib32 else first.dtype), "torch",
                      resident=first.resident and name in {"from_numpy", "as_tensor"},
                      varies=first.varies, float64=first.float64 and not dtype, line=line)  # fmt: skip
    if name == "Tensor" and first is not None and whole(first) is not None:
        return Tensor(_dims(made, name), "float32", line=line)
    if isinstance(first, Const):
        floats = isinstance(first.value, float)
        return Tensor((), dtype or ("float32" if floats else "int64"), line=line)
    if isinstance(first, Seq):
        kinds = [constant(each) for each in first.items]
        floats = any(isinstance(each, float) for each in kinds)
        known = all(isinstance(each, int | float) for each in kinds)
        return Tensor((len(first.items),), dtype or (("float32" if floats else "int64") if known else None))
    if isinstance(first, Repeat):
        dims = (first.count, *(_item_dims(first.item)))
        return Tensor(dims, dtype or "int64", line=line)
    if isinstance(first, Batch):
        return first
    looks_like_label = "label" in made.text or "target" in made.text
    return Tensor(() if looks_like_label else None, dtype, line=line)


def _item_dims(item: Value) -> Dims:
    return item.dims if isinstance(item, Tensor) and item.dims else ()


def _dims(made: Made, name: str) -> Dims | None:
    """Return the shape a filling call names: `zeros(3, 4)`, `zeros((3, 4))`, `size=`."""
    size = made.get("size") or made.get("shape")
    args = list(made.args)
    if name == "randint" and size is None:
        args = [each for each in args if isinstance(each, Seq)]
    if name == "full" and args:
        args = args[:1]
    if size is None and len(args) == 1 and isinstance(args[0], Seq):
        size = args[0]
    if size is not None:
        one = whole(size)
        return numbers(size) or (None if one is None else (one,))
    return tuple(whole(each) for each in args)


def _numpy(made: Made, name: str) -> Value | None:  # noqa: PLR0911
    line, dtype = made.line, dtype_of(made.get("dtype"))
    first = made.args[0] if made.args else None
    if name in {"zeros", "ones", "empty", "full", "rand", "randn", "random", "normal", "uniform", "random_sample", "randint", "standard_normal"}:
        floats = name != "randint"
        if name in {"zeros", "ones", "empty"} and len(made.args) > 1:
            dtype = dtype or dtype_of(made.args[1])
        dims = _numpy_dims(made, name)
        return Tensor(dims, dtype or ("float64" if floats else "int64"), "numpy",
                      float64=floats and not dtype, line=line)  # fmt: skip
    if name in _LIKE and isinstance(first, Tensor):
        return Tensor(first.dims, dtype or first.dtype, "numpy", line=line)
    if name in {"array", "asarray", "ascontiguousarray", "copy", "flip", "squeeze", "float32", "uint8", "int64", "clip"}:
        cast = dtype_of(Const(name)) if name in {"float32", "uint8", "int64"} else dtype
        if isinstance(first, Tensor):
            return Tensor(first.dims, cast or first.dtype, "numpy", float64=first.float64, line=line)
        if isinstance(first, Batch):
            return first
        if isinstance(first, Repeat):
            return Tensor((first.count, *_item_dims(first.item)), cast, "numpy", line=line)
        return Tensor(None, cast, "numpy", line=line)
    if name in {"stack", "concatenate", "vstack", "hstack"}:
        return joined(made, first, name, "numpy")
    if name in {"load", "memmap", "fromfile", "frombuffer", "genfromtxt", "loadtxt"}:
        shape = made.get("shape")
        return Tensor(numbers(shape) if shape else None, dtype, "numpy", line=line)
    if name in {"transpose", "moveaxis", "expand_dims", "pad", "tile", "repeat"}:
        if name == "transpose" and isinstance(first, Tensor):
            return method(None, first, "transpose", made.args[1:], {})
        return Tensor(None, first.dtype if isinstance(first, Tensor) else None, "numpy", line=line)
    return None


def _numpy_dims(made: Made, name: str) -> Dims | None:
    size = made.get("size") or made.get("shape")
    if size is None and name in {"rand", "randn"}:
        return tuple(whole(each) for each in made.args)
    if size is None and name in {"normal", "uniform", "randint"}:
        size = made.get("size", 2)
    elif size is None:
        size = made.args[0] if made.args else None
    one = whole(size)
    return numbers(size) if one is None else (one,)


def _opencv(made: Made, name: str) -> Value | None:
    first = made.args[0] if made.args else None
    if name in {"imread", "imdecode"}:
        return Tensor((None, None, 3), "uint8", "numpy", line=made.line)
    if name == "resize":
        size = numbers(made.get("dsize", 1))
        base = first if isinstance(first, Tensor) else Tensor((None, None, 3), None, "numpy")
        if size and len(size) == 2:  # noqa: PLR2004
            tail = (base.dims or (None, None, 3))[2:]
            return Tensor((size[1], size[0], *tail), base.dtype, "numpy", line=made.line)
        return base
    if name in {"cvtColor", "GaussianBlur", "flip", "warpAffine", "copyMakeBorder"}:
        return first if isinstance(first, Tensor) else None
    return None


# ---------------------------------------------------------------- many into one


def joined(made: Made, first: Value | None, name: str, lib: str) -> Tensor:
    """Stack or concatenate the samples of a batch, or a few tensors."""
    axis = whole(made.get("dim", 1) or made.get("axis", 1)) or 0
    parts = [first.item] if isinstance(first, Repeat) else first.items if isinstance(first, Seq) else []
    count = first.count if isinstance(first, Repeat) else len(parts) or None
    base = next((each for each in parts if isinstance(each, Tensor)), Tensor(None, None, lib))
    stacks = name == "stack"
    found = Tensor(None, base.dtype, lib, varies=base.varies or not stacks, float64=base.float64, line=made.line)
    if base.dims is not None and stacks:
        place = axis if axis >= 0 else len(base.dims) + 1 + axis
        found.dims = (*base.dims[:place], count, *base.dims[place:])
    elif base.dims:
        place = axis if axis >= 0 else len(base.dims) + axis
        one = base.dims[place] if place < len(base.dims) else None
        total = count * one if count is not None and one is not None else None
        found.dims = (*base.dims[:place], total, *base.dims[place + 1 :])
        found.varies = isinstance(first, Repeat)
    if isinstance(first, Seq) and parts and all(isinstance(each, Tensor) for each in parts):
        found.varies = base.varies
    return found


def padded(first: Value | None, made: Made) -> Tensor:
    """`pad_sequence` makes one tensor as long as the longest sample."""
    item = first.item if isinstance(first, Repeat) else None
    count = first.count if isinstance(first, Repeat) else None
    base = item if isinstance(item, Tensor) else Tensor(None, None)
    dims = (count, *base.dims) if base.dims is not None else None
    return Tensor(dims, base.dtype, varies=True, line=made.line)


def tokenized(made: Made) -> Value:
    """A tokenizer that pads to max_length gives token ids and a mask of that length."""
    length = whole(made.get("max_length"))
    to_longest = constant(made.get("padding")) != "max_length"
    batched = constant(made.get("return_tensors")) in {"pt", "np"}
    dims: Dims | None = None if length is None else ((1, length) if batched else (length,))
    names = ("input_ids", "attention_mask")
    return Map({name: Tensor(dims, "int64", varies=to_longest, line=made.line) for name in names})


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
    shape: Dims | None = None if unknown and not _all_slices(found, parts) else (*found, *(dims or ()))
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


def method(  # noqa: C901, PLR0911, PLR0912
    machine: Machine | None, owner: Tensor, name: str, args: list[Value], kwargs: dict[str, Value]
) -> Value:
    """Return what a method of a tensor gives."""
    del machine
    made = Tensor(owner.dims, owner.dtype, owner.lib, owner.whole, resident=owner.resident,
                  varies=owner.varies, float64=owner.float64, line=owner.line)  # fmt: skip
    if name in _CASTS and not args:
        made.dtype, made.float64 = _CASTS[name], name == "double"
        changed = made.dtype != owner.dtype or owner.dtype is None
        made.whole, made.resident = (None, False) if changed else (owner.whole, owner.resident)
        return made
    if name in {"to", "type", "astype", "type_as"}:
        dtype = dtype_of(kwargs.get("dtype")) or next((each for each in map(dtype_of, args) if each), None)
        if dtype is not None:
            made.dtype, made.float64, made.whole, made.resident = dtype, dtype == "float64", None, False
        return made
    if name in {"clone", "copy", "deepcopy"}:
        made.whole, made.resident = None, False
        return made
    if name == "numpy":
        made.lib = "numpy"
        return made
    if name in {"item", "tolist", "size", "dim", "numel", "__len__", "sum", "max", "min", "mean", "argmax", "std"}:
        if name in {"size", "__len__"} and args and owner.dims:
            place = whole(args[0])
            if place is not None and -len(owner.dims) <= place < len(owner.dims):
                return Const(owner.dims[place]) if owner.dims[place] else Unknown("")
        if name == "size" and owner.dims is not None:
            return Seq([Unknown("") if each is None else Const(each) for each in owner.dims], "tuple")
        return Unknown("")
    if name in _RESHAPING:
        return _reshaped(made, name, args)
    if name in {"squeeze"}:
        return _reshaped(made, name, args)
    if name == "crop" and owner.lib == "pil":
        made.dims = (None, None, *(owner.dims or (None, None, 3))[2:])
        return made
    if name in _SAME:
        return made
    if name == "getdata" or name.startswith("__"):
        return Unknown("")
    return Tensor(None, owner.dtype, owner.lib, varies=owner.varies, line=owner.line)


def _reshaped(made: Tensor, name: str, args: list[Value]) -> Tensor:  # noqa: C901, PLR0912
    dims = made.dims
    wanted = numbers(args[0]) if len(args) == 1 and isinstance(args[0], Seq) else tuple(whole(each) for each in args)
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
        good = len(order) == len(dims) and all(each is not None and -len(dims) <= each < len(dims) for each in order)
        made.dims = tuple(dims[each or 0] for each in order) if good else (dims[::-1] if not order else None)
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
