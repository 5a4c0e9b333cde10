"""What a person should know about this job: one small function per notice.

Ids are those of the taxonomy that scripts rely on.  A notice may carry a fix: the
inputs to change, and what the answer becomes, computed by the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from calculator.notices import loaders, processes, samples, sizes
from calculator.notices.base import Case, Fix, Notice

__all__ = ["Case", "Fix", "Notice", "notices"]

_ALL: Final[tuple[Callable[[Case], Notice | None], ...]] = (
    sizes.existing_smaller,
    sizes.shm_counts_toward_memory,
    sizes.machine_too_small,
    sizes.very_large_batch,
    sizes.huge_pages,
    processes.gpus_and_processes,
    processes.too_many_tensors,
    processes.spawn_dataset_tensors,
    samples.view_shares_whole_storage,
    loaders.loaders_alive_together,
    loaders.batches_kept,
    loaders.stalled_queue,
    processes.many_small_tensors,
    processes.map_count,
    processes.file_system_leftovers,
    processes.silent_hang,
    samples.float64_doubles,
    samples.wide_images,
    samples.variable_shapes,
    loaders.deep_prefetch,
    samples.numpy_through_pipe,
    loaders.workers_zero,
)


def notices(case: Case) -> list[Notice]:
    """Return every notice that applies, gravest first."""
    found = (each(case) for each in _ALL)
    return [notice for notice in found if notice is not None]
