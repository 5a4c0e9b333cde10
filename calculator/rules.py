"""Rules of thumb people find elsewhere, held against this job.

They multiply by guessed factors; ours is a sum.  Shown so that one can see which of
them would have died here and which would have asked for too much.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from fractions import Fraction

from calculator.loader import Loader
from calculator.recommend import Model
from calculator.sizing import Sizing
from calculator.units import GIB, ratio
from calculator.workload import DEFAULT_SHM_BYTES


class Verdict(StrEnum):
    """What a /dev/shm of the rule's size does to this job."""

    TOO_SMALL = "too small"
    ENOUGH = "enough"


class Rule(Model):
    """One rule of thumb; `times` is its size over the need, as a short decimal."""

    name: str
    bytes: int
    verdict: Verdict
    times: str


def rules(sizing: Sizing) -> list[Rule]:
    """Return each rule's size for the job and what it would do."""
    return [
        Rule(
            name=name,
            bytes=value,
            verdict=Verdict.ENOUGH if value >= sizing.need_bytes else Verdict.TOO_SMALL,
            times=times(value, sizing.need_bytes),
        )
        for name, value in _sizes(sizing)
    ]


def _sizes(sizing: Sizing) -> Iterable[tuple[str, int]]:
    yield "The 64 MiB default", DEFAULT_SHM_BYTES
    yield "Always 16 GiB", 16 * GIB
    if sizing.workload.machine_memory:
        yield "Half of the RAM", sizing.workload.machine_memory // 2
    yield "workers × (prefetch + 1) × 1.5", _factor(sizing, 1, Fraction("1.5"))
    yield "workers × prefetch × 1.35", _factor(sizing, 0, Fraction("1.35"))


def _factor(sizing: Sizing, more: int, factor: Fraction) -> int:
    raw = sum(_sample_bytes(loader) * _batches(loader, more) for loader in sizing.workload.loaders)
    return int(sizing.workload.ranks * raw * factor)


def _batches(loader: Loader, more: int) -> int:
    return loader.samples * loader.num_workers * (loader.prefetch + more)


def _sample_bytes(loader: Loader) -> int:
    return sum(field.item_bytes for field in loader.fields)


def times(value: int, base: int) -> str:
    """Write `value` / `base` as a short decimal: `0.42`, `1.35`, `86.6`; empty for base 0."""
    if not base:
        return ""
    return ratio(Fraction(value, base))
