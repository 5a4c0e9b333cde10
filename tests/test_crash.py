"""What a full /dev/shm looks like, by PyTorch version and collate."""

from __future__ import annotations

import pytest

from calculator.crash import likely_crash
from calculator.workload import parse


@pytest.mark.parametrize(
    ("torch", "collate", "kind", "text"),
    [
        ("1.13", "default", "sigbus", "is killed by signal: Bus error"),
        ("2.9.1", "default", "sigbus", "is killed by signal: Bus error"),
        ("2.9", "list", "sigbus", "is killed by signal: Bus error"),
        ("2.10.0", "default", "runtime-error", "Resource temporarily unavailable (11)"),
        ("2.11.0+cu128", "default", "runtime-error", "Resource temporarily unavailable (11)"),
        ("2.10", "stack", "hang", "_feed"),
        ("2.12", "default", "runtime-error", "No space left on device (28)"),
        ("2.13", "default", "runtime-error", "No space left on device (28)"),
        ("2.13", "list", "hang", "No space left on device (28)"),
        ("3.0", "default", "runtime-error", "No space left on device (28)"),
    ],
)
def test_the_version_decides(torch, collate, kind, text) -> None:
    workload = parse({"torch_version": torch, "loaders": [{"collate": collate}]})
    found = likely_crash(workload)
    assert found.kind == kind
    assert text in found.text
    assert found.what_happens
    assert found.first_action
    assert found.source.startswith("https://")


@pytest.mark.parametrize(
    ("loader", "kind"),
    [
        ({"batch_size": None}, "hang"),
        ({"collate": "numpy"}, "runtime-error"),
        ({"collate": "stack", "num_workers": 1}, "hang"),
        ({"collate": "stack", "num_workers": 0}, "nccl"),
    ],
)
def test_what_the_feeder_thread_copies_decides(loader, kind) -> None:
    assert likely_crash(parse({"loaders": [loader]})).kind == kind


def test_one_loader_with_its_own_collate_is_enough_to_hang() -> None:
    workload = parse({"loaders": [{}, {"collate": "stack"}]})
    assert likely_crash(workload).kind == "hang"


def test_a_loader_without_workers_makes_no_other_one_hang() -> None:
    workload = parse({"loaders": [{}, {"collate": "stack", "num_workers": 0}]})
    assert likely_crash(workload).kind == "runtime-error"
