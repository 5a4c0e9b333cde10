"""The course of a measured run: where the use stayed the same, and by how much it fell."""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import Final

from calculator.probed import Record
from calculator.recommend import Model

FINE: Final = 1.0
"""Seconds of a step up to which its highest value tells how the use went."""

_SECONDS: Final = 2.0
_STEPS: Final = 5
"""How long, and in how many steps, the use must stay the same to be a level."""


class Level(Model):
    """A use that did not change; `bytes` without what was there before a wrapped command."""

    bytes: int
    seconds: float
    step: float


def of(record: Record) -> Level | None:
    """Return the level at which the use stayed for longest, or None.

    Queues that are full stay so: a batch that is taken is replaced at once.  What is less
    than half of the peak was before or after that.
    """
    course = record.shm.course
    if course is None:
        return None
    runs = [(sum(1 for _ in same), value) for value, same in groupby(course.bytes)]
    least = record.base + (record.shm.peak - record.base) / 2
    long = [
        (steps, min(value, record.shm.peak))
        for steps, value in runs
        if value > least and steps >= _STEPS and steps * course.step >= _SECONDS
    ]
    if not long:
        return None
    steps, value = max(long)
    return Level(bytes=value - record.base, seconds=steps * course.step, step=course.step)


def drops(record: Record) -> frozenset[int]:
    """Return by how many bytes the use fell from one step to the next."""
    course = record.shm.course
    values = course.bytes if course else ()
    return frozenset(before - after for before, after in pairwise(values) if after < before)
