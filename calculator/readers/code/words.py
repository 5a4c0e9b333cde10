"""Sentences about what was read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from calculator.readers.code.facts import Facts
from calculator.readers.code.job import Job
from calculator.readers.code.resolved import Number
from calculator.readers.reading import Estimate
from calculator.units import size

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine


def shape(dims: Sequence[int | None]) -> str:
    """Return `3x224x224`; `?` for what is not known."""
    return "x".join("?" if each is None else str(each) for each in dims) or "one number"


def notes(machine: Machine, job: Job, estimate: Estimate | None) -> Iterator[str]:
    """Say what was found, the most important first."""
    if not job.loaders:
        yield "No DataLoader is made in this code: paste the lines that make one."
        return
    if estimate is not None:
        yield _total(job, estimate)
    for each in job.loaders:
        yield _loader(each)
        yield from _details(machine, each)
    yield from job.notes
    if job.ranks.words:
        yield f"{job.ranks.words}."
    if machine.source.left_out:
        lines = ", ".join(map(str, sorted(set(machine.source.left_out))[:5]))
        more = " and others" if len(set(machine.source.left_out)) > 5 else ""  # noqa: PLR2004
        yield f"What is no Python that can be read was left out: line {lines}{more}."


def _total(job: Job, estimate: Estimate) -> str:
    need = f"/dev/shm needs {size(estimate.need_bytes)}"
    if job.processes == 1:
        return f"{need}; {size(estimate.recommended_bytes)} is the size to set."
    each = size(estimate.per_rank_peak_bytes)
    return (
        f"{need} for {job.processes} processes ({each} of batches in each of the {job.processes} ranks, "
        f"and what NCCL adds); {size(estimate.recommended_bytes)} is the size to set."
    )


def _loader(each: Facts) -> str:
    count = "samples one by one" if each.alone else f"batches of {_known(each.batch)}"
    sample = f" x {shape(each.shape)} {each.dtype}" if each.shape and len(each.fields) == 1 else ""
    if each.sample_bytes is not None and not sample:
        sample = f", {size(each.sample_bytes)} a sample"
    crops = f", {each.crops} crops of each (num_samples)" if each.crops > 1 else ""
    workers = "no workers" if each.workers.value == 0 else f"{_known(each.workers)} workers"
    prefetch = "" if each.prefetch is None else f", prefetch_factor {each.prefetch}"
    pin = ", pin_memory" if each.pin else ""
    return f"{each.name} (line {each.site.line}): {count}{sample}{crops}, {workers}{prefetch}{pin}."


def _known(found: Number) -> str:
    if found.exact:
        return str(found.value)
    if found.value is not None:
        return f"at most {found.value} ({found.text})" if found.text else f"at most {found.value}"
    return f"an unknown number of ({found.text})" if found.text else "an unknown number of"


def _details(machine: Machine, each: Facts) -> Iterator[str]:
    for name, found in (("batch size", each.batch), ("number of workers", each.workers)):
        if found.by_default and found.by_default != "absent" and not (name == "batch size" and each.alone):
            yield f"{each.name}: the {name}, {found.value}, is a default ({found.by_default})."
        if found.options:
            values = " or ".join(dict.fromkeys("unknown" if value is None else str(value) for value, _ in found.options))
            condition = found.options[0][1]
            yield f"{each.name}: the {name} depends on a condition ({condition}): {values}; sized for {found.value}, the larger."
    if each.pin and each.workers.value != 0:
        yield f"{each.name}: pin_memory copies each batch out of /dev/shm soon; the pinned copies count as memory of the container."
    if each.sample_from:
        said = "what you said" if each.sample_from == "you" else each.sample_from
        yield f"{each.name}: the shape of a sample is from {said}."
    elif each.shape is not None and (line := each.fields[0].line):
        yield f"{each.name}: the shape {shape(each.shape)} follows from line {line}: {machine.source.line_text(line)[:100]}"
    first = next((one for one in each.fields if one.kind == "tensor"), None)
    if first is not None and first.dtype is None and each.shape is not None:
        yield f"{each.name}: no dtype can be seen; float32 is assumed, PyTorch's default."
    if each.unknown_collate:
        yield f"{each.name}: its collate function is not in the paste; taken to make one tensor a field."
    if each.kind == "fastai":
        yield f"{each.name}: item_tfms decide what workers send, as uint8; batch_tfms run later, on the GPU."
    if each.kind == "queue":
        yield f"{each.name}: a queue of TorchIO; each of its workers loads whole subjects."
    if each.kind == "hf":
        yield f"{each.name}: the loader that the Trainer makes of these arguments."
    if each.kind == "ffcv":
        yield f"{each.name}: an FFCV loader works with threads and does not use /dev/shm."
    if each.site.breaks or each.site.takes:
        yield f"{each.name}: its loop is left early; what was prefetched is thrown away."
