"""What the written law says of a measured row, from the storages seen in the run."""

from __future__ import annotations

import math
from typing import Any

from tests.support import memory_model
from web.make import measured


def lawful_peak(row: dict[str, Any], *, spike: int = 1) -> int:
    """Return the strict bound of the written law, from the storages seen in the run.

    Without the spike it is what `df` shows.
    """
    done = row["workload"]
    train = _lawful_loader(row, done["workers"], spike)
    return int(done.get("ranks", 1)) * (_together(row, train, spike) + _lawful_resident(row))


def _lawful_resident(row: dict[str, Any]) -> int:
    """Dataset tensors: once a rank when pickled to workers, a worker each when uncopied."""
    done = row["workload"]
    if row.get("dataset_storages_bytes"):
        return sum(map(memory_model.pages, row["dataset_storages_bytes"]))
    tensors = memory_model.pages(measured.dataset_tensor_bytes(done))
    if done.get("context", "fork") != "fork":
        return tensors
    return int(done["workers"]) * tensors if measured.returns_own(done) else 0


def _together(row: dict[str, Any], train: int, spike: int) -> int:
    done = row["workload"]
    scenario = done.get("scenario", "epoch")
    if scenario not in {"two_loaders", "interleaved"}:
        return train
    val_workers = done.get("val_workers", done["workers"])
    val = _lawful_loader(row, val_workers, spike)
    if scenario == "interleaved":
        return train + val
    page = measured.page(done)
    idle_train = memory_model.semaphores(done["workers"], page) if done.get("persistent") else 0
    idle_val = memory_model.semaphores(val_workers, page) if done.get("persistent") else 0
    last = memory_model.batch(_storages(row), page=page) if done.get("hold_last") else 0
    return max(train + idle_val, val + idle_train + last)


def _lawful_loader(row: dict[str, Any], workers: int, spike: int) -> int:
    done = row["workload"]
    prefetch = done.get("prefetch")
    return memory_model.one_loader(
        _storages(row),
        workers,
        2 if prefetch is None else prefetch,
        held=0 if done.get("rebuilt") else measured.held(done),
        spike=spike,
        pinned="pin" in done,
        file_system=measured.strategy(done) == "file_system",
        page=measured.page(done),
    )


def _storages(row: dict[str, Any]) -> list[int]:
    if row["storages_bytes"] is not None:
        return list(row["storages_bytes"])
    done = row["workload"]
    if done["collate"] != "default":
        return []  # the dataset's own storages, or numpy: nothing comes with the batch
    return [
        done["batch"] * math.prod(field["shape"]) * measured.ITEMSIZE[field["dtype"]]
        for field in done["fields"]
    ]
