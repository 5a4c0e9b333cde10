"""The need with fewer workers: what there is to turn where /dev/shm cannot be made larger."""

from __future__ import annotations

from calculator.sizing import Sizing


def fewer_workers(sizing: Sizing) -> dict[int, int]:
    """Return most workers of a loader -> need in bytes: as it is, half as many, ..., one, none.

    A loader that has fewer keeps its own.
    """
    cap = max(loader.num_workers for loader in sizing.workload.loaders)
    needs = {cap: sizing.need_bytes}
    while cap:
        cap //= 2
        needs[cap] = _capped(sizing, cap)
    return needs


def _capped(sizing: Sizing, cap: int) -> int:
    loaders = enumerate(sizing.workload.loaders)
    over = [position for position, loader in loaders if loader.num_workers > cap]
    return sizing.what_if({f"loaders.{each}.num_workers": cap for each in over}).need_bytes
