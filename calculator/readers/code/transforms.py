"""Pipelines of transforms: what they make of an image or a volume.  The table is data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from calculator import resources
from calculator.readers.code.tensors import dtype_of
from calculator.readers.code.values import (
    Choice,
    Dims,
    Made,
    Map,
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

_CHAINS: Final = {
    "Compose",
    "Sequential",
    "OneOf",
    "SomeOf",
    "RandomApply",
    "AugmentationSequential",
}
_LIBRARIES: Final = ("torchvision", "albumentations", "monai", "torchio")
MAX_NESTED: Final = 8
"""Chains inside chains."""

_TIMM: Final = {"create_transform"}


def library(made: Made) -> str:
    """Return which library a transform is from; MONAI's for dicts end in d."""
    for each in _LIBRARIES:
        if made.name.startswith(each):
            return each
    name = made.short
    table = resources.table("facts", "transforms")
    if name not in table["torchvision"] and name.removesuffix("d") in table["monai"]:
        return "monai"
    if name in table["torchvision"] and not ({"height", "width"} & set(made.kwargs)):
        return "torchvision"
    return next((each for each in _LIBRARIES if name in table[each]), "torchvision")


def by_keys(made: Made) -> bool:
    """Tell whether a transform works on the entries of a dict, as MONAI's whose names end in d."""
    ends = made.short.endswith(("d", "D", "Dict"))
    return library(made) == "monai" and ("keys" in made.kwargs or (ends and bool(made.args)))


def rule(made: Made) -> dict[str, Any] | None:
    """Return what the table says of a transform."""
    table = resources.table("facts", "transforms")[library(made)]
    found = table.get(made.short)
    if found is None and library(made) == "monai":
        short = made.short
        base = (
            short.removesuffix("Dict").removesuffix("D")
            if short[-1:] in "tD"
            else short.removesuffix("d")
        )
        found = table.get(base)
    return found if isinstance(found, dict) else None


def steps_of(value: Value, depth: int = 0) -> list[Made]:
    """Return the transforms of a pipeline one after the other."""
    match value:
        case Made() if value.short in _CHAINS or value.short.endswith("Compose"):
            inner = value.get("transforms", 0)
            parts = [inner] if inner is not None else []
            if value.short == "Sequential":
                parts = list(value.args)
            return (
                [each for part in parts for each in steps_of(part, depth + 1)]
                if depth < MAX_NESTED
                else []
            )
        case Seq():
            return [each for part in value.items[:200] for each in steps_of(part, depth + 1)]
        case Choice():
            return max((steps_of(each, depth + 1) for each in value.options[:4]), key=len)
        case Made():
            return [value]
        case _:
            return []


def is_pipeline(value: Value) -> bool:
    """Tell whether a value is a transform that the table knows, or a chain of some."""
    if isinstance(value, Made) and (value.short in _CHAINS or value.short in _TIMM):
        return True
    if isinstance(value, Choice):
        return any(is_pipeline(each) for each in value.options)
    return isinstance(value, Made) and value.short[:1].isupper() and rule(value) is not None


def find_pipeline(values: list[Value]) -> Value | None:
    """Return the first pipeline among arguments; a chain before a single transform."""
    found = [each for each in values if is_pipeline(each)]
    chains = [each for each in found if isinstance(each, Made) and each.short in _CHAINS]
    return next(iter([*chains, *found]), None)


# ---------------------------------------------------------------- applying


def apply(machine: Machine, made: Made, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Return what calling a pipeline on a sample gives."""
    del machine
    if "image" in kwargs:  # albumentations: names in, names out
        out = Map()
        for name, value in kwargs.items():
            start = value if isinstance(value, Tensor) else Tensor((None, None, 3), None, "numpy")
            image = run(made, start, only_geometry=name != "image")
            out.items[name] = image
        return out
    first = args[0] if args else None
    if isinstance(first, Map) and any(isinstance(each, Tensor) for each in first.items.values()):
        changed = {
            key: run(made, each) if isinstance(each, Tensor) else each
            for key, each in first.items.items()
        }
        return Map(changed)
    steps = steps_of(made)
    if any(by_keys(each) for each in steps):
        return volumes(made)
    if not is_pipeline(made):
        return Unknown(made.text, line=made.line)
    return run(made, first if isinstance(first, Tensor) else image_of_unknown_size())


def image_of_unknown_size() -> Tensor:
    """Return what opening an image file gives."""
    return Tensor((None, None, 3), "uint8", "pil")


def run(pipeline: Value, image: Tensor, *, only_geometry: bool = False) -> Tensor:
    """Send one image or volume through a pipeline."""
    found = Tensor(image.dims, image.dtype, image.lib, varies=image.varies, line=image.line)
    if found.dims is None:
        found.dims = (None, None, 3) if found.lib != "torch" else (3, None, None)
    for step in steps_of(pipeline):
        what = rule(step)
        if what is not None:
            _apply_rule(found, step, what, only_geometry=only_geometry)
    found.line = pipeline.line
    return found


def _apply_rule(image: Tensor, step: Made, what: dict[str, Any], *, only_geometry: bool) -> None:
    size = _size(step, what, _extents(image))
    if size is not None:
        _resize(image, size)
    count = step.get("num_samples", _SAMPLES.get(step.short)) if what.get("samples") else None
    image.crops *= what.get("pieces", 1) * (whole(count) or 1)
    if only_geometry and "to" in what:
        return
    volume = library(step) == "monai"
    if "channels" in what:
        number = whole(step.get(what["channels"], 0)) or what["default"]
        _set_channels(image, number, volume=volume)
    if "number" in what:
        number = (
            what["number"] if isinstance(what["number"], int) else whole(step.get(what["number"]))
        )
        if number:
            _set_channels(image, number, volume=volume)
    if "tensor" in what:
        _to_tensor(image, what["tensor"], only_geometry=only_geometry)
    if "to" in what:
        image.dtype = what["to"]
    if "dtype" in what:
        image.dtype = dtype_of(step.get(what["dtype"], 0)) or image.dtype
    if what.get("image"):
        image.lib = "pil"


def _size(step: Made, what: dict[str, Any], spatial: int) -> Dims | None:
    """Return the new height and width, or the new extent of a volume."""
    sides = what.get("sides", [])
    if sides and (set(sides) & set(step.kwargs) or whole(step.get("", 0)) is not None):
        found = tuple(whole(step.get(side, place)) for place, side in enumerate(sides))
        if None not in found:
            return found
    key = what.get("crop") or what.get("shorter")
    if key is None:
        return None
    value = step.get(key, _position(step))
    one = whole(value) if value is not None else what.get("value")
    if one is not None:
        return (None,) * spatial if "shorter" in what else (one,) * spatial
    stated = numbers(value)
    if stated and len(stated) == 1:
        return stated * spatial
    return stated or (None,) * spatial


_SAMPLES: Final = {"RandCropByPosNegLabeld": 5, "RandSpatialCropSamplesd": 2}
"""Positions of num_samples."""


def _position(step: Made) -> int:
    """Return where the size stands: behind the keys, if there are any."""
    if step.short in {"RandCropByPosNegLabeld", "RandCropByLabelClassesd"}:
        return 2
    return 1 if by_keys(step) and "keys" not in step.kwargs else 0


def _resize(image: Tensor, size: Dims) -> None:
    dims = image.dims or ()
    size = size[-_extents(image) :]
    if image.lib == "torch":
        old = dims[-len(size) :]
        image.dims = (*dims[: -len(size)], *_over(size, old))
    else:
        image.dims = (*_over(size, dims[: len(size)]), *dims[len(size) :])


def _extents(image: Tensor) -> int:
    """Return how many sides a sample has: a volume with channels has three, an image two."""
    return 3 if len(image.dims or ()) == 4 and image.lib == "torch" else 2  # noqa: PLR2004


def _over(size: Dims, old: Dims) -> Dims:
    """Take -1 as "leave this side as it is"."""
    return tuple(before if after == -1 else after for after, before in zip(size, old, strict=False))


def _set_channels(image: Tensor, number: int, *, volume: bool) -> None:
    dims = image.dims or ()
    if image.lib == "torch":
        place = len(dims) - 3 if len(dims) >= 3 and not volume else 0  # noqa: PLR2004
        image.dims = (*dims[:place], number, *dims[place + 1 :])
    else:
        image.dims = (*dims[:-1], number)


def _to_tensor(image: Tensor, dtype: str, *, only_geometry: bool) -> None:
    dims = image.dims or ()
    if image.lib != "torch" and dims and not only_geometry:
        image.dims = (dims[-1], *dims[:-1])
    elif image.lib != "torch":
        image.dims = dims[:2]  # a mask has one value a pixel
    image.lib = "torch"
    if dtype != "same":
        image.dtype = dtype


# ---------------------------------------------------------------- MONAI's dicts


def volumes(pipeline: Value) -> Map:
    """Return the entries that a MONAI pipeline for dicts makes: one volume a key."""
    found: dict[str, Tensor] = {}
    for step in steps_of(pipeline):
        what = rule(step)
        for key in _keys(step):
            volume = found.setdefault(key, _volume(step.line))
            if what is None:
                continue
            if len(volume.dims or ()) != 1 + _spatial(step, what):
                volume.dims = (1, *(None,) * _spatial(step, what))
            if "number" in what or "channels" in what:
                volume.channels_assumed = False
            _apply_rule(volume, step, what, only_geometry=False)
        if step.short.removesuffix("d") in {"DeleteItems", "SelectItems"}:
            keep = set(_keys(step))
            wanted = step.short.startswith("Select")
            found = {key: each for key, each in found.items() if (key in keep) is wanted}
    return Map(dict(found), line=pipeline.line)


def _volume(line: int) -> Tensor:
    return Tensor((1, None, None, None), "float32", channels_assumed=True, line=line)


def _spatial(step: Made, what: dict[str, Any]) -> int:
    """Return how many dimensions the sizes of a step have; 3 where it says nothing."""
    key = what.get("crop")
    size = numbers(step.get(key, _position(step))) if key else None
    return len(size) if size and len(size) > 1 else 3


def _keys(step: Made) -> list[str]:
    keys = step.kwargs.get("keys") or (step.args[0] if step.args else None)
    found = [constant(each) for each in keys.items] if isinstance(keys, Seq) else [constant(keys)]
    return [each for each in found if isinstance(each, str)]


def crops(value: Value) -> int:
    """Return how many pieces a sample becomes."""
    match value:
        case Tensor():
            return value.crops
        case Map():
            return max((crops(each) for each in value.items.values()), default=1)
        case Seq():
            return max((crops(each) for each in value.items), default=1)
        case _:
            return 1
