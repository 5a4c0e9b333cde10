"""The core of the pipeline: a workload in, the sizes out.  Cheap enough to ask "what if"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calculator import paths
from calculator.consumers import other_terms
from calculator.errors import InputError
from calculator.footprint import Footprint, footprint
from calculator.recommend import Step, shm_steps
from calculator.terms import Term
from calculator.typed import MAX_BYTES
from calculator.units import size
from calculator.workload import Workload, parse


@dataclass(frozen=True)
class Sizing:
    """Everything about /dev/shm that follows from a workload, in bytes, all processes.

    `need_bytes` is the strict bound of the loaders and every other user; `terms` sum to
    it.  `steady_need_bytes` is the same as `df` shows it.
    """

    workload: Workload
    footprint: Footprint
    terms: tuple[Term, ...]
    need_bytes: int
    steady_need_bytes: int
    steps: tuple[Step, ...]

    @property
    def beside(self) -> tuple[Term, ...]:
        """The terms that are there at any time: what no loader brings and takes again."""
        return self.footprint.lasting + self.terms[len(self.footprint.terms) :]

    @property
    def roomy_bytes(self) -> int:
        """The need with headroom."""
        return self.steps[1].bytes

    @property
    def recommended_bytes(self) -> int:
        """The size to configure."""
        return self.steps[-1].bytes

    def what_if(self, changes: Mapping[str, Any]) -> Sizing:
        """Size the same job with some inputs changed, given as dotted paths."""
        data = self.workload.model_dump(mode="json")
        return size_job(parse(paths.assign(data, changes)))


def size_job(workload: Workload) -> Sizing:
    """Run the memory model, add the other users, and round.

    Raises:
        InputError: the sum is beyond what any machine or grammar knows.
    """
    found = footprint(workload)
    others = tuple(other_terms(workload))
    extra = sum(term.bytes for term in others)
    need = found.peak_bytes + extra
    steps = tuple(shm_steps(workload, need))
    if steps[-1].bytes > MAX_BYTES:
        message = f"together this is {size(need)}: more than any machine has"
        raise InputError.at("loaders", message)
    return Sizing(
        workload=workload,
        footprint=found,
        terms=found.terms + others,
        need_bytes=need,
        steady_need_bytes=found.steady_bytes + extra,
        steps=steps,
    )
