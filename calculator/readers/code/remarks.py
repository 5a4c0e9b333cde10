"""Warnings about what was read: each rule beside its words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from calculator.readers.code.facts import Facts, travels_whole
from calculator.readers.code.job import Job
from calculator.readers.reading import Remark
from calculator.units import GIB, size

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

MANY_TENSORS: Final = 1000
VERY_LARGE: Final = 512 * GIB
VERY_LARGE_BATCH: Final = 64 * GIB


def remarks(machine: Machine, job: Job) -> list[Remark]:
    """Return what deserves a warning, each id once."""
    found: dict[str, Remark] = {}
    for each in (*_of_job(machine, job), *(one for facts in job.loaders for one in _of_loader(machine, facts))):
        found.setdefault(each.id, each)
    return list(found.values())


def _of_job(machine: Machine, job: Job) -> Iterator[Remark]:
    working = [each for each in job.loaders if each.workers.value != 0]
    if job.loaders and not working:
        yield Remark(
            id="workers_zero",
            text="num_workers is 0: batches are made in the main process, and nothing goes through /dev/shm.",
            source="pytorch-dataloader",
        )
    if job.together and len(working) > 1:
        names = " and ".join(each.name for each in working[:4])
        yield Remark(id="loaders_alive_together", text=f"{names} hold batches at the same time: their needs add up.")
    if job.spawns and working:
        yield from _spawned(job, working)
    if job.strategy is not None and job.strategy.value == "file_system":
        yield Remark(
            id="file_system_leftovers",
            text="The file_system strategy leaves files in /dev/shm after a crash or an early break, and uses as much of it as the default.",
            source="measured",
        )
    total = sum((each.batch_bytes or 0) * (each.batches(each.workers.value) or 0) for each in job.loaders)
    if total * job.processes > VERY_LARGE or any((each.batch_bytes or 0) > VERY_LARGE_BATCH for each in job.loaders):
        yield Remark(id="very_large_batch", text=f"This comes to {size(total * job.processes)}: check the batch size and the shape.")
    cpus = machine.given.get("cpus")
    workers = job.processes * sum(each.workers.value or 0 for each in working[: None if job.together else 1])
    if isinstance(cpus, int) and workers > cpus:
        yield Remark(id="more_workers_than_cpus", text=f"{workers} workers for {cpus} CPUs: more than can work at once.")


def _spawned(job: Job, working: list[Facts]) -> Iterator[Remark]:
    why = f"Workers start by {job.start_method}"
    if not job.start_method_said and job.python:
        why += f", the default of Python {job.python}"
    if any(each.kept_tensors for each in working):
        amount = "" if job.resident is None else f" ({size(job.resident)} in each process)"
        yield Remark(
            id="spawn_dataset_tensors",
            text=f"{why}: the tensors that the dataset keeps move to /dev/shm and stay there{amount}.",
            source="measured",
        )
    if any(each.kept_arrays for each in working):
        yield Remark(
            id="dataset_copied_per_worker",
            text=f"{why}: the arrays of the dataset are pickled, and every worker has a copy of its own in memory.",
        )


def _of_loader(machine: Machine, each: Facts) -> Iterator[Remark]:
    name = each.name
    if each.workers.machine:
        bound = "" if each.workers.value is None else f"; sized for {each.workers.value}, the most it can be"
        yield Remark(
            id="workers_from_machine",
            text=f"{name}: the number of workers, {each.workers.text or 'cpu_count'}, depends on the machine (cpu_count){bound}.",
        )
    if each.workers.exact and each.workers.value == 0 and (each.prefetch_given or each.persistent):
        what = "prefetch_factor" if each.prefetch_given else "persistent_workers"
        yield Remark(
            id="invalid_prefetch_without_workers",
            text=f"{name}: {what} needs num_workers above 0; PyTorch refuses this combination with a ValueError.",
            source="pytorch-dataloader",
        )
    if each.kind == "queue":
        yield Remark(
            id="queue_subjects",
            text=f"{name}: its workers send whole subjects, so the volume of a subject counts, not that of a patch.",
            source="torchio-queue",
        )
    if each.varies:
        yield Remark(id="variable_shapes", text=f"{name}: samples differ in size; sized for the largest.")
    if each.through_pipe and each.workers.value != 0:
        yield Remark(
            id="numpy_through_pipe",
            text=f"{name}: the collate function returns arrays or lists, which are pickled through a pipe and do not use /dev/shm.",
            source="measured",
        )
    yield from _of_sample(machine, each)
    if each.site.kept and each.workers.value != 0:
        yield Remark(
            id="batches_kept",
            text=f"{name}: every batch is kept, so /dev/shm and open files grow with each one; keep a clone() or less of it.",
            source="measured",
        )


def _of_sample(machine: Machine, each: Facts) -> Iterator[Remark]:
    del machine
    if any(one.tensor is not None and one.tensor.float64 and one.dtype == "float64" for one in each.fields):
        yield Remark(
            id="float64_doubles",
            text=f"{each.name}: NumPy makes float64 by default, 8 bytes a number; astype(np.float32) halves it.",
        )
    if any(travels_whole(each, one) for one in each.fields):
        yield Remark(
            id="view_shares_whole_storage",
            text=f"{each.name}: what is returned is a view, and its whole storage goes to /dev/shm; clone() the part.",
            source="measured",
        )
    tensors = len([one for one in each.fields if one.kind == "tensor"])
    count = tensors * (each.batch.value or 1) * each.crops if each.mode == "list" else tensors
    if count >= MANY_TENSORS and each.workers.value != 0:
        yield Remark(
            id="many_small_tensors",
            text=f"{each.name}: {count} tensors a batch, each with a mapping, a descriptor and at least a page of its own.",
            source="measured",
        )
