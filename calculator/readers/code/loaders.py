"""Calls that make loaders: PyTorch's DataLoader under any name, and those of its relatives."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from calculator.readers.code.values import (
    Const,
    LoaderSite,
    Made,
    Obj,
    Unknown,
    Value,
    constant,
)

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

POSITIONS: Final = (
    "dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn",
    "pin_memory", "drop_last", "timeout", "worker_init_fn", "multiprocessing_context",
)  # fmt: skip
"""Order of DataLoader's parameters.  Source: torch/utils/data/dataloader.py."""

HF_ARGUMENTS: Final = frozenset(
    ["SFTConfig", "DPOConfig", "KTOConfig", "ORPOConfig", "CPOConfig", "RewardConfig", "GRPOConfig"]
)
_DERIVED: Final = frozenset(
    {
        "WebLoader", "SubjectsLoader", "NeighborLoader", "LinkNeighborLoader",
        "GraphSAINTSampler", "ShaDowKHopSampler", "ClusterLoader",
    }
)  # fmt: skip
YOLO_PREFETCH: Final = 4
"""What Ultralytics passes.  Source: ultralytics/data/build.py, build_dataloader."""

_FASTAI: Final = ("DataLoaders", "DataBunch")


def kind_of(made: Made) -> str | None:
    """Return the kind of loader that a call makes; None if it makes none."""
    name, short = made.name, made.short
    owner = name.rpartition(".")[0].rpartition(".")[2]
    if name.startswith("ffcv") and short == "Loader":
        return "ffcv"
    if short in HF_ARGUMENTS or short.endswith("TrainingArguments"):
        return "hf"
    is_block = any(isinstance(each, Made) and each.short == "DataBlock" for each in made.args)
    if (
        owner.endswith(_FASTAI)
        or short == "databunch"
        or (short == "dataloaders" and (is_block or "bs" in made.kwargs))
    ):
        return "fastai"
    if short == "ThreadDataLoader":
        return "thread"
    if short == "Queue" and not name.startswith(
        ("queue.", "multiprocessing", "torch.multi", "asyncio")
    ):
        return (
            "queue" if "samples_per_volume" in made.kwargs or name.startswith("torchio") else None
        )
    if short == "create_loader" and (name.startswith("timm") or "input_size" in made.kwargs):
        return "timm"
    if short in _DERIVED:
        return (
            "pyg"
            if "Neighbor" in short or "Sampler" in short or short == "ClusterLoader"
            else "torch"
        )
    if short.endswith("DataLoader") and short[0].isupper() and not name.startswith("super"):
        if "torch_geometric" in name:
            return "pyg"
        return "monai" if name.startswith("monai") else "torch"
    return None


def made_loader(machine: Machine, made: Made, node: ast.AST) -> LoaderSite | None:
    """Remember a call that makes a loader."""
    kind = kind_of(made)
    return None if kind is None else machine.add_loader(made, node, kind)


def argument(site: LoaderSite, name: str) -> Value | None:
    """Return one argument of a loader, by keyword or by its position in DataLoader."""
    call = site.call
    if name in call.kwargs:
        return call.kwargs[name]
    if site.kind in {"torch", "monai", "thread"} and name in POSITIONS:
        return call.get(name, POSITIONS.index(name))
    return None


def dataset(site: LoaderSite) -> Value | None:
    """Return what a loader loads."""
    if site.kind in {"hf", "yolo"}:
        return None
    names = {"queue": "subjects_dataset", "pyg": "data"}
    return site.call.get(names.get(site.kind, "dataset"), 0) or site.call.kwargs.get("dataset")


def batch_of(site: LoaderSite) -> Value | None:
    """Return the batch size; `Const(None)` where samples travel alone."""
    if site.kind == "queue":
        return Const(1, line=site.line)
    if site.kind == "hf":
        return site.call.kwargs.get("per_device_train_batch_size") or Const(
            8, "TrainingArguments' default", line=site.line
        )
    if site.kind == "fastai":
        return site.call.kwargs.get("bs") or Const(64, "fastai's default", line=site.line)
    if site.kind == "yolo":
        return site.call.kwargs.get("batch") or Const(16, "Ultralytics' default", line=site.line)
    if site.kind == "timm":
        return site.call.get("batch_size", 2)
    sampler = argument(site, "batch_sampler")
    if sampler is not None and constant(sampler) is None and not isinstance(sampler, Const):
        return _batch_of_sampler(sampler, site)
    found = argument(site, "batch_size")
    if isinstance(found, Const) and found.value is None:
        return _batched_dataset(site) or found
    if found is None and "**" in site.call.kwargs:
        return Unknown(
            site.call.kwargs["**"].text if isinstance(site.call.kwargs["**"], Unknown) else ""
        )
    return found or Const(1, "DataLoader's default", line=site.line)


def _batch_of_sampler(sampler: Value, site: LoaderSite) -> Value:
    if isinstance(sampler, Made):
        place = {"BatchSampler": 1, "GroupedBatchSampler": 2}.get(sampler.short, 1)
        found = sampler.get("batch_size", place)
        if found is not None:
            return found
    if isinstance(sampler, Obj):
        names = ("batch_size", "batch", "bs")
        found = next(
            (sampler.attributes[each] for each in names if each in sampler.attributes), None
        )
        if found is not None:
            return found
    return Unknown("batch_sampler", line=site.line)


def _batched_dataset(site: LoaderSite) -> Value | None:
    """Webdataset batches inside the dataset: `.batched(64)`."""
    found = dataset(site)
    for _ in range(20):
        if not isinstance(found, Made):
            return None
        if found.short in {"batched", "batch"} and len(found.args) > 1:
            return found.args[1]
        parts = [each for each in found.args if isinstance(each, Made)]
        inner = next((each for each in parts if each.short in {"batched", "batch"}), None)
        if inner is not None and inner.args:
            return (
                inner.args[0] if not isinstance(inner.args[0], Made) else inner.get("batchsize", 1)
            )
        found = found.args[0] if found.args else None
    return None


def workers_of(site: LoaderSite) -> Value:
    """Return the number of worker processes."""
    kwargs, line = site.call.kwargs, site.line
    if site.kind == "hf":
        return kwargs.get("dataloader_num_workers") or Const(
            0, "TrainingArguments' default", line=line
        )
    if site.kind == "fastai":
        return kwargs.get("num_workers") or Unknown("min(16, cpus)", 16, machine=True, line=line)
    if site.kind == "ffcv" or (
        site.kind == "thread" and constant(kwargs.get("use_thread_workers")) is True
    ):
        return Const(0, "threads, no processes", line=line)
    if site.kind == "yolo":
        return kwargs.get("workers") or Const(8, "Ultralytics' default", line=line)
    if site.kind == "timm":
        return kwargs.get("num_workers") or Const(1, "timm's default", line=line)
    if site.kind == "queue":
        return site.call.get("num_workers", 4) or Const(0, "Queue's default", line=line)
    found = argument(site, "num_workers")
    if found is None and "**" in kwargs:
        return Unknown(kwargs["**"].text if isinstance(kwargs["**"], Unknown) else "", line=line)
    return found or Const(0, "DataLoader's default", line=line)


def option(site: LoaderSite, name: str) -> Value | None:
    """Return prefetch_factor, pin_memory, persistent_workers or the start method."""
    if site.kind == "hf":
        found = site.call.kwargs.get(f"dataloader_{name}")
        if found is None and name == "pin_memory":
            return Const(True, "TrainingArguments' default", line=site.line)  # noqa: FBT003
        return found
    if site.kind == "yolo":
        return Const(YOLO_PREFETCH, line=site.line) if name == "prefetch_factor" else None
    if site.kind == "timm" and name == "persistent_workers":
        return site.call.kwargs.get(name) or Const(True, "timm's default", line=site.line)  # noqa: FBT003
    return argument(site, name)
