"""fastai: the size of item transforms decides; batch transforms run later, on the GPU."""

from __future__ import annotations

from calculator.readers.code.values import Const, Made, Seq, Tensor, Value, numbers, whole


def sample_of(call: Made) -> Value | None:
    """Return one item: uint8 images of the size that `item_tfms` or, in version 1, `size` says."""
    found: list[Value] = [call.kwargs["item_tfms"]] if "item_tfms" in call.kwargs else []
    found += _of_block(call)
    for each in found:
        for step in each.items if isinstance(each, Seq) else [each]:
            if isinstance(step, Made) and step.short in {
                "Resize",
                "RandomResizedCrop",
                "CropPad",
                "RandomCrop",
            }:
                size = _square(step.get("size", 0))
                if size:
                    return _image(size, "uint8", step.line)
    if "DataBunch" in call.name and (size := _square(call.kwargs.get("size"))):
        return _image(size, "float32", call.line)
    return None


def _of_block(call: Made) -> list[Value]:
    """A DataBlock carries its item transforms itself."""
    parts = [*call.args, *call.kwargs.values()]
    return [
        each.kwargs["item_tfms"]
        for each in parts
        if isinstance(each, Made) and "item_tfms" in each.kwargs
    ]


def _square(value: Value | None) -> tuple[int, int] | None:
    one = whole(value)
    if one is not None:
        return (one, one)
    sides = numbers(value)
    if sides and len(sides) == 2 and None not in sides:  # noqa: PLR2004
        return (sides[0] or 0, sides[1] or 0)
    return None


def _image(size: tuple[int, int], dtype: str, line: int) -> Value:
    return Seq([Tensor((3, *size), dtype, line=line), Const(0, line=line)], "tuple")
