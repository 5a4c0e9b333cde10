"""What an answer of `fit` consists of."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from calculator.recommend import Model


class Group(StrEnum):
    """What one gives up, or where there is room, uses it for."""

    TOGETHER = "together"
    FLIGHT = "flight"
    SAMPLES = "samples"
    HABITS = "habits"


class Option(Model):
    """One way to make the job fit, or to use the room there is.

    Attributes:
        kind: what is turned, such as "num_workers" or "dtype"; "set" for several at once.
        group: what kind of thing one gives up.
        label: for people.
        set: dotted path -> value, to apply it.
        need_bytes: the need then.
        spare_bytes: what stays free.
        costs: what one gives up.
        next_bytes: the need one step further, which does not fit; None where there is no step.
    """

    kind: str
    group: Group
    label: str
    set: dict[str, Any]
    need_bytes: int
    spare_bytes: int
    costs: str
    next_bytes: int | None


class Fit(Model):
    """What fits into `shm_bytes`.

    `others_bytes` is what the other users of /dev/shm need, without any worker.
    """

    shm_bytes: int
    need_bytes: int
    others_bytes: int
    fits: bool
    options: tuple[Option, ...]
