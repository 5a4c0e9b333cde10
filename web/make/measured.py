"""Measured rows: what a person would have entered for each, in the workload's own words."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Final

from calculator.footprint import footprint
from calculator.workload import parse

ITEMSIZE = {
    "float64": 8, "float32": 4, "float16": 2, "bfloat16": 2, "float8_e4m3fn": 1, "float8_e5m2": 1,
    "int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint8": 1, "bool": 1,
    "complex64": 8, "complex128": 16,
}  # fmt: skip

COLLATE = {
    "default": "default",
    "stack": "stack",
    "noncontig": "stack",
    "expand": "own",
    "view": "own",
    "twice": "own",
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
PAGE = 4096
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
        "sharing_strategy": strategy(done),
        "dataset_tensor_bytes": dataset_tensor_bytes(done),
        "page_bytes": page(done),
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
        "returns_dataset_tensors": returns_own(done),
    }


def _collate(done: dict[str, Any]) -> str:
    """Items in numpy that a list collate returns as they are stay numpy."""
    if done.get("dataset") == "base_numpy" and done["collate"] in UNCOPIED:
        return "numpy"
    return COLLATE[done["collate"]]


def returns_own(done: dict[str, Any]) -> bool:
    """Whether the items that travelled were the dataset's own tensors."""
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


def strategy(done: dict[str, Any]) -> str:
    """The strategy the workers use: under spawn they do not inherit the main process's."""
    inherits = done.get("context", "fork") == "fork"
    return str(done.get("strategy", "file_descriptor")) if inherits else "file_descriptor"


def page(done: dict[str, Any]) -> int:
    """Bytes of a page of the tmpfs in use."""
    return HUGE_PAGE if "huge=always" in done.get("mount_opts", "") else PAGE


def dataset_tensor_bytes(done: dict[str, Any]) -> int:
    """Bytes of the tensors that the dataset held."""
    if done.get("dataset") not in {"base_tensor", "base_list"}:
        return 0
    shape: list[int] = done["base_shape"]
    return math.prod(shape) * ITEMSIZE["float32"]


# ---------------------------------------------------------------- what is worth showing

SHOWN: Final = {
    "q14a-imagenet": "ImageNet, batch 128, 8 workers",
    "q14b-volume": "volumes of 256³, batch 2, 4 workers",
    "q14d-tokens": "8192 token ids, batch 8, 4 workers",
    "q1-fastds-minimum": "small images, a dataset that costs nothing",
    "q2-fields-tuple": "image, mask, int and float in a sample",
    "q4-file_system-peak": "file_system strategy",
    "q5-pin-sleep0.15-w4-p2": "with a pinning thread",
    "q6-interleaved": "validation in the middle of an epoch",
    "q7-ranks2": "two processes",
    "q8-spawn-base_tensor": "spawn, a dataset that holds a tensor",
    "thp-always": "tmpfs with huge pages",
}


def telling(path: Path) -> list[dict[str, Any]]:
    """Return telling rows beside what the engine says of the same loader, in bytes."""
    found = {row["name"]: row for row in rows(path)}
    return [_telling(found[name], what) for name, what in SHOWN.items()]


def _telling(row: dict[str, Any], what: str) -> dict[str, Any]:
    model = footprint(parse(workload(row)))
    return {
        "name": row["name"],
        "what": what,
        "steady": model.steady_bytes,
        "bound": model.peak_bytes,
        "peak": row["peak_bytes"],
        "smallest": row["smallest_surviving_bytes"],
    }
