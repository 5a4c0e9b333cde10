"""The reading: figures, questions, origins and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from calculator.loader import DEFAULT_PREFETCH
from calculator.readers import amounts
from calculator.readers.code import words
from calculator.readers.code.facts import Facts
from calculator.readers.code.job import Job, workload
from calculator.readers.code.remarks import remarks
from calculator.readers.reading import Estimate, LoaderReading, Origin, Question, Reading

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine


def reading(machine: Machine, job: Job) -> Reading:
    """Return everything that was read."""
    form = workload(job) if job.loaders else None
    found = estimate(job, machine.given.get("job"))
    return Reading(
        kind="code",
        format="notebook" if machine.source.notebook else "python",
        workload=form,
        loaders=tuple(loader_reading(job, each) for each in job.loaders),
        ranks=job.processes,
        alive_together=job.together if len(job.loaders) > 1 else None,
        asked=tuple(questions(job)),
        warnings=tuple(remarks(machine, job)),
        notes=tuple(words.notes(machine, job, found)),
        origins=tuple(_origins(machine, job)),
        estimate=found,
    )


def loader_reading(job: Job, each: Facts) -> LoaderReading:
    """Return the figures of one loader."""
    workers = each.workers.value if each.workers.exact else None
    batches = each.batches(workers)
    batch_bytes = each.batch_bytes
    peak = None if batch_bytes is None or batches is None else batch_bytes * batches
    at_most = peak + batch_bytes if peak and batch_bytes else peak
    named = each.context or (
        job.start_method if job.start_method_said else f"{job.start_method} (default)"
    )
    return LoaderReading(
        name=each.name,
        batch=each.batch.value if each.batch.exact else None,
        workers=workers if each.workers.exact else (each.workers.text or "not known"),
        prefetch=None if workers == 0 else each.prefetch or DEFAULT_PREFETCH,
        sample_shape=each.shape,
        dtype=each.dtype,
        tensors=_tensors(each),
        sample_bytes=each.sample_bytes,
        payload_bytes=each.payload_bytes,
        tensors_per_batch=_tensors_per_batch(each),
        batch_bytes=batch_bytes if each.batch.exact else None,
        peak_batches=batches,
        peak_bytes=peak,
        peak_max_bytes=at_most,
        persistent_workers=each.persistent,
        pin_memory=each.pin,
        collate=each.mode,
        context=named,
        transport="pipe" if each.through_pipe else None if workers == 0 else "shm",
    )


def _tensors_per_batch(each: Facts) -> int | None:
    if each.mode == "list" and each.batch.exact and each.batch.value:
        return each.batch.value * len([one for one in each.fields if one.kind == "tensor"])
    return None


def _tensors(each: Facts) -> tuple[tuple[tuple[int, ...], str], ...]:
    return tuple(
        (tuple(size or 0 for size in one.dims), one.dtype or "float32")
        for one in each.fields
        if one.kind == "tensor" and one.dims is not None and None not in one.dims
    )


def estimate(job: Job, below: Mapping[str, Any] | None = None) -> Estimate | None:
    """Return what the engine makes of the job; None where something it needs is open.

    Args:
        job: what was read.
        below: the whole input JSON of the job that it is laid over, if there is one.
    """
    if not job.complete():
        return None
    peaks = [
        (each.batch_bytes or 0) * (each.batches(each.workers.value) or 0) for each in job.loaders
    ]
    resident = job.resident or 0
    alone = (sum if job.together else max)(peaks)
    sized = amounts.sized({"ranks": job.processes, **workload(job)}, below)
    if sized is None:
        return None
    return Estimate(
        per_rank_peak_bytes=alone + resident,
        container_peak_bytes=job.processes * (alone + resident),
        resident_bytes=resident,
        full_bytes=sized.steady_need_bytes,
        need_bytes=sized.need_bytes,
        recommended_bytes=sized.recommended_bytes,
    )


# ---------------------------------------------------------------- what is open


def questions(job: Job) -> Iterator[Question]:
    """Ask for what could not be read, field by field."""
    for place, each in enumerate(job.loaders):
        for key, found in (("batch_size", each.batch), ("num_workers", each.workers)):
            if not found.exact:
                yield Question(
                    path=f"loaders.{place}.{key}",
                    question=words.question(key, name=each.name),
                    expression=found.text,
                )
        if each.sample_bytes is None and each.workers.value != 0:
            yield from _about_sample(f"loaders.{place}", each)
    if job.ranks.value is None:
        yield Question(path="ranks", question=words.question("ranks", why=job.ranks.asked))
    if job.resident is None:
        yield Question(path="dataset_tensor_bytes", question=words.question("dataset"))


def _about_sample(path: str, each: Facts) -> Iterator[Question]:
    what = "a subject (the whole volume)" if each.kind == "queue" else "one sample"
    unknown = [(place, one) for place, one in enumerate(each.fields) if one.bytes is None]
    if not unknown:
        text = words.question("sample", what=what, name=each.name)
        yield Question(path=f"{path}.fields.0.shape", question=text)
    for place, one in unknown[:8]:
        known = words.question("known", shape=words.shape(one.dims)) if one.dims else ""
        text = words.question("field", field=one.name, what=what, name=each.name, known=known)
        yield Question(path=f"{path}.fields.{place}.shape", question=text)


def _origins(machine: Machine, job: Job) -> Iterator[Origin]:
    for place, each in enumerate(job.loaders):
        places = {
            f"loaders.{place}": each.site.line,
            f"loaders.{place}.batch_size": each.batch.line,
            f"loaders.{place}.num_workers": each.workers.line,
            **{f"loaders.{place}.fields.{at}": one.line for at, one in enumerate(each.fields)},
        }
        for path, line in places.items():
            if line:
                yield Origin(path=path, line=line, text=machine.source.line_text(line))
    if job.ranks.line:
        line = job.ranks.line
        yield Origin(path="ranks", line=line, text=machine.source.line_text(line))
