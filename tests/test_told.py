"""What is listed of a job on paper."""

from __future__ import annotations

from typing import Any

import pytest

from calculator import presets
from calculator.told import told
from calculator.workload import parse


def lines(**inputs: Any) -> dict[str, str]:
    return {line.label: line.value for line in told(parse(inputs))}


def test_the_usual_job_is_seven_lines() -> None:
    assert lines() == {
        "Processes (GPUs)": "8",
        "Batch per process": "64",
        "num_workers": "8",
        "prefetch_factor": "2",
        "One sample: image": "3, 224, 224 float32",
        "PyTorch": "2.13",
        "/dev/shm now": "64 MiB",  # noqa: S108 - a label
    }


LISTED = [
    ({"memory_limit": "32g"}, "Memory limit", "32 GiB"),
    ({"accelerator": False}, "Has a GPU", "no"),
    ({"headroom": 0.25}, "Headroom", "25%"),
    ({"sharing_strategy": "file_system"}, "Sharing strategy", "file_system"),
    ({"loaders": [{"pin_memory": True}]}, "pin_memory", "yes"),
    ({"loaders": [{"prefetch_factor": None}]}, "prefetch_factor", ""),
    (
        {"loaders": [{"fields": [{"name": "label", "kind": "int"}]}]},
        "One sample: label",
        "int",
    ),
    (
        {"loaders": [{"fields": [{"name": "x", "shape": [9], "sizes": [1, 3]}]}]},
        "One sample: x",
        "9 float32; Sizes that vary: 1, 3",
    ),
    (
        {"loaders": [{"fields": [{"name": f"f{n}", "shape": [1]} for n in range(13)]}]},
        "One sample",
        "13 fields",
    ),
]


@pytest.mark.parametrize(("inputs", "label", "value"), LISTED)
def test_what_is_not_usual_is_listed(inputs: dict[str, Any], label: str, value: str) -> None:
    assert label not in lines() or lines()[label] != value
    assert lines(**inputs)[label] == value


def test_loaders_are_told_apart() -> None:
    found = lines(loaders=[{"num_workers": 4}, {"num_workers": 2}])
    assert found["num_workers (train)"] == "4"
    assert found["num_workers (val)"] == "2"


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_no_line_is_said_twice(preset: str) -> None:
    labels = [line.label for line in told(presets.load(preset).workload)]
    assert len(labels) == len(set(labels))
