"""Schedulers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hcl2


def nomad_task(text: str) -> dict[str, Any]:
    """Return the only task of a Nomad job; its texts as they stand in the file, in quotes."""
    (job,) = hcl2.loads(text)["job"]
    (named,) = _without_notes(job).values()
    (group,) = named["group"]
    (inner,) = _without_notes(group).values()
    (task,) = inner["task"]
    (body,) = _without_notes(task).values()
    found: dict[str, Any] = body
    return found


def _without_notes(block: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in block.items() if not key.startswith("__")}


def _nomad(text: str) -> int:
    task = nomad_task(text)
    assert task["driver"] == '"docker"'
    (config,), (resources,) = task["config"], task["resources"]
    size = config["shm_size"]
    assert isinstance(size, int)
    assert resources["memory"] * 2**20 > size
    return size


READERS: dict[str, Callable[[str], int]] = {"nomad": _nomad}
SIZELESS = {"slurm", "slurm-pyxis"}
