"""Two jobs side by side: what differs in the inputs, and by how much in the answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from calculator import report
from calculator.api import answer
from calculator.compare import Amount, Comparison, Difference, Job, compare
from calculator.units import GIB
from calculator.workload import parse

BATCH = 64 * 3 * 224 * 224 * 4
"""Bytes of a batch of the default job: a whole number of pages."""

TWO = [{"name": "train"}, {"name": "val"}]


def job(data: dict[str, Any]) -> Job:
    workload = parse(data)
    return Job(workload, report.build(workload, targets=[]))


def compared(kept: dict[str, Any], now: dict[str, Any]) -> Comparison:
    return compare(job(kept), job(now))


def told(kept: dict[str, Any], now: dict[str, Any]) -> list[tuple[str, str | None, str | None]]:
    return [(each.label, each.kept, each.now) for each in compared(kept, now).inputs]


@pytest.mark.parametrize(
    ("kept", "now", "expected"),
    [
        ({}, {}, []),
        ({}, {"ranks": 4}, [("Processes (GPUs)", "8", "4")]),
        ({}, {"memory_limit": "64g"}, [("Memory limit", "not set", "64 GiB")]),
        ({}, {"accelerator": False}, [("Has a GPU", "yes", "no")]),
        ({}, {"headroom": 0.25}, [("Headroom", "10%", "25%")]),
        ({}, {"start_method": "spawn"}, [("Start method", "Python's default", "spawn")]),
        (
            {"loaders": [{"num_workers": 4, "collate": "list"}]},
            {"loaders": [{"fields": [{"shape": [3, 32, 32]}]}]},
            [
                ("num_workers", "4", "8"),
                ("Shape", "3, 224, 224", "3, 32, 32"),
                ("Collate", "list of tensors", "default_collate"),
            ],
        ),
        ({}, {"deployment": {"image": "mine:1"}}, [("Image", "your-image:latest", "mine:1")]),
    ],
)
def test_only_inputs_that_differ_are_told_as_the_form_shows_them(kept, now, expected) -> None:
    assert sorted(told(kept, now)) == sorted(expected)
    assert sorted(told(now, kept)) == sorted((label, b, a) for label, a, b in expected)


def test_of_a_loader_that_one_job_has_not_the_main_inputs_are_told() -> None:
    found = compared({"loaders": TWO[:1]}, {"loaders": [{}, {**TWO[1], "pin_memory": True}]})
    assert [(each.label, each.of, each.now) for each in found.inputs] == [
        ("Batch per process", ("val",), "64"),
        ("num_workers", ("val",), "8"),
        ("prefetch_factor", ("val",), "2"),
        ("Kind", ("val", "image"), "tensor"),
        ("Shape", ("val", "image"), "3, 224, 224"),
        ("dtype", ("val", "image"), "float32"),
        ("pin_memory", ("val",), "yes"),
    ]
    assert {each.kept for each in found.inputs} == {None}


def test_of_a_number_beside_the_tensor_its_kind_is_enough() -> None:
    image = {"name": "image"}
    label = {"name": "label", "kind": "int"}
    found = compared({"loaders": [{"fields": [image, label]}]}, {})
    assert found.inputs == (
        Difference("loaders.0.fields.1.kind", "Kind", ("label",), "Python int", None),
    )


def test_sizes_and_their_difference() -> None:
    """Half the workers: 2 x 4 x 8 batches and 12 pages fewer for 8 processes."""
    found = compared({}, {"loaders": [{"num_workers": 4}]})
    by_name = {each.name: each for each in found.sizes}
    assert by_name["Recommended"] == Amount("Recommended", 8 * GIB, 4 * GIB)
    need = by_name["Total active IPC memory"]
    assert need.less == 8 * (8 * BATCH + 12 * 4096)
    assert need.more == 0
    assert by_name["IPC per process (GPU)"].less * 8 == need.less
    assert by_name["Single item"].less == by_name["Single item"].more == 0


def test_terms_of_all_loaders_are_one_group_and_sum_to_the_need() -> None:
    kept = {"loaders": [{}], "ranks": 1}
    now = {"loaders": TWO, "ranks": 1, "schedule": "always"}
    found = compared(kept, now)
    queued = next(each for each in found.terms if each.name == "Queued batches")
    assert (queued.kept, queued.now) == (16 * BATCH, 32 * BATCH)
    assert sum(each.kept for each in found.terms) == found.kept.shm.need_bytes
    assert sum(each.now for each in found.terms) == found.now.shm.need_bytes


def test_a_term_that_only_one_job_has_is_nothing_in_the_other() -> None:
    found = compared({}, {"ranks": 1})
    nccl = next(each for each in found.terms if each.name == "NCCL")
    assert (nccl.kept, nccl.now) == (8 * 33_030_528, 0)


# ---------------------------------------------------------------- through the door


def ask(**request: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer(json.dumps({"targets": [], **request})))
    return found


def test_nothing_kept_shows_nothing() -> None:
    assert ask(parts=["compare"])["parts"]["compare"].strip() == ""


def test_what_was_kept_stands_beside_what_is() -> None:
    kept = {"loaders": [{"num_workers": 4}]}
    html = ask(parts=["compare"], compare=kept)["parts"]["compare"]
    row = html[html.index(">num_workers") :].partition("</tr>")[0]
    assert row.index(">4<") < row.index(">8<")
    assert "4 GiB more than the 4 GiB of the kept job" in html


def test_the_same_job_is_said_to_be_the_same() -> None:
    html = ask(parts=["compare"], compare={})["parts"]["compare"]
    assert "Both jobs are the same" in html


def test_the_kept_job_is_laid_over_the_default_as_any_workload_is() -> None:
    whole = ask(preset="medical-3d", parts=[])["workload"]
    html = ask(preset="medical-3d", parts=["compare"], compare=whole)["parts"]["compare"]
    assert "Both jobs are the same" in html


@pytest.mark.parametrize(
    ("kept", "message"),
    [
        ({"ranks": 0}, "ranks: must be at least 1"),
        ({"loaders": [{"batch_size": "x"}]}, "loaders.0.batch_size: must be a whole number"),
        ({"nonsense": 1}, "nonsense: is not a known key here"),
    ],
)
def test_a_kept_job_that_cannot_be_is_said_at_compare(kept, message) -> None:
    assert ask(compare=kept) == {
        "ok": False,
        "errors": [{"path": "compare", "message": message}],
        "hints": [],
    }


def test_text_of_a_kept_job_is_text() -> None:
    kept = {"deployment": {"command": "<script>alert(1)</script>"}}
    assert "<script>" not in ask(parts=["compare"], compare=kept)["parts"]["compare"]
