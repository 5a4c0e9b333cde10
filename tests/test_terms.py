"""Every term in words: read by a person, and read again when it changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculator import report
from calculator.workload import parse

GOLDEN = Path(__file__).parent / "golden"
IMAGE = {"batch_size": 16, "num_workers": 2}
CASES = {
    "one-process": {"ranks": 1, "loaders": [IMAGE]},
    "train-and-val": {"loaders": [IMAGE, {**IMAGE, "batch_size": 64}]},
    "idle-validation": {
        "loaders": [
            {**IMAGE, "batch_size": 64, "persistent_workers": True},
            {**IMAGE, "persistent_workers": True},
        ],
        "last_batch_held": False,
    },
    "left-early": {
        "loaders": [
            {**IMAGE, "persistent_workers": True, "early_breaks": 2},
            {**IMAGE, "batch_size": 64},
        ],
        "sharing_strategy": "file_system",
        "memory_limit": "100g",
    },
    "spawned": {
        "ranks": 2,
        "loaders": [IMAGE],
        "dataset_tensor_bytes": "1g",
        "dataset_tensors": 4,
        "start_method": "spawn",
    },
    "uncopied": {
        "ranks": 2,
        "loaders": [{**IMAGE, "collate": "list", "returns_dataset_tensors": True}],
        "dataset_tensor_bytes": "1g",
        "dataset_tensors": 4,
    },
    "queues": {
        "ranks": 1,
        "schedule": "always",
        "loaders": [
            {**IMAGE, "queue_size": 6, "pin_memory": True},
            {**IMAGE, "queue_size": 3},
        ],
    },
    "everybody": {
        "ranks": 4,
        "nccl_communicators": 3,
        "gpu_p2p": False,
        "ray_object_store_bytes": "2g",
        "vllm_ring_buffers": 2,
        "process_shm_bytes": "512m",
        "other_shm_bytes": "1g",
        "headroom": 0.25,
        "main_process_bytes": "2g",
    },
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_report_says_is_what_we_read(name) -> None:
    found = report.build(parse(CASES[name]), targets=[]).model_dump(mode="json")
    shown = {
        "shm": {key: found["shm"][key] for key in ("terms", "steps")},
        "loaders": found["loaders"],
        "memory": found["memory"],
        "descriptors": found["descriptors"],
    }
    assert shown == json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
