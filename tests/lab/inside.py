"""Run in a container: what /dev/shm has in use, and what the memory cgroup counts of it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import probes
import torch
from torch.utils.data import DataLoader, Dataset

BATCH, WORKERS, PREFETCH = 8, 2, 2
SHAPE = (1024, 1024)
FILES = ("/sys/fs/cgroup/memory/memory.stat", "/sys/fs/cgroup/memory.stat")
"""Of cgroup v1 and v2, as a container sees them."""


class Images(Dataset[Any]):  # type: ignore[misc]  # torch is not installed for the checks
    """Samples of 4 MiB."""

    def __len__(self) -> int:
        return 8 * WORKERS * PREFETCH * BATCH

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.full(SHAPE, float(index))


def counted() -> int:
    """Return what the cgroup counts as shared memory, in bytes."""
    text = next(Path(file).read_text("ascii") for file in FILES if Path(file).exists())
    lines = dict(line.split() for line in text.splitlines())
    return int(lines["shmem"])


def main() -> None:
    """Print both numbers before, with full queues, and after."""
    torch.set_num_threads(1)
    before = probes.used_bytes(), counted()
    loader = DataLoader(Images(), BATCH, num_workers=WORKERS, prefetch_factor=PREFETCH)
    iterator = iter(loader)
    batch = None
    for _ in range(4):
        batch = next(iterator)
        probes.settle(1.0)
    full = probes.used_bytes(), counted()
    del batch, iterator
    time.sleep(1)
    after = probes.used_bytes(), counted()
    print(json.dumps({"before": before, "full": full, "after": after}))


if __name__ == "__main__":
    main()
