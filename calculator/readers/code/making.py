"""Calls that make tensors and arrays: of torch, numpy, PIL, OpenCV and tokenizers."""

from __future__ import annotations

import re
from typing import Final

from calculator.readers.code.tensors import dtype_of, method
from calculator.readers.code.values import (
    Batch,
    Const,
    Dims,
    Made,
    Map,
    Repeat,
    Seq,
    Tensor,
    Unknown,
    Value,
    constant,
    numbers,
    whole,
)

_FILLED: Final = {"zeros", "ones", "empty", "rand", "randn", "full", "randint", "normal"}
_LABEL: Final = re.compile(r"label|target|class|\by\b|score", re.IGNORECASE)
_LIKE: Final = {"zeros_like", "ones_like", "empty_like", "rand_like", "randn_like", "full_like"}


def made_tensor(made: Made) -> Value | None:
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
    if name in {"read_image", "decode_image", "decode_jpeg"}:
        return Tensor((3, None, None), "uint8", line=line)
    if name in {"imread", "imdecode"}:
        return Tensor((None, None, 3), "uint8", "numpy", line=line)
    if made.name == "librosa.load":
        return Seq([Tensor((None,), "float32", "numpy", line=line), Unknown("")], "tuple")
    return None


def _torch(made: Made, name: str) -> Value | None:
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
        count = (
            ends[0] if len(ends) == 1 else None if None in ends else (ends[1] or 0) - (ends[0] or 0)
        )
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
        turned = (
            (dims[-1], *dims[:-1]) if isinstance(first, Tensor) and first.lib != "torch" else dims
        )
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
    if name in {"interpolate", "resize"} and None not in size:
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
    dtype = dtype_of(made.get("dtype")) or {"FloatTensor": "float32", "LongTensor": "int64"}.get(
        name
    )
    line = made.line
    if isinstance(first, Tensor):
        shared = name in {"from_numpy", "as_tensor"}
        found = "float32" if name == "Tensor" else first.dtype
        return Tensor(first.dims, dtype or found, "torch", resident=first.resident and shared,
                      varies=first.varies, line=line,
                      float64=first.float64 and not dtype and found == "float64")  # fmt: skip
    if name == "Tensor" and first is not None and whole(first) is not None:
        return Tensor(_dims(made, name), "float32", line=line)
    if isinstance(first, Const):
        floats = isinstance(first.value, float)
        return Tensor((), dtype or ("float32" if floats else "int64"), line=line)
    if isinstance(first, Seq):
        kinds = [constant(each) for each in first.items]
        floats = any(isinstance(each, float) for each in kinds)
        known = all(isinstance(each, int | float) for each in kinds)
        return Tensor(
            (len(first.items),), dtype or (("float32" if floats else "int64") if known else None)
        )
    if isinstance(first, Repeat):
        dims = (first.count, *(_item_dims(first.item)))
        return Tensor(dims, dtype or "int64", line=line)
    if isinstance(first, Batch):
        return first
    looks_like_label = _LABEL.search(made.text) is not None
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


def _numpy(made: Made, name: str) -> Value | None:
    line, dtype = made.line, dtype_of(made.get("dtype"))
    first = made.args[0] if made.args else None
    if name in {
        "zeros",
        "ones",
        "empty",
        "full",
        "rand",
        "randn",
        "random",
        "normal",
        "uniform",
        "random_sample",
        "randint",
        "standard_normal",
    }:
        floats = name != "randint"
        if name in {"zeros", "ones", "empty"} and len(made.args) > 1:
            dtype = dtype or dtype_of(made.args[1])
        dims = _numpy_dims(made, name)
        return Tensor(dims, dtype or ("float64" if floats else "int64"), "numpy",
                      float64=floats and not dtype, line=line)  # fmt: skip
    if name in _LIKE and isinstance(first, Tensor):
        return Tensor(first.dims, dtype or first.dtype, "numpy", line=line)
    if name in {
        "array",
        "asarray",
        "ascontiguousarray",
        "copy",
        "flip",
        "squeeze",
        "float32",
        "uint8",
        "int64",
        "clip",
    }:
        cast = dtype_of(Const(name)) if name in {"float32", "uint8", "int64"} else dtype
        if isinstance(first, Tensor):
            return Tensor(
                first.dims, cast or first.dtype, "numpy", float64=first.float64, line=line
            )
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
            return method(first, "transpose", made.args[1:], {})
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
        flag = made.get("flags", 1)
        grey = whole(flag) == 0 or getattr(flag, "name", "").endswith("GRAYSCALE")
        return Tensor((None, None) if grey else (None, None, 3), "uint8", "numpy", line=made.line)
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
    parts = (
        [first.item] if isinstance(first, Repeat) else first.items if isinstance(first, Seq) else []
    )
    count = first.count if isinstance(first, Repeat) else len(parts) or None
    base = next((each for each in parts if isinstance(each, Tensor)), Tensor(None, None, lib))
    stacks = name == "stack"
    found = Tensor(
        None,
        base.dtype,
        lib,
        varies=base.varies or not stacks,
        float64=base.float64,
        line=made.line,
    )
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
