"""The badge: what happens with the /dev/shm there is now."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from calculator.recommend import Model
from calculator.units import size


class Level(StrEnum):
    """How bad it is, worst first."""

    CRITICAL = "critical"
    HIGH = "high"
    BORDERLINE = "borderline"
    SAFE = "safe"


class Risk(Model):
    """The badge: its level, one line, and the reasons in full sentences."""

    level: Level
    title: str
    reasons: tuple[str, ...]


_TITLES = {
    Level.CRITICAL: "Critical: it will not survive",
    Level.HIGH: "High: it can die at any step",
    Level.BORDERLINE: "Borderline: it fits, with little to spare",
    Level.SAFE: "Safe: it fits, with headroom",
}


OTHERS_TITLE: Final = "Critical: what else uses /dev/shm does not fit"
"""Where no loader puts a batch there."""


def judge(*, current: int, first_round: int, steady: int, need: int, roomy: int) -> Risk:
    """Hold the need against the /dev/shm there is; all in bytes.

    Args:
        current: size of /dev/shm now.
        first_round: one batch of every worker; 0 where no batch goes there.
        steady: need with the queues full, as `df` shows it.
        need: need at the strict bound.
        roomy: need with headroom.
    """
    level = _level(current, steady, need, roomy)
    alone = level is Level.CRITICAL and not first_round
    return Risk(
        level=level,
        title=OTHERS_TITLE if alone else _TITLES[level],
        reasons=tuple(_reasons(level, current, first_round, steady, need)),
    )


def _level(current: int, steady: int, need: int, roomy: int) -> Level:
    if steady > current:
        return Level.CRITICAL
    if need > current:
        return Level.HIGH
    return Level.BORDERLINE if roomy > current else Level.SAFE


def _reasons(level: Level, current: int, first_round: int, steady: int, need: int) -> Iterable[str]:
    match level:
        case Level.CRITICAL if not first_round:
            yield (
                "The loaders put no batch there, but what else uses /dev/shm needs "
                f"{size(steady)}; there is room for {size(current)}."
            )
        case Level.CRITICAL:
            yield (
                f"With full queues the job keeps {size(steady)} in /dev/shm; "
                f"there is room for {size(current)}."
            )
            yield (
                f"One batch of every worker takes {size(first_round)}: it fails at the start."
                if first_round > current
                else "It stays alive only while the loop is faster than the workers, "
                "so it may run for a while and then fail."
            )
        case Level.HIGH:
            yield (
                f"Full queues take {size(steady)} of {size(current)}, but a batch being handed "
                f"over needs {size(need)} for an instant."
            )
        case Level.BORDERLINE:
            yield (
                f"The strict bound of {size(need)} fits into {size(current)}, "
                "with less headroom than asked for."
            )
        case Level.SAFE:
            yield f"The strict bound of {size(need)} fits into {size(current)} with headroom."
