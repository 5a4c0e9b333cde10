"""Several changes at once, where no single one suffices.

The fewest that do: pairs, and if none fits, threes.  Changes that are made or not are
tried in the order of what they cost; of those that can be made a little or a lot one at
most is turned, as little as it takes, and at first not below half of what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from itertools import combinations as subsets
from typing import Final

from calculator.fit.habits import habits
from calculator.fit.knobs import common_dials
from calculator.fit.model import Group, Option
from calculator.fit.samples import crops, dtypes
from calculator.fit.search import Dial, Move, Search

MOST_CHANGES: Final = 3
"""More at once are a different job."""

MOST_FIXED: Final = 2
MOST_SETS: Final = 3
"""How many ways are offered; so many of them without turning down what is counted."""


def sets(search: Search) -> Iterator[Option]:
    """Yield the smallest sets of changes that fit, if no single one does but a drastic one."""
    moves = list(_moves(search))
    dials = [*common_dials(search, ("num_workers", "batch_size")), *crops(search)]
    if _hopeless(search, moves, dials) or any(_sets(search, moves, dials, 1, _half)):
        return
    for floor in (_half, _lowest):
        for number in range(2, MOST_CHANGES + 1):
            found = [
                option for each in _sets(search, moves, dials, number, floor) for option in each
            ]
            if found:
                yield from found
                return


def _moves(search: Search) -> Iterator[Move]:
    """What is made or not, cheapest first; no workers at all is no way to make it fit."""
    cheap = (move for move in habits(search) if move.kind != "num_workers")
    shallow = (dial.at(1) for dial in common_dials(search, ("prefetch_factor",)) if dial.high > 1)
    return chain(cheap, dtypes(search), shallow)


def _hopeless(search: Search, moves: Iterable[Move], dials: Iterable[Dial]) -> bool:
    """Whether not even all of it together fits."""
    least = [*moves, *(dial.at(dial.low) for dial in dials)]
    together = {path: value for move in least for path, value in move.changes.items()}
    return search.need(together) > search.shm_bytes


def _half(dial: Dial) -> int:
    return (dial.high + 1) // 2


def _lowest(dial: Dial) -> int:
    """A small part of each sample besides other changes is a different job."""
    return _half(dial) if dial.kind == "crop" else dial.low


def _sets(
    search: Search,
    moves: Sequence[Move],
    dials: Sequence[Dial],
    number: int,
    floor: Callable[[Dial], int],
) -> Iterator[Iterator[Option]]:
    """Yield sets of so many changes that fit, as options."""
    fixed = list(islice(_fixed(search, moves, number), MOST_FIXED))
    turned = islice(_turned(search, moves, dials, number, floor), MOST_SETS - len(fixed))
    return (search.option(_joined(each)) for each in chain(fixed, turned))


def _fixed(search: Search, moves: Sequence[Move], number: int) -> Iterator[tuple[Move, ...]]:
    for some in subsets(moves, number):
        if _apart(some) and search.need(_joined(some).changes) <= search.shm_bytes:
            yield some


def _turned(
    search: Search,
    moves: Sequence[Move],
    dials: Sequence[Dial],
    number: int,
    floor: Callable[[Dial], int],
) -> Iterator[tuple[Move, ...]]:
    for some in filter(_apart, subsets(moves, number - 1)):
        changes = _joined(some).changes
        for dial in dials:
            best = search.largest(dial, floor(dial), changes)
            if best is not None and best < dial.high:
                yield (*some, dial.at(best))


def _apart(some: Sequence[Move]) -> bool:
    """Whether no two of the changes are about the same input."""
    paths = [path for move in some for path in move.changes]
    return len(paths) == len(set(paths))


def _joined(some: Sequence[Move]) -> Move:
    return Move(
        kind="set",
        group=Group.TOGETHER,
        label=", ".join(move.label for move in some),
        costs=" ".join(move.costs for move in some),
        changes={path: value for move in some for path, value in move.changes.items()},
    )
