"""Which of several containers is meant: by name, by its GPUs, by what its image is called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from calculator import resources
from calculator.manifests.tree import Node


def known() -> dict[str, Any]:
    """Return what is known of names."""
    return resources.table("manifests", "known")


@dataclass(frozen=True)
class Candidate:
    """A container that could be meant.

    `mounts` says that it mounts or sets something for /dev/shm already; `words` are what
    its image and command are called, in lower case.
    """

    name: str
    gpu: bool
    mounts: bool
    words: str

    @property
    def trains(self) -> bool:
        """Whether its names point to training."""
        return any(word in self.words for word in known()["trains"])

    @property
    def serves(self) -> bool:
        """Whether its names point to something else than training."""
        return not self.trains and any(word in self.words for word in known()["serves"])


def choose(candidates: Sequence[Candidate]) -> list[int]:
    """Return the positions of those that could be meant: one where it is clear.

    A GPU decides; else the only one that has something on /dev/shm; else what the names say.
    """
    left = list(range(len(candidates)))
    for test in (_gpu, _not_serving, _mounts, _trains):
        if len(left) == 1:
            break
        found = [i for i in left if test(candidates[i])]
        left = found or left
        if test is _gpu and found:
            break
    return left


def _gpu(each: Candidate) -> bool:
    return each.gpu


def _mounts(each: Candidate) -> bool:
    return each.mounts


def _not_serving(each: Candidate) -> bool:
    return not each.serves


def _trains(each: Candidate) -> bool:
    return each.trains


def is_gpu(resource: str) -> bool:
    """Whether a resource of this name is a GPU or the like."""
    return any(part in resource for part in known()["gpu_resources"])


def asks_gpu(resources: Node | None) -> bool:
    """Whether limits or requests name a GPU, and more than none of it."""
    for part in ("limits", "requests"):
        node = None if resources is None else resources.at(part)
        for name, value in node.pairs if node else ():
            if is_gpu(name.text) and value.real.text not in {"0", ""}:
                return True
    return False
