"""Keys that mean the size of /dev/shm, however they are spelled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from calculator.manifests.tree import Node

_SPELLINGS: Final = re.compile(r"shm[-_ ]?size|shared[-_]?memory[-_]?size|shm", re.IGNORECASE)


def means_size(key: str) -> bool:
    """Whether a key is a spelling of shm_size."""
    return len(key) < 30 and bool(_SPELLINGS.fullmatch(key))  # noqa: PLR2004 - longer than all


def find(node: Node) -> Iterator[tuple[Node, Node]]:
    """Yield the entries of a mapping whose keys mean the size."""
    for name, value in node.real.pairs:
        if name.kind == "scalar" and means_size(name.text):
            yield name, value


def find_deep(node: Node, trail: tuple[tuple[Node, Node], ...] = ()) -> Iterator[
    tuple[tuple[Node, Node], ...]
]:  # fmt: skip
    """Yield the way to each such entry below: pairs of a mapping and the key in it."""
    for name, value in node.pairs:
        here = (*trail, (node, name))
        if name.kind == "scalar" and means_size(name.text):
            yield here
        elif value.kind == "map":
            yield from find_deep(value, here)
