"""What the probe saw of a job, as inputs of the form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from calculator.errors import InputError
from calculator.probed import Record
from calculator.units import GIB, KIB, MIB, ceil_to
from calculator.workload import Workload, parse

_FINE: Final = 64 * KIB
"""To how many bytes a large /dev/shm is put into the form: so it can be read, and is no larger."""


def workers(record: Record) -> tuple[int, ...]:
    """Return the different numbers of workers that training processes had, in order."""
    return tuple(sorted({rank.workers for rank in record.job.ranks if rank.workers}))


def corrected(record: Record, job: Workload) -> Workload:
    """Return the job with what was seen in it; where the two do not go together, the job."""
    data, said = job.model_dump(mode="json"), seen(record, job)
    loaders = [{**data["loaders"][0], **loader} for loader in said.get("loaders", ())]
    try:
        return parse({**data, **said, "loaders": loaders or data["loaders"]})
    except InputError:
        return job


def seen(record: Record, job: Workload | None = None) -> dict[str, Any]:
    """Return what was seen of the job, as input JSON to lay over it.

    Where training processes had different numbers of workers the highest is taken: the
    model has one for all, and no less must be provided.
    """
    found = dict(_said(record, job))
    numbers = workers(record)
    if numbers and (job is None or len(job.loaders) == 1):
        loader: dict[str, Any] = {"num_workers": numbers[-1]}
        if any(rank.pin_thread for rank in record.job.ranks):
            loader["pin_memory"] = found["accelerator"] = True
        found["loaders"] = [loader]
    return found


def _said(record: Record, job: Workload | None) -> Iterator[tuple[str, Any]]:
    """Yield the inputs that the record knows."""
    ran = record.job
    limits = [rank.fd_limit for rank in ran.ranks if rank.fd_limit]
    private = max((rank.private for rank in ran.ranks), default=0)
    spread = job is not None and job.deployment.ranks_per_pod is not None
    known = {
        "ranks": 0 if spread else ran.owners,
        "torch_version": _release(ran.torch, job.torch_version if job else ""),
        "python_version": _release(ran.python, job.python_version if job else ""),
        "current_shm": _room(record.shm.size),
        "memory_limit": record.memory.limit if record.memory else None,
        "open_files_limit": min(limits, default=None),
        "max_map_count": ran.max_map_count,
        "main_process_bytes": ceil_to(private, MIB) if ran.workers else 0,
        "worker_process_bytes": ceil_to(ran.workers_highest.private, MIB),
    }
    yield from ((name, value) for name, value in known.items() if value)


def _room(size: int) -> int:
    return size - size % _FINE if size >= GIB else size


def _release(versions: tuple[str, ...], known: str) -> str | None:
    """Return the version where there is one, without what builders append to it.

    What is known already stays where it says the same more precisely.
    """
    found = re.match(r"\d+\.\d+", versions[0]) if len(versions) == 1 else None
    if found is None:
        return None
    return known if known.startswith(f"{found[0]}.") else found[0]
