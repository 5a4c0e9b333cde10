"""The size in a finished block, read as its platform would; written apart from the templates.

One module a family: READERS by target, and SIZELESS, the targets without a size to set.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.targets.readers import (
    ci,
    cloud,
    code,
    docker,
    kubernetes,
    machines,
    operators,
    podman,
    schedulers,
)

_FAMILIES = (docker, ci, podman, kubernetes, operators, cloud, schedulers, machines, code)

READERS: dict[str, Callable[[str], int]] = {
    target: read for family in _FAMILIES for target, read in family.READERS.items()
}
SIZELESS: set[str] = {target for family in _FAMILIES for target in family.SIZELESS}
