"""Notices about processes: start method, sharing, limits, failure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from calculator.descriptors import Descriptors, descriptors
from calculator.loader import Collate
from calculator.notices.base import Case, Fix, Notice, first, notice
from calculator.typed import release
from calculator.units import count
from calculator.workload import StartMethod, Strategy

HANGS_SINCE: Final = (2, 10)
"""From this PyTorch on a failed copy to shared memory is an exception in the feeder thread."""

FORKSERVER_TENSORS: Final = 245
"""Tensors a dataset may hold under forkserver: each is a descriptor of one message (measured)."""


def spawn_dataset_tensors(case: Case) -> Notice | None:
    """Tensors of the dataset move to /dev/shm when it is pickled to the workers."""
    workload = case.sizing.workload
    if not workload.dataset_tensor_bytes or workload.effective_start_method is StartMethod.FORK:
        return None
    text = (
        f"{workload.effective_start_method.value} pickles the dataset to the workers, which moves "
        "its tensors to /dev/shm, once per process, and they stay. numpy arrays do not."
    )
    fix = case.fix("Keep them in numpy", {"dataset_tensor_bytes": 0})
    return notice("spawn_dataset_tensors", text, "python-314-forkserver", fix)


def gpus_and_processes(case: Case) -> Notice | None:
    """A container with more processes than GPUs, or fewer."""
    workload = case.sizing.workload
    gpus = workload.deployment.gpus
    if gpus is None or gpus == workload.ranks or not workload.accelerator:
        return None
    few = gpus < workload.ranks
    text = (
        f"The configuration asks for {count(gpus)} GPUs and starts {count(workload.ranks)} "
        f"training processes: {'some would have to share one' if few else 'some stay unused'}. "
        "The size is that of the processes."
    )
    if not gpus:
        fix = case.fix(f"Ask for {count(workload.ranks)}", {"deployment.gpus": workload.ranks})
        return notice("gpus_and_processes", text, "torchrun-local", fix)
    changes = {"ranks": gpus, "deployment.ranks_per_pod": None}
    fix = case.fix(f"{count(gpus)} processes", changes)
    return notice("gpus_and_processes", text, "torchrun-local", fix)


def many_small_tensors(case: Case) -> Notice | None:
    """Each tensor in flight is an open file."""
    wanted = max(case.descriptors.main, case.descriptors.worker)
    limit = case.sizing.workload.open_files_limit
    if wanted <= limit:
        return None
    text = (
        f"Each tensor in flight is an open file: a process needs {count(wanted)}, and "
        f"{count(limit)} are allowed. Raise ulimit -n, or stack the tensors into one per field."
    )
    fix = _stacked(case, lambda found: max(found.main, found.worker) <= limit)
    return notice("many_small_tensors", text, "pytorch-sharing", fix)


def _stacked(case: Case, enough: Callable[[Descriptors], bool]) -> Fix | None:
    """One tensor a field instead of a list of them, where samples are equal and that is enough."""
    changes = {
        f"loaders.{position}.collate": Collate.DEFAULT.value
        for position, loader in enumerate(case.sizing.workload.loaders)
        if loader.num_workers
        and loader.collate is Collate.LIST
        and loader.batch_size is not None
        and not any(field.sizes for field in loader.fields)
    }
    if not changes:
        return None
    stacked = case.what_if(changes)
    if stacked is None or not enough(descriptors(stacked.workload, stacked.footprint)):
        return None
    return case.fix("Stack them", changes)


def file_system_leftovers(case: Case) -> Notice | None:
    """file_system is no way around /dev/shm."""
    if case.sizing.workload.sharing_strategy is not Strategy.FILE_SYSTEM:
        return None
    text = (
        "file_system keeps its tensors in /dev/shm too, as named files: it saves open files, no "
        "space, and leaves batches behind after an early break or a killed container."
    )
    changes = {"sharing_strategy": Strategy.FILE_DESCRIPTOR.value}
    fix = case.fix("Use file_descriptor", changes)
    return notice("file_system_leftovers", text, "pytorch-sharing", fix)


def silent_hang(case: Case) -> Notice | None:
    """A collate of one's own turns a full /dev/shm into a hang."""
    workload = case.sizing.workload
    fits = case.sizing.need_bytes <= workload.current_shm
    if fits or release(workload.torch_version) < HANGS_SINCE:
        return None
    if first(case, lambda loader: loader.copies_late) is None:
        return None
    text = (
        "With a collate function of your own a full /dev/shm is a silent hang: the worker's "
        "feeder thread loses the batch and the training waits. timeout= makes it an error."
    )
    return notice("silent_hang", text, "pytorch-fallocate")


def map_count(case: Case) -> Notice | None:
    """Each tensor that is mapped counts against vm.max_map_count."""
    limit = case.sizing.workload.max_map_count
    if case.descriptors.mappings <= limit:
        return None
    text = (
        f"A training process maps {count(case.descriptors.mappings)} tensors at once; "
        f"vm.max_map_count allows {count(limit)} mappings. Stack them into fewer tensors, or raise "
        "it with sysctl; a larger /dev/shm does not help."
    )
    fix = _stacked(case, lambda found: found.mappings <= limit)
    return notice("map_count_limit", text, "pytorch-mapallocator", fix)


def too_many_tensors(case: Case) -> Notice | None:
    """Forkserver sends all of a dataset's tensors in one message."""
    workload = case.sizing.workload
    forkserver = workload.effective_start_method is StartMethod.FORKSERVER
    held = workload.dataset_tensors if workload.dataset_tensor_bytes else 0
    if not forkserver or held <= FORKSERVER_TENSORS:
        return None
    text = (
        f"forkserver can hand over {count(FORKSERVER_TENSORS)} tensors of a dataset; with more the "
        "loader fails to start (too many fds, or Invalid argument). Stack them into one, or keep "
        "them in numpy."
    )
    fix = case.fix("Stack them", {"dataset_tensors": 1})
    return notice("forkserver_too_many_tensors", text, "python-314-forkserver", fix)
