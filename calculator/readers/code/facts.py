"""Everything that is known of one loader: its numbers, its sample, and what is open."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from calculator.dtypes import ITEMSIZE
from calculator.loader import DEFAULT_PREFETCH
from calculator.readers.code import collates, datasets, fastai, loaders, samples, transforms
from calculator.readers.code.budget import EnoughError
from calculator.readers.code.resolved import Number, number, truth
from calculator.readers.code.samples import Field
from calculator.readers.code.values import (
    Const,
    LoaderSite,
    Made,
    Map,
    Seq,
    Tensor,
    Value,
    constant,
    numbers,
    whole,
)

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

_OF_BATCH: Final = re.compile(r"batch|torch\.Size|\bB\b|\bN\b", re.IGNORECASE)
"""A comment that speaks of batches states no sample."""

MAX_BATCH: Final = 10**9
MAX_WORKERS: Final = 4096


@dataclass
class Facts:
    """What is known of one loader.

    `alone`: samples travel one by one.  `kept_bytes` are of the tensors that its dataset keeps;
    None where their size is not known.  `context` is the start method that the call names.
    """

    site: LoaderSite
    name: str
    batch: Number
    workers: Number
    prefetch: int | None
    prefetch_given: bool
    persistent: bool
    pin: bool | None
    alone: bool
    context: str | None
    mode: str = "default"
    fields: list[Field] = field(default_factory=list)
    sample_from: str = ""
    crops: int = 1
    varies: bool = False
    unknown_collate: bool = False
    kept_bytes: int | None = 0
    kept_tensors: int = 0
    kept_arrays: bool = False

    @property
    def kind(self) -> str:
        """The kind of call."""
        return self.site.kind

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Shape of the first tensor; None where it is not known."""
        first = next((each for each in self.fields if each.kind == "tensor"), None)
        if first is None or first.dims is None or None in first.dims:
            return None
        return tuple(each or 0 for each in first.dims)

    @property
    def dtype(self) -> str | None:
        """The dtype of the first tensor."""
        first = next((each for each in self.fields if each.kind == "tensor"), None)
        return None if first is None or self.shape is None else first.dtype or "float32"

    @property
    def sample_bytes(self) -> int | None:
        """Raw bytes of what one item becomes, all its pieces together; Python numbers aside."""
        tensors = [each for each in self.fields if each.kind not in {"int", "float", "str"}]
        sizes = [each.bytes for each in tensors or self.fields]
        if not sizes or None in sizes:
            return None
        return self.crops * sum(each for each in sizes if each is not None)

    @property
    def payload_bytes(self) -> int | None:
        """Raw bytes that one sample sends: of a view that nothing copies, its whole storage."""
        if not any(travels_whole(self, each) for each in self.fields):
            return self.sample_bytes
        sizes = [_storage_bytes(self, each) for each in self.fields]
        return None if None in sizes else sum(each for each in sizes if each is not None)

    @property
    def batch_bytes(self) -> int | None:
        """Raw bytes of what a batch sends."""
        one = self.payload_bytes
        return None if one is None or self.batch.value is None else one * self.batch.value

    @property
    def through_pipe(self) -> bool:
        """Whether batches are pickled instead of shared."""
        return self.mode == "numpy"

    def batches(self, workers: int | None) -> int | None:
        """Return the batches that are queued or in use."""
        if workers is None:
            return None
        if self.through_pipe or not workers or self.kind == "ffcv":
            return 0
        return workers * (self.prefetch or DEFAULT_PREFETCH) + 1


def facts_of(machine: Machine, site: LoaderSite) -> Facts:
    """Find out everything about one loader."""
    picks: dict[object, int] = {}
    workers = _limited(number(loaders.workers_of(site), 0, picks), MAX_WORKERS)
    batch = _limited(number(loaders.batch_of(site), 1, picks), MAX_BATCH)
    alone = batch.none
    if alone:
        batch = Number(1, exact=True, none=True, line=batch.line)
    prefetch = number(loaders.option(site, "prefetch_factor"), DEFAULT_PREFETCH, picks)
    per_worker = (
        prefetch.value if prefetch.value and 0 < prefetch.value <= MAX_WORKERS else DEFAULT_PREFETCH
    )
    given = loaders.option(site, "prefetch_factor")
    context = constant(loaders.option(site, "multiprocessing_context"))
    found = Facts(
        site=site,
        name=(None if site.kind == "hf" else site.name) or _usual_name(site),
        batch=batch,
        workers=workers,
        prefetch=None if workers.value == 0 else per_worker,
        prefetch_given=given is not None and not (isinstance(given, Const) and given.value is None),
        persistent=bool(truth(loaders.option(site, "persistent_workers"), picks)),
        pin=truth(loaders.option(site, "pin_memory"), picks),
        alone=alone,
        context=context if context in {"fork", "spawn", "forkserver"} else None,
    )
    machine.steps = 0
    try:
        _fill_sample(machine, found)
    except (EnoughError, RecursionError):
        found.unknown_collate = True
    return found


def _usual_name(site: LoaderSite) -> str:
    return {"hf": "train", "queue": "queue", "fastai": "dls"}.get(site.kind, "loader")


def _limited(found: Number, most: int) -> Number:
    """Take absurd numbers for unreadable ones."""
    if found.value is not None and not 0 <= found.value <= most:
        return Number(text=str(found.value)[:40], line=found.line)
    return found


# ---------------------------------------------------------------- the sample


def _fill_sample(machine: Machine, found: Facts) -> None:
    site = found.site
    dataset = loaders.dataset(site)
    sample = _own_sample(machine, site) or datasets.sample_of(machine, dataset)
    found.crops = transforms.crops(sample) if sample is not None else 1
    if site.kind in {"timm", "ffcv", "yolo"}:
        found.mode = "stack"
    elif site.kind in {"torch", "thread", "fastai", "hf", "monai"}:
        function = loaders.argument(site, "collate_fn") if site.kind != "fastai" else None
        out = collates.collated(machine, function, sample, found.batch.value)
        found.mode, found.varies, found.unknown_collate = out.mode, out.varies, out.unknown
        if _complete(out.sample) or (out.sample is not None and not _complete(sample)):
            sample = out.sample
    told = samples.given_sample(machine.given)
    if told is not None and site.kind != "queue":
        sample, found.sample_from, found.crops = told, "you", 1
    elif not _complete(sample):
        hint = _hint(machine, found, dataset)
        if hint is not None:
            sample, found.sample_from = hint, "a comment"
        elif (
            dataset is not None and sample is None and (lone := _lone_pipeline(machine)) is not None
        ):
            sample, found.sample_from = lone, "the only transforms in the paste"
            found.crops = transforms.crops(lone)
    found.fields = samples.fields_of(sample)
    found.varies |= any(each.tensor is not None and each.tensor.varies for each in found.fields)
    keeps = site.kind not in {"queue", "hf", "yolo"}
    if keeps:
        found.kept_bytes, found.kept_tensors, found.kept_arrays = datasets.kept_tensors(dataset)


def _complete(sample: Value | None) -> bool:
    fields = samples.fields_of(sample)
    return bool(fields) and all(each.bytes is not None for each in fields)


def _own_sample(machine: Machine, site: LoaderSite) -> Value | None:
    """Return the sample that the loader's own arguments fix."""
    if site.kind == "fastai":
        return fastai.sample_of(site.call)
    if site.kind == "timm":
        size = site.call.get("input_size", 1)
        dims = numbers(size) or ((3, whole(size), whole(size)) if whole(size) else None)
        if dims is None or None in dims:
            return None
        prefetcher = constant(site.call.kwargs.get("use_prefetcher")) is not False
        image = Tensor((3, *dims[-2:]), "uint8" if prefetcher else "float32", line=site.line)
        return Seq([image, Const(0, line=site.line)], "tuple")
    if site.kind == "yolo":
        side = whole(site.call.kwargs.get("imgsz") or Const(640))
        return Tensor((3, side, side), "uint8", line=site.line) if side and side > 0 else None
    if site.kind == "hf":
        length = site.call.kwargs.get("max_length") or site.call.kwargs.get("max_seq_length")
        count = whole(length)
        names = ("input_ids", "attention_mask", "labels")
        if count and count > 0:
            return Map(
                {name: Tensor((count,), "int64", varies=True, line=site.line) for name in names}
            )
    if site.kind == "torch":
        source = loaders.dataset(site)
        if isinstance(source, LoaderSite) and source.kind == "queue":
            return _patch(source.call)
    del machine
    return None


def _patch(queue: Made) -> Value | None:
    """A queue hands out patches; their size stands in its sampler."""
    sampler = queue.get("sampler", 3)
    if not isinstance(sampler, Made):
        return None
    size = sampler.get("patch_size", 0)
    one = whole(size)
    dims = (one,) * 3 if one is not None else numbers(size)
    return Tensor((1, *dims), "float32", line=sampler.line) if dims else None


def _hint(machine: Machine, found: Facts, dataset: Value | None) -> Value | None:
    """Take the sample from a comment at the loader or its dataset, else from the only one."""
    source, batch = machine.source, found.batch.value
    near = [found.site.line]
    origin = getattr(getattr(dataset, "cls", None), "line", 0) or getattr(dataset, "line", 0)
    near += [origin] if origin else []
    near += [line - 1 for line in near if source.line_text(line - 1).startswith("#")]
    for line in near:
        sample = _in_comment(source.comments.get(line, ""), batch, near=True)
        if sample is not None:
            return sample
    stated = [_in_comment(each, batch) for each in list(source.comments.values())[:2000]]
    told = [each for each in stated if each is not None]
    return told[0] if len(told) == 1 else None


def _in_comment(text: str, batch: int | None, *, near: bool = False) -> Value | None:
    """Read a sample in a comment; of the shape of a batch take what is behind its size."""
    sample = samples.sample_in_comment(text, plain=near)
    if not _OF_BATCH.search(text):
        return sample
    if isinstance(sample, Tensor) and sample.dims and batch and sample.dims[0] == batch:
        return Tensor(sample.dims[1:], sample.dtype, varies=sample.varies)
    return None


def _lone_pipeline(machine: Machine) -> Value | None:
    chains = [each for each in machine.made if each.short == "Compose"]
    if len(chains) != 1:
        return None
    pipeline = chains[0]
    if any(transforms.by_keys(each) for each in transforms.steps_of(pipeline)):
        return transforms.volumes(pipeline)
    return transforms.run(pipeline, transforms.image_of_unknown_size())


def workload_fields(found: Facts) -> list[dict[str, Any]]:
    """Return the sample as the engine's input has it; [] where it is not complete."""
    if found.sample_bytes is None:
        return []
    entries: list[dict[str, Any]] = []
    used: set[str] = set()
    for each in found.fields:
        name = each.name if each.name not in used else f"{each.name} {len(used) + 1}"
        used.add(name)
        if each.kind != "tensor":
            entries.append({"name": name[:80], "kind": each.kind})
            continue
        shape = [size or 0 for size in each.dims or ()] or [1]
        entry: dict[str, Any] = {
            "name": name[:80],
            "shape": shape,
            "dtype": each.dtype or "float32",
        }
        if travels_whole(found, each):
            entry["view_of"] = [size or 1 for size in each.whole or ()]
        entries.append(entry)
    return [each for each in entries if each.get("shape") is None or math.prod(each["shape"]) > 0]


def _storage_bytes(found: Facts, each: Field) -> int | None:
    if not travels_whole(found, each):
        return each.bytes
    return math.prod(size or 0 for size in each.whole or ()) * ITEMSIZE[each.dtype or "float32"]


def travels_whole(found: Facts, each: Field) -> bool:
    """Tell whether a view takes its whole storage along: nothing copies it."""
    uncopied = found.alone or found.mode == "list"
    known = each.whole is not None and None not in each.whole
    return uncopied and known and each.whole != each.dims and not _is_resident(each)


def _is_resident(each: Field) -> bool:
    return each.tensor is not None and each.tensor.resident


def returns_own_tensors(found: Facts) -> bool:
    """Tell whether items are the dataset's own tensors and nothing copies them."""
    return (found.alone or found.mode == "list") and any(map(_is_resident, found.fields))
