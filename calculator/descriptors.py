"""Open files and memory mappings: the limits that many tensors reach before /dev/shm does."""

from __future__ import annotations

from typing import Final

from calculator.footprint import Footprint
from calculator.live import LoaderUse
from calculator.recommend import Model
from calculator.workload import Strategy, Workload

MAIN_BASE: Final = 5
WORKER_BASE: Final = 7
PIPES_PER_WORKER: Final = 4
SPARE: Final = 10
"""Open files of a process without tensors (measured), and some to spare."""


class Descriptors(Model):
    """What `ulimit -n` and vm.max_map_count must allow, for one process each.

    Attributes:
        main: open files of a training process.
        worker: open files of a worker.
        mappings: tensors that a training process has mapped at once.
    """

    main: int
    worker: int
    mappings: int


def descriptors(workload: Workload, found: Footprint) -> Descriptors:
    """Count open files and mappings (memory model, Q10).

    Under `file_descriptor` every tensor storage that is alive in a process is one open
    file there; under `file_system` none is.
    """
    uses = [use for use in found.uses if use.loader.num_workers]
    by_name = workload.sharing_strategy is Strategy.FILE_SYSTEM
    mappings = sum(_mapped(workload, use) for use in uses)
    pipes = sum(_pipes(use, by_name=by_name) for use in uses)
    return Descriptors(
        main=MAIN_BASE + pipes + (0 if by_name else mappings) + SPARE,
        worker=max(
            (_worker(workload, use, by_name=by_name) for use in uses),
            default=WORKER_BASE,
        ),
        mappings=mappings,
    )


def _pipes(use: LoaderUse, *, by_name: bool) -> int:
    """Each worker has its pipes; under file_system also a connection to its manager."""
    return (PIPES_PER_WORKER + by_name) * use.loader.num_workers


def _mapped(workload: Workload, use: LoaderUse) -> int:
    """Tensors of one loader that the training process has unpickled and not yet dropped."""
    return use.tensors * _received(use) + _own(workload, use)


def _received(use: LoaderUse) -> int:
    """Batches in the training process: held, in transit, and those that came out of order."""
    loader = use.loader
    if loader.queue_size is not None:
        return loader.queue_size + max(loader.held_batches, 1) + 1
    return (loader.num_workers - 1) * loader.prefetch + max(loader.held_batches, 1) + 1


def _own(workload: Workload, use: LoaderUse) -> int:
    """Tensors of the dataset that travel as they are."""
    moved = use.loader.moves_dataset and workload.dataset_tensor_bytes
    return workload.dataset_tensors if moved else 0


def _worker(workload: Workload, use: LoaderUse, *, by_name: bool) -> int:
    tensors = use.tensors * (use.loader.prefetch + 1) + _own(workload, use)
    return WORKER_BASE + PIPES_PER_WORKER * use.loader.num_workers + (0 if by_name else tensors)
