"""Fewer batches in flight, or more: workers, prefetch, batch size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from calculator.fit.model import Group, Option
from calculator.fit.search import Dial, Search
from calculator.live import loader_use
from calculator.loader import Loader
from calculator.workload import Workload

KNOB_LIMITS: Final[Mapping[str, int]] = {
    "num_workers": 256,
    "prefetch_factor": 64,
    "batch_size": 65536,
}
"""How far a knob is turned up where there is room."""

_COSTS: Final = {
    "num_workers": "Less loading in parallel; the GPU may wait.",
    "prefetch_factor": "Less slack for slow batches.",
    "batch_size": "Smaller batches: accumulate gradients to keep the effective size.",
}

_SHORTER: Final = "Shorter queues; the same work in parallel if the workers keep up."


def knobs(search: Search) -> Iterator[Option]:
    """Each knob of all loaders together, and of each by itself where there are several."""
    for key in KNOB_LIMITS:
        for positions in _choices(search.workload):
            for dial in _dials(search, key, positions):
                yield from search.turned(dial)


def common_dials(search: Search, keys: Iterable[str]) -> Iterator[Dial]:
    """Knobs of all loaders at once."""
    for key in keys:
        yield from _dials(search, key, range(len(search.workload.loaders)))


def _choices(workload: Workload) -> Iterator[Sequence[int]]:
    together = range(len(workload.loaders))
    if len(together) > 1:
        yield together
    for position in together:
        yield [position]


def _dials(search: Search, key: str, positions: Iterable[int]) -> Iterator[Dial]:
    """The knob, if any of these loaders has it; turned up only where the job fits."""
    loaders = search.workload.loaders
    turned = [p for p in positions if _turns(loaders[p], key)]
    if not turned:
        return
    now = {position: value_of(loaders[position], key) for position in turned}
    limit = KNOB_LIMITS[key] if search.fits else min(max(now.values()), KNOB_LIMITS[key])

    def changed(value: int) -> list[int]:
        return turned if search.fits else [p for p in turned if now[p] > value] or turned

    def changes(value: int) -> dict[str, Any]:
        return {f"loaders.{position}.{key}": value for position in changed(value)}

    def label(value: int) -> str:
        names = ", ".join(loaders[position].name for position in changed(value))
        return f"{key}={value} ({names})" if len(loaders) > 1 else f"{key}={value}"

    def costs(value: int) -> str:
        if any(value < now[position] for position in changed(value)):
            return _COSTS[key]
        return "More would fit too; this is as far as it looks." if value == limit else _AT_MOST

    yield Dial(key, Group.FLIGHT, 1, limit, changes, label, costs)


_AT_MOST: Final = "At most; more does not fit."


def value_of(loader: Loader, key: str) -> int:
    """Return what a knob stands at."""
    return loader.prefetch if key == "prefetch_factor" else int(getattr(loader, key))


def _turns(loader: Loader, key: str) -> bool:
    """Whether turning the knob changes this loader."""
    if key == "prefetch_factor" and loader.queue_size is not None:
        return False
    return loader.num_workers > 0 and (key != "batch_size" or loader.batch_size is not None)


# ---------------------------------------------------------------- two knobs together


def combinations(search: Search) -> Iterator[Option]:
    """For each smaller prefetch the most workers of the fullest loader."""
    position = _fullest(search.workload)
    if position is None:
        return
    loader = search.workload.loaders[position]
    if loader.queue_size is not None:
        return
    for prefetch in range(1, min(loader.prefetch, KNOB_LIMITS["prefetch_factor"])):
        for option in search.turned(_pair(search, position, prefetch)):
            if search.fits or option.next_bytes is not None:  # else the prefetch alone does it
                yield option


def _pair(search: Search, position: int, prefetch: int) -> Dial:
    loaders = search.workload.loaders
    limit = KNOB_LIMITS["num_workers"]

    def changes(workers: int) -> dict[str, Any]:
        return {
            f"loaders.{position}.num_workers": workers,
            f"loaders.{position}.prefetch_factor": prefetch,
        }

    def label(workers: int) -> str:
        both = f"num_workers={workers}, prefetch_factor={prefetch}"
        return f"{both} ({loaders[position].name})" if len(loaders) > 1 else both

    high = limit if search.fits else min(loaders[position].num_workers, limit)
    return Dial("combination", Group.FLIGHT, 1, high, changes, label, lambda _: _SHORTER)


def _fullest(workload: Workload) -> int | None:
    """Position of the loader that holds the most; None without workers."""
    uses = [loader_use(workload, loader) for loader in workload.loaders]
    busy = [position for position, use in enumerate(uses) if use.loader.num_workers]
    return max(busy, key=lambda position: uses[position].peak_bytes, default=None)
