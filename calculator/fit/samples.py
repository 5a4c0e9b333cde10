"""What travels: narrower numbers, smaller crops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from calculator.fit.model import Group
from calculator.fit.search import Dial, Move, Search
from calculator.loader import Collate
from calculator.sample import Kind, SampleField
from calculator.workload import Workload

CROP_STEP: Final = 16
"""Crops are tried in multiples of this many pixels, as networks with strides like them."""

VOLUME_DEPTH: Final = 32
"""From this size on the third dimension from the end is taken for depth, not for channels."""

_NARROWER: Final = {
    "float32": ({"float64"}, "Half the digits of numpy's default."),
    "float16": ({"float64", "float32"}, "Half the digits on the way; widen on the GPU."),
    "uint8": (
        {"float64", "float32", "float16", "bfloat16"},
        "For pixels only, as whole numbers from 0 to 255; normalise on the GPU.",
    ),
}
"""What a dtype can stand in for, and what that costs."""


def dtypes(search: Search) -> Iterator[Move]:
    """Send floating-point fields narrower."""
    for dtype, (wider, costs) in _NARROWER.items():
        changes = {
            f"{path}.dtype": dtype
            for path, field in _tensors(search.workload)
            if field.dtype in wider
        }
        if changes:
            yield Move("dtype", Group.SAMPLES, f"Send {dtype}", costs, changes)


def crops(search: Search) -> Iterator[Dial]:
    """Crop every large field to the same side in the worker."""
    fields = [(p, f) for p, f in _tensors(search.workload) if _spatial(f) and f.sizes is None]
    largest = max((min(f.shape[-_spatial(f) :]) for _, f in fields), default=0) // CROP_STEP
    if not largest:
        return

    def changes(steps: int) -> dict[str, Any]:
        side = steps * CROP_STEP
        return {
            f"{path}.shape": [
                *field.shape[: -_spatial(field)],
                *(min(side, size) for size in field.shape[-_spatial(field) :]),
            ]
            for path, field in fields
        }

    yield Dial(
        kind="crop",
        group=Group.SAMPLES,
        low=1,
        high=largest,
        changes=changes,
        label=lambda steps: f"Crop to {steps * CROP_STEP} in the worker",
        costs=lambda _: "Less of each sample.",
    )


def _spatial(field: SampleField) -> int:
    """How many trailing dimensions are space: 2 for images and clips, 3 for volumes, else 0."""
    shape = field.shape
    if len(shape) < 3 or min(shape[-2:]) < CROP_STEP:  # noqa: PLR2004 - channels, height, width
        return 0
    volume = len(shape) > 3 and shape[-3] >= VOLUME_DEPTH  # noqa: PLR2004
    return 3 if volume else 2


def _tensors(workload: Workload) -> Iterator[tuple[str, SampleField]]:
    for i, loader in enumerate(workload.loaders):
        if loader.num_workers and loader.collate is not Collate.NUMPY:
            for j, field in enumerate(loader.fields):
                if field.kind is Kind.TENSOR:
                    yield f"loaders.{i}.fields.{j}", field
