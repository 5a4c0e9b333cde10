"""Notices about what a sample is and how it is collated."""

from __future__ import annotations

import math

from calculator.loader import Collate, Loader
from calculator.notices.base import Case, Notice, first, notice, tip
from calculator.sample import Kind, SampleField
from calculator.units import size
from calculator.workload import StartMethod


def float64_doubles(case: Case) -> Notice | None:
    """float64 is what numpy makes when nobody says otherwise."""
    changes = retype(case, {"float64"}, "float32")
    if not changes:
        return None
    text = "A field travels as float64, numpy's default: twice the bytes of float32."
    fix = case.fix("Use float32", changes)
    return notice("float64_doubles", text, "measured", fix)


def wide_images(case: Case) -> Notice | None:
    """Images normalised in the worker travel four times as wide as their pixels."""
    changes = retype(case, {"float32", "float64"}, "uint8", dimensions=3, channels={1, 3, 4})
    if not changes:
        return None
    fix = case.fix("Use uint8", changes)
    if fix is None:
        return None
    text = (
        "Images travel as floating point. Sent as uint8 and normalised on the GPU, "
        f"the same job needs {size(fix.need_bytes)}."
    )
    return tip("wide_images", text, "uint8-collate", fix, case)


def numpy_through_pipe(case: Case) -> Notice | None:
    """Arrays left as they are do not use /dev/shm."""
    if first(case, lambda loader: loader.collate is Collate.NUMPY) is None:
        return None
    text = (
        "numpy arrays and lists that the collate function leaves as they are go through a pipe, "
        "pickled and copied: slower, and nothing of it in /dev/shm."
    )
    return notice("numpy_through_pipe", text, "pytorch-collate", level="tip")


def retype(
    case: Case,
    old: set[str],
    new: str,
    *,
    dimensions: int = 0,
    channels: set[int] | None = None,
) -> dict[str, str]:
    """Return the changes that give every matching tensor field the dtype `new`."""
    return {
        f"loaders.{i}.fields.{j}.dtype": new
        for i, loader in enumerate(case.sizing.workload.loaders)
        if loader.num_workers and loader.collate is not Collate.NUMPY
        for j, field in enumerate(loader.fields)
        if field.kind is Kind.TENSOR
        and field.dtype in old
        and (not dimensions or len(field.shape) == dimensions)
        and (channels is None or field.shape[0] in channels)
    }


def view_shares_whole_storage(case: Case) -> Notice | None:
    """A view that nothing copies takes its whole storage along."""
    changes = {
        **_own_storages(case),
        **_uncopied_dataset(case),
    }
    if not changes:
        return None
    text = (
        "A view travels with its whole storage, and the dataset's own tensors with everything "
        "they hold. clone() in __getitem__ or in the collate function sends only what is used."
    )
    return notice(
        "view_shares_whole_storage", text, "pytorch-reductions", case.fix("Clone", changes)
    )


def _own_storages(case: Case) -> dict[str, object]:
    return {
        f"loaders.{i}.fields.{j}.view_of": None
        for i, loader in enumerate(case.sizing.workload.loaders)
        if loader.num_workers and loader.collate in {Collate.STACK, Collate.LIST}
        for j, field in enumerate(loader.fields)
        if field.view_of and _is_larger(field.view_of, field, loader)
    }


def _is_larger(whole: tuple[int, ...], field: SampleField, loader: Loader) -> bool:
    samples = loader.samples if loader.copies else 1
    return math.prod(whole) > samples * field.numel


def _uncopied_dataset(case: Case) -> dict[str, object]:
    workload = case.sizing.workload
    if not workload.dataset_tensor_bytes or workload.effective_start_method is not StartMethod.FORK:
        return {}
    return {
        f"loaders.{i}.returns_dataset_tensors": False
        for i, loader in enumerate(workload.loaders)
        if loader.num_workers and loader.moves_dataset
    }


def variable_shapes(case: Case) -> Notice | None:
    """Where samples differ the largest batch is assumed."""
    if first(case, lambda loader: any(field.sizes for field in loader.fields)) is None:
        return None
    text = (
        "Samples differ in size: the need is that of a batch of the largest ones, which shuffling "
        "may or may not bring together."
    )
    return notice("variable_shapes", text, "measured", level="tip")
