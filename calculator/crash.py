"""How an exhausted /dev/shm shows itself, by PyTorch version and collate function."""

from __future__ import annotations

from typing import Final

from calculator import resources
from calculator.recommend import Model
from calculator.typed import release
from calculator.workload import Workload


class Crash(Model):
    """What one would see.  `text` is PyTorch's own message, X for process numbers."""

    id: str
    text: str
    kind: str
    what_happens: str
    first_action: str
    source: str
    torch: str


def likely_crash(workload: Workload) -> Crash:
    """Return the signature for the job's PyTorch version and collate.

    Where the queue's feeder thread copies the tensors it swallows the exception: from
    2.10 on the training hangs instead of failing.  Without workers no loader can fail.
    """
    collate = _collate(workload)
    version = release(workload.torch_version)
    for row in resources.table("facts", "crashes")["crash"]:
        if row["collate"] == collate and _covers(row, version):
            return Crash(torch=_span(row), **{key: row[key] for key in _KEYS})
    raise LookupError(f"no crash signature for PyTorch {workload.torch_version}")


def _collate(workload: Workload) -> str:
    """Name who allocates: nobody, the queue's feeder thread, or default_collate."""
    if not any(each.num_workers for each in workload.loaders):
        return "none"
    return "private" if any(each.copies_late for each in workload.loaders) else "default"


_KEYS: Final = ("id", "text", "kind", "what_happens", "first_action", "source")


def _covers(row: dict[str, str], version: tuple[int, int]) -> bool:
    until = row["torch_until"]
    return _number(row["torch_from"]) <= version and (not until or version < _number(until))


def _number(text: str) -> tuple[int, int]:
    return release(text) if "." in text else (int(text), 0)


def _span(row: dict[str, str]) -> str:
    until = row["torch_until"]
    if _number(row["torch_from"]) == (0, 0):
        return f"PyTorch before {until}"
    if until:
        return f"PyTorch {row['torch_from']} until {until}"
    return f"PyTorch {row['torch_from']} and later"
