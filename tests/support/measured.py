"""Measured rows: what a person would have entered, and what the written law says of it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from tests.support import memory_model

ITEMSIZE = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "float8_e4m3fn": 1, "float8_e5m2": 1,
    "int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint8": 1, "bool": 1,
    "complex64": 8, "complex128": 16,
}  # fmt: skip

COLLATE = {
    "default": "default",
    "stack": "stack",
    "noncontig": "stack",
    "expand": "stack",
    "view": "stack",
    "twice": "stack",
    "sparse": "stack",
    "list": "list",
    "clone_list": "list",
    "none": "list",
    "numpy": "numpy",
    "pylist": "numpy",
}
UNCOPIED = {"list", "none"}
"""Collates that return the dataset's items as they are."""

DELETES_FIRST = {"next_del", "next_del_first"}
SCENARIOS = {"epoch", "tmp", "share", "two_loaders", "interleaved"}
HUGE_PAGE = 2 * 1024 * 1024


class NotExpressibleError(Exception):
    """The workload's vocabulary has no words yet for what this row did."""


def rows(path: Path) -> list[dict[str, Any]]:
    """Read the measured rows of a file."""
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cases"]
    return found


# ---------------------------------------------------------------- as a person enters it


def workload(row: dict[str, Any]) -> dict[str, Any]:
    """Return the input JSON for a row.

    Raises:
        NotExpressibleError: the inputs have no words for it.
    """
    done = row["workload"]
    _refuse_unknown(done)
    train = _loader(done, done["workers"])
    loaders = [train]
    if done.get("scenario") in {"two_loaders", "interleaved"}:
        loaders.append(_loader(done, done.get("val_workers", done["workers"])))
    context = done.get("context", "fork")
    return {
        "ranks": done.get("ranks", 1),
        "loaders": loaders,
        "schedule": "interleaved" if done.get("scenario") == "interleaved" else "sequential",
        "last_batch_held": done.get("hold_last", False),
        "start_method": context,
        "sharing_strategy": _strategy(done),
        "dataset_tensor_bytes": _dataset_tensor_bytes(done),
        "page_bytes": _page(done),
        "accelerator": True,
    }


def _refuse_unknown(done: dict[str, Any]) -> None:
    if done["collate"] not in COLLATE:
        raise NotExpressibleError(f"collate {done['collate']}")
    if done.get("scenario", "epoch") not in SCENARIOS:
        raise NotExpressibleError(f"scenario {done['scenario']}")


def _loader(done: dict[str, Any], workers: int) -> dict[str, Any]:
    fields = [_field(done, field) for field in done["fields"]]
    if done["collate"] == "twice":
        first = {**fields[0], "name": "first"}
        fields = [first, {**first, "name": "again", "same_storage_as": "first"}]
    return {
        "batch_size": None if done["collate"] == "none" else done["batch"],
        "num_workers": workers,
        "prefetch_factor": done.get("prefetch"),
        "fields": fields,
        "collate": _collate(done),
        "pin_memory": "pin" in done,
        "persistent_workers": done.get("persistent", False),
        "held_batches": held(done),
        "returns_dataset_tensors": _returns_own(done),
    }


def _collate(done: dict[str, Any]) -> str:
    """Items in numpy that a list collate returns as they are stay numpy."""
    if done.get("dataset") == "base_numpy" and done["collate"] in UNCOPIED:
        return "numpy"
    return COLLATE[done["collate"]]


def _returns_own(done: dict[str, Any]) -> bool:
    return done.get("dataset") in {"base_tensor", "base_list"} and done["collate"] in UNCOPIED


def _field(done: dict[str, Any], field: dict[str, Any]) -> dict[str, Any]:
    kind = field.get("as", "tensor")
    if kind in {"int", "float", "str"}:
        return {"kind": kind}
    entered: dict[str, Any] = {"shape": field["shape"], "dtype": field["dtype"]}
    if "var" in field:
        entered["shape"] = [max(field["var"]), *field["shape"][1:]]
        entered["sizes"] = field["var"]
    match done["collate"]:
        case "expand":
            entered["view_of"] = [1, *field["shape"]]
        case "view":
            entered["view_of"] = [2 * done["batch"], *field["shape"]]
        case "sparse":
            entered["nnz"] = math.prod(field["shape"])
    return entered


def held(done: dict[str, Any]) -> int:
    """Batches the consumer still references."""
    if done.get("pattern") in DELETES_FIRST:
        return 0
    return int(done["kept_batches"]) if done.get("pattern") == "keep_all" else 1


def _strategy(done: dict[str, Any]) -> str:
    """The strategy the workers use: under spawn they do not inherit the main process's."""
    inherits = done.get("context", "fork") == "fork"
    return str(done.get("strategy", "file_descriptor")) if inherits else "file_descriptor"


def _page(done: dict[str, Any]) -> int:
    return HUGE_PAGE if "huge=always" in done.get("mount_opts", "") else memory_model.PAGE


def _dataset_tensor_bytes(done: dict[str, Any]) -> int:
    if done.get("dataset") not in {"base_tensor", "base_list"}:
        return 0
    shape: list[int] = done["base_shape"]
    return math.prod(shape) * ITEMSIZE["float32"]


# ---------------------------------------------------------------- what the law says


def lawful_peak(row: dict[str, Any]) -> int:
    """Return the strict bound of the written law, from the storages seen in the run."""
    done = row["workload"]
    train = _lawful_loader(row, done["workers"])
    return int(done.get("ranks", 1)) * (_together(row, train) + _lawful_resident(done))


def _lawful_resident(done: dict[str, Any]) -> int:
    """Dataset tensors: once a rank when pickled to workers, a worker each when uncopied."""
    tensors = memory_model.pages(_dataset_tensor_bytes(done))
    if done.get("context", "fork") != "fork":
        return tensors
    return int(done["workers"]) * tensors if _returns_own(done) else 0


def _together(row: dict[str, Any], train: int) -> int:
    done = row["workload"]
    scenario = done.get("scenario", "epoch")
    if scenario not in {"two_loaders", "interleaved"}:
        return train
    val_workers = done.get("val_workers", done["workers"])
    val = _lawful_loader(row, val_workers)
    if scenario == "interleaved":
        return train + val
    page = _page(done)
    idle_train = memory_model.semaphores(done["workers"], page) if done.get("persistent") else 0
    idle_val = memory_model.semaphores(val_workers, page) if done.get("persistent") else 0
    last = memory_model.batch(_storages(row), page=page) if done.get("hold_last") else 0
    return max(train + idle_val, val + idle_train + last)


def _lawful_loader(row: dict[str, Any], workers: int) -> int:
    done = row["workload"]
    prefetch = done.get("prefetch")
    return memory_model.one_loader(
        _storages(row),
        workers,
        2 if prefetch is None else prefetch,
        held=held(done),
        pinned="pin" in done,
        file_system=_strategy(done) == "file_system",
        page=_page(done),
    )


def _storages(row: dict[str, Any]) -> list[int]:
    if row["storages_bytes"] is not None:
        return list(row["storages_bytes"])
    done = row["workload"]
    if done["collate"] != "default":
        return []  # the dataset's own storages, or numpy: nothing comes with the batch
    return [
        done["batch"] * math.prod(field["shape"]) * ITEMSIZE[field["dtype"]]
        for field in done["fields"]
    ]
