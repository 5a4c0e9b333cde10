"""The keys of a link: one for each input.  A key that was once given away keeps its meaning."""

from __future__ import annotations

from typing import Final

VERSION: Final = "1"
TARGET: Final = "t"
"""The platform that is looked at."""

JOB: Final[dict[str, str]] = {
    "ranks": "r",
    "job_ranks": "j",
    "loaders": "l",
    "schedule": "v",
    "last_batch_held": "lb",
    "start_method": "sm",
    "python_version": "py",
    "sharing_strategy": "ss",
    "dataset_tensor_bytes": "db",
    "dataset_tensors": "dt",
    "accelerator": "a",
    "page_bytes": "pg",
    "torch_version": "pt",
    "current_shm": "s",
    "memory_limit": "m",
    "machine_memory": "mm",
    "main_process_bytes": "mp",
    "worker_process_bytes": "wp",
    "nccl_communicators": "nc",
    "gpu_p2p": "pp",
    "nccl_cumem_host": "nh",
    "nccl_channels": "nn",
    "ray_object_store_bytes": "ro",
    "vllm_ring_buffers": "vr",
    "open_files_limit": "of",
    "max_map_count": "mc",
    "other_shm_bytes": "o",
    "process_shm_bytes": "op",
    "headroom": "h",
    "deployment.image": "i",
    "deployment.command": "cm",
    "deployment.name": "dn",
    "deployment.namespace": "ns",
    "deployment.gpus": "g",
    "deployment.ranks_per_pod": "rp",
}
"""Inputs of the job; `loaders` stands for their number."""

LOADER: Final[dict[str, str]] = {
    "name": "n",
    "batch_size": "b",
    "num_workers": "w",
    "prefetch_factor": "p",
    "fields": "f",
    "collate": "c",
    "pin_memory": "pm",
    "persistent_workers": "pw",
    "held_batches": "hb",
    "returns_dataset_tensors": "rd",
    "early_breaks": "eb",
    "queue_size": "q",
}
"""Inputs of a loader."""

FIELD: Final[dict[str, str]] = {
    "sizes": "s",
    "nnz": "n",
    "view_of": "v",
    "same_storage_as": "o",
}
"""Inputs of a field that are seldom said."""

BY_PLACE: Final = ("name", "shape")
BY_WORD: Final = ("dtype", "kind")
"""Inputs of a field without a key: by their place, or since no other has such a value."""

DTYPES: Final[dict[str, str]] = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16",
    "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8",
    "uint64": "u64", "uint32": "u32", "uint16": "u16", "uint8": "u8",
    "complex128": "c128", "complex64": "c64", "complex32": "c32",
}  # fmt: skip
"""Short names; whole ones are read as well."""
