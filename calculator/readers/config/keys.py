"""How training configurations call the same few things, and where to look for them."""

from __future__ import annotations

import re
from typing import Final

BATCH: Final = (
    "per_device_train_batch_size", "train_micro_batch_size_per_gpu", "micro_batch_size",
    "batch_size_per_gpu", "batch_size_per_device", "per_device_batch_size", "samples_per_gpu",
    "per_gpu_train_batch_size", "train_batch_size", "batch_size_train", "train_bs", "batch_size",
    "batchsize", "bs", "batch", "dataloader_batch_size", "images_per_gpu", "batch_size_per_rank",
    "ims_per_gpu", "mini_batch_size", "train_batch_size_per_device", "local_batch_size", "b",
)  # fmt: skip
TOTAL_BATCH: Final = (
    "ims_per_batch",
    "global_batch_size",
    "total_batch_size",
    "global_train_batch_size",
)
VAL_BATCH: Final = (
    "per_device_eval_batch_size", "eval_batch_size", "val_batch_size", "valid_batch_size",
    "validation_batch_size", "test_batch_size", "batch_size_val", "batch_size_eval", "val_bs",
)  # fmt: skip
WORKERS: Final = (
    "dataloader_num_workers", "num_workers", "workers_per_gpu", "max_data_loader_n_workers",
    "train_num_workers", "num_train_workers", "n_workers", "nworkers", "workers",
    "num_data_workers", "data_workers", "loader_workers", "num_loader_workers", "n_data_workers",
    "worker", "nw", "j",
    "numworkers", "dataloader_workers", "num_worker",
)  # fmt: skip
VAL_WORKERS: Final = (
    "val_num_workers", "num_val_workers", "eval_num_workers", "test_num_workers", "val_workers",
    "valid_num_workers", "num_workers_val", "eval_workers",
)  # fmt: skip
PREFETCH: Final = ("prefetch_factor", "dataloader_prefetch_factor", "prefetch", "num_prefetch")
PIN: Final = ("pin_memory", "dataloader_pin_memory", "pin_mem")
PERSISTENT: Final = (
    "persistent_workers", "dataloader_persistent_workers", "persistent_data_loader_workers",
)  # fmt: skip
RANKS: Final = (
    "nproc_per_node", "nproc-per-node", "gpus_per_node", "num_gpus_per_node", "devices",
    "num_processes", "n_gpus", "ngpus", "num_gpus", "gpus", "n_gpu", "slots_per_trial",
    "slots_per_node", "num_devices", "gpu_ids", "devices_per_node", "world_size",
)  # fmt: skip
SIDE: Final = (
    "image_size", "img_size", "imgsz", "input_size", "crop_size", "crop", "resolution", "img_dim",
    "train_crop_size", "patch_size", "roi_size", "image_shape", "input_shape", "sample_shape",
)  # fmt: skip
LENGTH: Final = (
    "sequence_len", "max_seq_length", "max_seq_len", "seq_length", "seq_len", "max_length",
    "cutoff_len", "block_size", "model_max_length", "context_length", "sequence_length",
)  # fmt: skip

TRAIN_NAMES: Final = re.compile(r"train|fit", re.IGNORECASE)
VAL_NAMES: Final = re.compile(r"val|valid|validation|eval|test|predict", re.IGNORECASE)


def plain(key: str) -> str:
    """Return a key as the lists above spell it: `--batch-size`, `BATCH_SIZE`, `batchSize`."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key)
    return snake.strip("-").replace("-", "_").lower()


def canonical(key: str) -> str:
    """Return what a key is about: batch, workers, prefetch, ranks, ...; empty: something else."""
    name = plain(key)
    for what, names in _TABLE.items():
        if name in names:
            return what
    return ""


def rank(key: str) -> int:
    """Return how exactly a key says what it is about: 0 is the most exact."""
    name = plain(key)
    return min((names.index(name) for names in (BATCH, WORKERS) if name in names), default=0)


_TABLE: Final = {
    "batch": frozenset(BATCH), "total_batch": frozenset(TOTAL_BATCH),
    "val_batch": frozenset(VAL_BATCH), "workers": frozenset(WORKERS),
    "val_workers": frozenset(VAL_WORKERS), "prefetch": frozenset(PREFETCH),
    "pin_memory": frozenset(PIN), "persistent_workers": frozenset(PERSISTENT),
    "ranks": frozenset(RANKS), "side": frozenset(SIDE), "length": frozenset(LENGTH),
}  # fmt: skip
