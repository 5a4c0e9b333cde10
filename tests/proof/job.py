"""A small training loop with a slow consumer, to be run where /dev/shm is limited.

It prints one JSON line when every batch has come.  The dataset takes its time, so that a
worker never starts the next batch while the old one is being handed over; the consumer
waits after each batch until the workers have made everything they were asked for.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

SAMPLE_SECONDS = 0.002


class Images(Dataset[Any]):  # type: ignore[misc]  # torch is not installed for the checks
    """Images of 3x224x224 float32, made slowly."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, index: int) -> torch.Tensor:
        time.sleep(SAMPLE_SECONDS)
        return torch.full((3, 224, 224), float(index))


def main() -> None:
    """Run the loop and say what was run."""
    parser = argparse.ArgumentParser()
    for name in ("batch-size", "num-workers", "prefetch-factor", "batches"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--wait", type=float, required=True, help="seconds after each batch")
    given = parser.parse_args()
    torch.set_num_threads(1)
    loader = DataLoader(
        Images(given.batches * given.batch_size),
        batch_size=given.batch_size,
        num_workers=given.num_workers,
        prefetch_factor=given.prefetch_factor,
    )
    seen = 0
    for batch in loader:
        assert batch.shape[0] == given.batch_size
        seen += 1
        time.sleep(given.wait)
    ran = {"torch": torch.__version__, "python": platform.python_version()}
    print(json.dumps({"batches": seen, **ran}))


if __name__ == "__main__":
    main()
