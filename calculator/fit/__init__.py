"""The inverse: what fits into the /dev/shm one has and cannot change.

Every option is evaluated by the memory model.  A job fits when its need, the strict
bound and all other users, is not above the size.  Options that have a largest value carry
it: one step more does not fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from calculator.fit.habits import habits
from calculator.fit.knobs import KNOB_LIMITS, combinations, knobs
from calculator.fit.model import Fit, Group, Option
from calculator.fit.samples import CROP_STEP, crops, dtypes
from calculator.fit.search import Search
from calculator.fit.together import sets
from calculator.sizing import size_job
from calculator.workload import Workload

__all__ = ["CROP_STEP", "KNOB_LIMITS", "Fit", "Group", "Option", "fit"]


def fit(workload: Workload, shm_bytes: int) -> Fit:
    """Find what fits.

    Raises:
        InputError: the job itself is beyond what any machine has.
    """
    sizing = size_job(workload)
    search = Search(sizing, shm_bytes)
    idle = {f"loaders.{i}.num_workers": 0 for i in range(len(workload.loaders))}
    return Fit(
        shm_bytes=shm_bytes,
        need_bytes=sizing.need_bytes,
        others_bytes=search.need(idle),
        fits=search.fits,
        options=tuple(_distinct(_room(search) if search.fits else _remedies(search))),
    )


def _distinct(options: Iterable[Option]) -> Iterator[Option]:
    """Leave out what was offered before: all loaders turned down may be the one that matters."""
    seen: list[dict[str, Any]] = []
    for option in options:
        if option.set not in seen:
            seen.append(option.set)
            yield option


def _room(search: Search) -> Iterator[Option]:
    """What the room there is can be used for."""
    yield from knobs(search)
    yield from combinations(search)


def _remedies(search: Search) -> Iterator[Option]:
    """What makes the job fit, in the order of the page."""
    yield from sets(search)
    yield from knobs(search)
    yield from combinations(search)
    for move in dtypes(search):
        yield from search.option(move)
    for dial in crops(search):
        yield from search.turned(dial)
    for move in habits(search):
        yield from search.option(move)
