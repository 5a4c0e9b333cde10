"""Datasets: what one sample is, and which tensors they keep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from calculator import resources
from calculator.readers.code import calls, transforms
from calculator.readers.code.tensors import size_bytes
from calculator.readers.code.values import (
    Choice,
    Const,
    Func,
    Made,
    Map,
    Obj,
    Repeat,
    Seq,
    Tensor,
    Unknown,
    Value,
    numbers,
    whole,
)

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

_AROUND: Final = {"Subset", "ConcatDataset", "ChainDataset", "random_split", "Dataset",
                  "SmartCacheDataset", "CacheDataset", "PersistentDataset", "LMDBDataset",
                  "CacheNTransDataset", "SubjectsDataset", "shuffle", "repeat"}  # fmt: skip


def sample_of(machine: Machine, dataset: Value | None, depth: int = 0) -> Value | None:
    """Return what one item of a dataset is; None where nothing is known."""
    if dataset is None or depth > 6:  # noqa: PLR2004
        return None
    match dataset:
        case Obj() if dataset.cls is not None:
            return _of_object(machine, dataset)
        case Made():
            return _of_made(machine, dataset, depth)
        case Choice():
            found = [sample_of(machine, each, depth + 1) for each in dataset.options[:4]]
            return next((each for each in found if each is not None), None)
        case Repeat():
            return dataset.item
        case Seq() if dataset.items:
            first = dataset.items[0]
            inner = sample_of(machine, first, depth + 1)
            return inner or (first if isinstance(first, Tensor | Map | Seq) else None)
        case Tensor() if dataset.dims:
            return _item(dataset)
        case _:
            return None


def _of_object(machine: Machine, dataset: Obj) -> Value | None:
    assert dataset.cls is not None  # noqa: S101 - for the type checker
    _mark_own(list(dataset.attributes.values()))
    for name in ("__getitem__", "__iter__", "__getitems__"):
        method = dataset.cls.find(name)
        if isinstance(method, Func):
            bound = Func(method.node, method.scope, dataset, method.defaults)
            found = calls.call_function(machine, bound, [Unknown("index")], {}, method.node)
            found = _best(found)
            if _informative(found):
                return found
            pipeline = transforms.find_pipeline([*dataset.arguments, *dataset.attributes.values()])
            if pipeline is not None:
                image = _through(pipeline)
                if isinstance(found, Seq) and len(found.items) > 1:
                    return Seq([image, *found.items[1:]], "tuple")
                return image
            return found
    for base in dataset.cls.bases:
        inner = Made(getattr(base, "name", ""), dataset.arguments, {}, line=dataset.line)
        found_base = _of_made(machine, inner, 5)
        if found_base is not None:
            return found_base
    pipeline = transforms.find_pipeline(dataset.arguments)
    return _through(pipeline) if pipeline is not None else None


def _mark_own(values: list[Value]) -> None:
    """Mark the tensors that a dataset keeps: what it returns of them is no copy."""
    for each in values[:200]:
        inner = each.item if isinstance(each, Repeat) else each
        if isinstance(inner, Tensor) and inner.lib == "torch":
            inner.resident = True


def _best(value: Value) -> Value:
    """Of several returns take the one that tells most."""
    while isinstance(value, Choice):
        told = [each for each in value.options if _informative(each)]
        value = (told or value.options)[0]
    return value


def _informative(value: Value | None) -> bool:
    match value:
        case Tensor():
            return value.dims is not None and (None not in value.dims or value.lib == "numpy")
        case Map():
            return any(_informative(each) for each in value.items.values())
        case Seq():
            return any(_informative(each) for each in value.items)
        case _:
            return False


def _through(pipeline: Value) -> Value:
    if any(transforms.by_keys(each) for each in transforms.steps_of(pipeline)):
        return transforms.volumes(pipeline)
    return transforms.run(pipeline, transforms.image_of_unknown_size())


def _of_made(machine: Machine, made: Made, depth: int) -> Value | None:
    if made.short == "TensorDataset":
        items = [_item(each) for each in made.args if isinstance(each, Tensor)]
        unknown: list[Value] = [
            Tensor(None, None, resident=True) for each in made.args if not isinstance(each, Tensor)
        ]
        return Seq([*items, *unknown], "tuple")
    pipeline = transforms.find_pipeline([*made.kwargs.values(), *made.args])
    ready = resources.table("facts", "transforms")["datasets"]["torchvision"].get(made.short)
    if ready is not None:
        return _ready_made(made, ready, pipeline)
    if pipeline is not None:
        return _through(pipeline)
    if made.short in _AROUND or made.short.endswith("Dataset") or depth:
        for each in [*made.args, *made.kwargs.values()]:
            found = sample_of(machine, each, depth + 1)
            if found is not None:
                return found
    return None


def _ready_made(made: Made, ready: dict[str, list[int]], pipeline: Value | None) -> Value:
    size = ready.get("image")
    if size is None:
        given = numbers(made.get("image_size", 1))
        size = (
            [whole(Const(each)) or 0 for each in (*given[1:], given[0])]
            if given
            else ready["default"]
        )
    dims = tuple(each or None for each in size)
    image = Tensor(dims, "uint8", "pil", line=made.line)
    first: Value = transforms.run(pipeline, image) if pipeline is not None else image
    return Seq([first, Const(0, line=made.line)], "tuple")


def _item(tensor: Tensor) -> Tensor:
    """Return one entry of a tensor that the dataset keeps."""
    dims = tensor.dims[1:] if tensor.dims else None
    return Tensor(dims, tensor.dtype, tensor.lib, tensor.dims if tensor.lib == "torch" else None,
                  resident=True, float64=tensor.float64, line=tensor.line)  # fmt: skip


# ---------------------------------------------------------------- what a dataset keeps


def kept_tensors(dataset: Value | None, depth: int = 0) -> tuple[int | None, int, bool]:
    """Return bytes and number of the torch tensors a dataset keeps, and whether it keeps arrays.

    The bytes are None where it keeps tensors of unknown size.
    """
    if dataset is None or depth > 5:  # noqa: PLR2004
        return 0, 0, False
    match dataset:
        case Tensor() if dataset.lib == "torch":
            return size_bytes(dataset), 1, False
        case Tensor():
            return 0, 0, True
        case Repeat():
            one, number, arrays = kept_tensors(dataset.item, depth + 1)
            known = one is not None and dataset.count is not None
            if not number:
                return 0, 0, arrays
            return (
                (one or 0) * (dataset.count or 0) if known else None,
                number * (dataset.count or 1),
                arrays,
            )
        case Obj():
            parts = [each for name, each in dataset.attributes.items() if "transform" not in name]
        case Seq():
            parts = dataset.items
        case Map():
            parts = list(dataset.items.values())
        case Made() if dataset.short in _AROUND or dataset.short.endswith("Dataset"):
            parts = dataset.args
        case Choice():
            parts = dataset.options[:1]
        case _:
            return 0, 0, False
    found = [kept_tensors(each, depth + 1) for each in parts[:500]]
    sizes = [each[0] for each in found]
    total = None if None in sizes else sum(each for each in sizes if each is not None)
    return total, sum(each[1] for each in found), any(each[2] for each in found)
