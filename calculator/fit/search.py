"""Asks the memory model what changes need, often and cheaply, and turns changes into options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from calculator.consumers import other_terms
from calculator.container import Sharing, container
from calculator.errors import InputError
from calculator.fit.model import Group, Option
from calculator.footprint import peak_bytes
from calculator.sizing import Sizing
from calculator.workload import Workload


@dataclass(frozen=True)
class Move:
    """A change of inputs that is made or not: dotted path -> value."""

    kind: str
    group: Group
    label: str
    costs: str
    changes: Mapping[str, Any]


@dataclass(frozen=True)
class Dial:
    """A change that can be made a little or a lot.

    The need must not fall as the value rises from `low` to `high`; `label` and `costs` say
    what a value means.
    """

    kind: str
    group: Group
    low: int
    high: int
    changes: Callable[[int], dict[str, Any]]
    label: Callable[[int], str]
    costs: Callable[[int], str]

    def at(self, value: int) -> Move:
        """Return the change that a value is."""
        return Move(
            self.kind, self.group, self.label(value), self.costs(value), self.changes(value)
        )


class Search:
    """Looks for what fits into `shm_bytes`."""

    def __init__(self, sizing: Sizing, shm_bytes: int) -> None:
        self.sizing = sizing
        self.workload = sizing.workload
        self.shm_bytes = shm_bytes
        self.fits = sizing.need_bytes <= shm_bytes
        self._others = sum(term.bytes for term in other_terms(sizing.workload))

    def need(self, changes: Mapping[str, Any]) -> int:
        """Bytes that the job needs with these changes: of loaders, samples, habits.

        What else uses /dev/shm does not depend on them.
        """
        return peak_bytes(revised(self.workload, changes)) + self._others

    def largest(self, dial: Dial, low: int, besides: Mapping[str, Any] | None = None) -> int | None:
        """Return the largest value of a dial that fits, from `low` on; None if none does.

        Args:
            dial: what is turned.
            low: the least value that is wanted.
            besides: changes that are made anyway.
        """

        def need(value: int) -> int:
            return self.need({**(besides or {}), **dial.changes(value)})

        if low > dial.high or (least := need(low)) > self.shm_bytes:
            return None
        if (most := need(dial.high)) <= self.shm_bytes:
            return dial.high
        return _between(need, self.shm_bytes, (low, least), (dial.high, most))

    def option(self, move: Move, further: int | None = None) -> Iterator[Option]:
        """Yield a change as an option if it fits.

        What is promised is what the whole pipeline says of it.
        """
        try:
            changed = self.sizing.what_if(move.changes)
            container(changed, Sharing.ALL)
        except InputError:
            return
        need = changed.need_bytes
        if need <= self.shm_bytes:
            yield Option(
                kind=move.kind,
                group=move.group,
                label=move.label,
                set=dict(move.changes),
                need_bytes=need,
                spare_bytes=self.shm_bytes - need,
                costs=move.costs,
                next_bytes=further,
            )

    def turned(self, dial: Dial) -> Iterator[Option]:
        """Yield the largest value of a dial that fits."""
        best = self.largest(dial, dial.low)
        if best is not None:
            further = self.need(dial.changes(best + 1)) if best < dial.high else None
            yield from self.option(dial.at(best), further)


def _between(
    need: Callable[[int], int], room: int, fits: tuple[int, int], beyond: tuple[int, int]
) -> int:
    """Return the largest value whose need fits, given one that does and one that does not.

    The need is nearly a straight line, so the next try is where that crosses the room;
    every second one is the middle, for where it bends.

    Args:
        need: of a value, in bytes.
        room: bytes there are.
        fits: a value that fits, and its need.
        beyond: a larger one that does not, and its need.
    """
    (low, least), (high, most) = fits, beyond
    straight = True
    while high - low > 1:
        crossing = low + (room - least) * (high - low) // (most - least)
        tried = max(crossing, low + 1) if straight else (low + high) // 2
        straight = not straight
        found = need(tried)
        if found <= room:
            low, least = tried, found
        else:
            high, most = tried, found
    return low


def revised(workload: Workload, changes: Mapping[str, Any]) -> Workload:
    """Return the job with some inputs changed, given as dotted paths to inputs that are there.

    As `Sizing.what_if` parses it, but only what changes is validated anew.

    Raises:
        ValidationError: a value that its input does not take.
    """
    tree: dict[str, Any] = {}
    for path, value in changes.items():
        *parents, name = path.split(".")
        holder = tree
        for part in parents:
            holder = holder.setdefault(part, {})
        holder[name] = _Value(value)
    found: Workload = _rebuilt(workload, tree)
    return found


@dataclass(frozen=True)
class _Value:
    """A new value, so that it is told from a branch."""

    value: Any


def _rebuilt(old: Any, tree: Mapping[str, Any] | _Value) -> Any:
    if isinstance(tree, _Value):
        return tree.value
    if isinstance(old, tuple):
        return tuple(
            _rebuilt(each, tree[str(position)]) if str(position) in tree else each
            for position, each in enumerate(old)
        )
    holder: BaseModel = old
    fresh = {name: _rebuilt(getattr(holder, name), branch) for name, branch in tree.items()}
    return type(holder).model_validate({**holder.__dict__, **fresh})
