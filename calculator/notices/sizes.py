"""Notices about sizes: what there is, and what memory it takes."""

from __future__ import annotations

from typing import Final

from calculator.container import Sharing, container
from calculator.notices.base import Case, Fix, Notice, notice
from calculator.rules import times
from calculator.units import KIB, MIB, TIB, size


def existing_smaller(case: Case) -> Notice | None:
    """The /dev/shm there is cannot hold the job."""
    current, need = case.sizing.workload.current_shm, case.sizing.need_bytes
    if need <= current:
        return None
    ratio = f", {times(need, current)} times what there is" if current else ""
    text = f"The job needs {size(need)} of /dev/shm{ratio} ({size(current)})."
    return notice("existing_smaller", text, "measured")


def shm_counts_toward_memory(case: Case) -> Notice | None:
    """The container's memory limit cannot hold /dev/shm and the processes."""
    limit, wanted = case.sizing.workload.memory_limit, case.memory.limit_bytes
    if limit is None or limit >= wanted:
        return None
    clip = (
        "Kubernetes even cuts /dev/shm down to the limit. " if limit < case.memory.shm_bytes else ""
    )
    text = (
        f"Pages of /dev/shm are charged to the container: the memory limit of {size(limit)} "
        f"is below the {size(wanted)} that shared memory and processes may take together. "
        f"{clip}Past it the kernel kills the job (exit 137)."
    )
    fix = case.fix(f"Limit {size(wanted)}", {"memory_limit": wanted})
    return notice("shm_counts_toward_memory", text, "kernel-cgroup", fix)


def very_large_batch(case: Case) -> Notice | None:
    """The total is beyond what machines usually have."""
    need = case.sizing.need_bytes
    if need <= TIB:
        return None
    text = f"{size(need)} is more than machines usually have. Is the shape that of one sample?"
    return notice("very_large_batch", text, "measured")


SMALL_PAGE: Final = 4 * KIB
HUGE_PAGE: Final = 2 * MIB
"""What a tmpfs mounted huge=always takes at once, where the machine has one left."""


def huge_pages(case: Case) -> Notice | None:
    """The kernel takes small pages where no huge one is left, so less would do."""
    if case.sizing.workload.page_bytes < HUGE_PAGE:
        return None
    fix = case.fix("Count small pages", {"page_bytes": SMALL_PAGE})
    if fix is None or fix.need_bytes >= case.sizing.need_bytes:
        return None
    text = (
        f"Each segment counts as whole pages of {size(case.sizing.workload.page_bytes)}, as df "
        "shows it while there is room. Where no huge page is left the kernel takes small ones, so "
        f"{size(fix.need_bytes)} hold the job as well."
    )
    return notice("huge_pages", text, "measured", fix, level="tip")


def machine_too_small(case: Case) -> Notice | None:
    """The machine cannot hold what the job may take."""
    machine, wanted = case.sizing.workload.machine_memory, case.memory.limit_bytes
    if machine is None or machine >= wanted:
        return None
    text = (
        f"Shared memory and processes may take {size(wanted)} together; the machine has "
        f"{size(machine)}. A larger /dev/shm does not help there: fewer batches in flight do."
    )
    return notice("shm_large_share_of_memory", text, "kernel-tmpfs", _fewer_workers(case, machine))


def _fewer_workers(case: Case, machine: int) -> Fix | None:
    """The most workers of each loader with which the machine holds the whole job, if any."""
    loaders = case.sizing.workload.loaders

    def changes(most: int) -> dict[str, int]:
        return {
            f"loaders.{position}.num_workers": most
            for position, loader in enumerate(loaders)
            if loader.num_workers > most
        }

    def fits(most: int) -> bool:
        changed = case.what_if(changes(most))
        return changed is not None and container(changed, Sharing.ALL).memory.limit_bytes <= machine

    low, high = 1, max(loader.num_workers for loader in loaders) - 1
    if high < low or not fits(low):
        return None
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return case.fix(f"num_workers={low}", changes(low))
