"""When a warning is due; the words are data, `facts/code.toml`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from calculator.readers.code.facts import Facts, travels_whole
from calculator.readers.code.job import Job
from calculator.readers.code.words import remark
from calculator.readers.reading import Remark
from calculator.units import GIB, size

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

MANY_TENSORS: Final = 1000
"""Tensors a batch: about as many open files as a process may have by default."""

VERY_LARGE: Final = 512 * GIB
VERY_LARGE_BATCH: Final = 64 * GIB


def remarks(machine: Machine, job: Job) -> list[Remark]:
    """Return what deserves a warning, each id once."""
    found: dict[str, Remark] = {}
    of_loaders = (one for each in job.loaders for one in _of_loader(each))
    for each in (*_of_job(machine, job), *of_loaders):
        found.setdefault(each.id, each)
    return list(found.values())


def _of_job(machine: Machine, job: Job) -> Iterator[Remark]:
    working = [each for each in job.loaders if each.workers.value != 0]
    if job.loaders and not working:
        yield remark("workers_zero")
    if job.together and len(working) > 1:
        names = " and ".join(each.name for each in working[:4])
        yield remark("loaders_alive_together", names=names)
    if job.spawns and working:
        yield from _spawned(job, working)
    if job.strategy is not None and job.strategy.value == "file_system":
        yield remark("file_system_leftovers")
    yield from _large(job)
    cpus = machine.given.get("cpus")
    counts = [each.workers.value or 0 for each in working]
    workers = job.processes * (sum if job.together else max)(counts or [0])
    if isinstance(cpus, int) and workers > cpus:
        yield remark("more_workers_than_cpus", workers=workers, cpus=cpus)


def _large(job: Job) -> Iterator[Remark]:
    sizes = [each.batch_bytes or 0 for each in job.loaders]
    counts = [each.batches(each.workers.value) or 0 for each in job.loaders]
    peaks = [one * count for one, count in zip(sizes, counts, strict=True)]
    total = job.processes * (sum if job.together else max)(peaks or [0])
    if total > VERY_LARGE or max(sizes, default=0) > VERY_LARGE_BATCH:
        yield remark("very_large_batch", total=size(total))


def _spawned(job: Job, working: list[Facts]) -> Iterator[Remark]:
    why = f"Workers start by {job.start_method}"
    if not job.start_method_said and job.python:
        why += f", the default of Python {job.python}"
    if any(each.kept_tensors for each in working):
        amount = "" if not job.resident else f" ({size(job.resident)} in each process)"
        yield remark("spawn_dataset_tensors", why=why, amount=amount)
    if any(each.kept_arrays for each in working):
        yield remark("dataset_copied_per_worker", why=why)


def _of_loader(each: Facts) -> Iterator[Remark]:
    name, workers = each.name, each.workers
    if workers.machine:
        bound = ""
        if workers.value is not None:
            bound = f"; sized for {workers.value}, the most it can be"
        what = "its GPUs" if "gpu" in workers.text.lower() else "cpu_count"
        expression = workers.text or "cpu_count"
        yield remark(
            "workers_from_machine", name=name, expression=expression, what=what, bound=bound
        )
    idle = workers.exact and workers.value == 0
    if idle and (each.prefetch_given or each.persistent):
        what = "prefetch_factor" if each.prefetch_given else "persistent_workers"
        yield remark("invalid_prefetch_without_workers", name=name, what=what)
    if each.kind == "queue":
        yield remark("queue_subjects", name=name)
    if each.varies:
        yield remark("variable_shapes", name=name)
    if not idle:
        yield from _of_batches(each)
    if any(one.tensor is not None and one.tensor.float64 for one in each.fields):
        yield remark("float64_doubles", name=name)


def _of_batches(each: Facts) -> Iterator[Remark]:
    if each.through_pipe:
        yield remark("numpy_through_pipe", name=each.name)
    if any(travels_whole(each, one) for one in each.fields):
        yield remark("view_shares_whole_storage", name=each.name)
    if each.site.kept:
        yield remark("batches_kept", name=each.name)
    tensors = len([one for one in each.fields if one.kind == "tensor"])
    count = tensors * each.crops
    if each.mode == "list":
        count *= each.batch.value or 1
    if count >= MANY_TENSORS:
        yield remark("many_small_tensors", name=each.name, count=count)
