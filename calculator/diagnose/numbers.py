"""The sizes that an answer names, computed by the engine from what is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calculator.container import Sharing, container
from calculator.errors import InputError
from calculator.inputs import gather
from calculator.sizing import size_job
from calculator.typed import MAX_BYTES
from calculator.units import grow, ladder

_HEADROOM = 0.1


@dataclass(frozen=True, slots=True)
class Numbers:
    """Bytes, and descriptors of a training process; None where nothing is given."""

    shm: int | None = None
    memory: int | None = None
    descriptors: int | None = None


def compute(given: Mapping[str, Any]) -> Numbers:
    """Return the sizes for the job that is given.

    `given` may have a `workload` (the same input as everywhere), a `preset`, or only
    `need_bytes`; without any of them no number is made up.

    Raises:
        InputError: what is given cannot be used.
    """
    workload, preset = given.get("workload"), given.get("preset")
    if workload is not None or preset is not None:
        if preset is not None and not isinstance(preset, str):
            raise InputError.at("given.preset", "must be text")
        sizing = size_job(gather(preset, workload, {}))
        whole = container(sizing, Sharing.ALL, None)
        return Numbers(
            shm=sizing.recommended_bytes,
            memory=whole.memory.limit_bytes,
            descriptors=whole.descriptors.main,
        )
    need = given.get("need_bytes")
    if need is None:
        return Numbers()
    if isinstance(need, bool) or not isinstance(need, int) or not 0 < need <= MAX_BYTES:
        raise InputError.at("given.need_bytes", "must be a whole number of bytes above 0")
    return Numbers(shm=ladder(grow(need, _HEADROOM)))
