"""How the lab sees /dev/shm: a process that polls, and a look after each segment that is made.

Polling alone misses what lives for less than a millisecond; a look after each allocation
misses what the kernel gives while one is under way.  The peak is the larger of the two.
The looks are wrapped around the calls with which PyTorch itself makes a shared segment
(`_new_using_fd_cpu`) or moves a tensor to one (`_share_fd_cpu_`), in every process that
does: no compiler is needed, and it works where torch makes its segments lazily, too.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from functools import wraps
from pathlib import Path
from typing import Any

import torch

SHM = "/dev/shm"  # noqa: S108 - the very place
POLL_SECONDS = 0.001
MAIN = -1
"""Stands for a worker's number in the process that has the workers."""

MAKERS = {
    "_new_using_fd_cpu": staticmethod,
    "_new_using_filename_cpu": staticmethod,
    "_share_fd_cpu_": None,
    "_share_filename_cpu_": None,
}


def used_bytes() -> int:
    """Return what /dev/shm has in use, as `df` reads it."""
    found = os.statvfs(SHM)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


class Probe:
    """What one process sees; its own two files in `folder` outlive it, however it ends."""

    def __init__(self, folder: str, worker: int = 0) -> None:
        self.base = Path(folder) / str(os.getpid())
        self.segments = self.base.with_suffix(".resident" if worker == MAIN else ".segments")
        self.most = 0
        self.turn = threading.Lock()  # a worker's feeder thread looks, too
        self.seen: set[Any] = set()

    def look(self) -> int:
        """Note the use of /dev/shm if it is the largest so far."""
        used = used_bytes()
        with self.turn:
            if used > self.most:
                self.most = used
                self.base.with_suffix(".peak").write_text(str(used), "ascii")
        return used

    def moved(self, result: Any) -> None:
        """Note a segment that is sent: the file's own number, and its size."""
        if len(result) == 2:
            state = os.fstat(result[0])
            self.note((state.st_ino, state.st_dev), result[1])
        else:  # the manager, a name, and the size
            self.note(result[1], result[2])

    def note(self, segment: Any, size: int) -> None:
        """Write down each segment once."""
        with self.turn:
            if segment in self.seen:
                return
            self.seen.add(segment)
            with self.segments.open("a", encoding="ascii") as file:
                file.write(json.dumps([str(segment), size]) + "\n")


def install(folder: str, worker: int = 0) -> Probe:
    """Look after each segment that this process makes from now on; a worker_init_fn, too."""
    probe = Probe(folder, worker)
    storage = torch.UntypedStorage
    for name, kind in MAKERS.items():
        original = getattr(getattr(storage, name), "__wrapped__", getattr(storage, name))
        after = _after(original, probe, sends=kind is None)
        setattr(storage, name, kind(after) if kind else after)
    return probe


def _after(original: Any, probe: Probe, *, sends: bool) -> Any:
    @wraps(original)
    def looked(*given: Any, **named: Any) -> Any:
        try:
            result = original(*given, **named)
        finally:
            probe.look()
        if sends:
            probe.moved(result)
        return result

    looked.__wrapped__ = original
    return looked


def poll(folder: str) -> None:
    """Look every millisecond until the parent process is gone."""
    probe, parent = Probe(folder), os.getppid()
    while os.getppid() == parent:
        probe.look()
        time.sleep(POLL_SECONDS)


def settle(quiet_seconds: float) -> None:
    """Wait until /dev/shm has not changed for a while: the workers have made what was asked."""
    last, since = -1, time.monotonic()
    while time.monotonic() - since < quiet_seconds:
        used = used_bytes()
        if used != last:
            last, since = used, time.monotonic()
        time.sleep(2 * POLL_SECONDS)


def peak(folder: Path) -> int:
    """Return the largest use that any process saw."""
    return max((int(file.read_text("ascii") or 0) for file in folder.glob("*.peak")), default=0)


def storages(folder: Path, batches: int) -> list[int] | None:
    """Return the sizes of one batch's segments, by the files that the workers had made.

    None where the batches were not all alike, as where the dataset's own tensors travel.
    """
    sizes = sent(folder, "*.segments")
    if any(number % batches for number in sizes.values()):
        return None
    return sorted(size for size, number in sizes.items() for _ in range(number // batches))


def resident(folder: Path) -> list[int]:
    """Return the sizes of what the main process sent: the dataset's tensors, when it is pickled."""
    return sorted(sent(folder, "*.resident").elements())


def sent(folder: Path, pattern: str) -> Counter[int]:
    """Count the segments that were sent, by their size; each file of the kernel's counts once."""
    lines = [line for file in folder.glob(pattern) for line in file.open(encoding="ascii")]
    return Counter(size for _, size in {tuple(json.loads(line)) for line in lines})
