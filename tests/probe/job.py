"""A training loop that the probe watches: well behaved, or failing in one chosen way.

The dataset takes its time, so that no worker starts a batch while the one before is being
handed over; the consumer waits after each batch until the workers have made everything
they were asked for.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset[Any]):  # type: ignore[misc]  # torch is not installed for the checks
    """Vectors of float32, made slowly."""

    def __init__(self, number: int, elements: int, seconds: float) -> None:
        self.number, self.elements, self.seconds = number, elements, seconds

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, index: int) -> torch.Tensor:
        time.sleep(self.seconds)
        return torch.full((self.elements,), float(index))


def as_list(samples: list[torch.Tensor]) -> list[torch.Tensor]:
    """Collate nothing: tensors in ordinary memory, moved to /dev/shm by the feeder thread."""
    return samples


def main() -> None:
    """Run the loop of one rank, or of several started from here."""
    parser = argparse.ArgumentParser()
    for name in ("batch-size", "elements", "num-workers", "batches"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--prefetch-factor", type=int, default=2)
    parser.add_argument("--wait", type=float, default=0.0, help="seconds after each batch")
    parser.add_argument("--sample-seconds", type=float, default=0.002)
    parser.add_argument("--collate", choices=("default", "list"), default="default")
    parser.add_argument("--keep", action="store_true", help="hold every batch")
    parser.add_argument("--start-method", default="fork")
    parser.add_argument("--ranks", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(1)
    if given.ranks > 1:
        _as_ranks(given)
        return
    _loop(given)


def _as_ranks(given: argparse.Namespace) -> None:
    """Run the same program once for each rank, as a launcher does."""
    import subprocess  # noqa: PLC0415 - only a launcher needs it
    import sys  # noqa: PLC0415

    words = [each for each in sys.argv if not each.startswith("--ranks")]
    for rank in range(given.ranks):
        environ = {**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank)}
        environ["WORLD_SIZE"] = str(given.ranks)
        started = subprocess.Popen([sys.executable, *words], env=environ)
        _STARTED.append(started)
    for started in _STARTED:
        assert started.wait() == 0


_STARTED: list[Any] = []


def _loop(given: argparse.Namespace) -> None:
    number = given.batches * given.batch_size
    loader = DataLoader(
        Samples(number, given.elements, given.sample_seconds),
        batch_size=given.batch_size,
        num_workers=given.num_workers,
        prefetch_factor=given.prefetch_factor,
        collate_fn=as_list if given.collate == "list" else None,
        multiprocessing_context=given.start_method,
    )
    kept = []
    seen = 0
    for batch in loader:
        seen += 1
        if given.keep:
            kept.append(batch)
        time.sleep(given.wait)
    print(json.dumps({"batches": seen, "torch": torch.__version__}))


if __name__ == "__main__":
    main()
