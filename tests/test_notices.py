"""Each notice: when it speaks, when it is silent, what its fix gives."""

from __future__ import annotations

from typing import Any

import pytest

from calculator import report, resources
from calculator.inputs import gather
from calculator.notices import Fix
from calculator.units import GIB, MIB
from calculator.workload import parse

ROOMY = {"current_shm": "1t"}
TOKENS = [{"fields": [{"name": "ids", "shape": [512], "dtype": "int64"}]}]


def ids(data: dict[str, Any]) -> list[str]:
    return [notice.id for notice in report.build(parse(data), targets=[]).notices]


@pytest.mark.parametrize(
    ("notice", "data"),
    [
        ("existing_smaller", {}),
        ("shm_counts_toward_memory", {"memory_limit": "16g"}),
        ("very_large_batch", {"loaders": [{"batch_size": 10**6}]}),
        ("workers_zero", {"loaders": [{"num_workers": 0}]}),
        ("batches_kept", {"loaders": [{"held_batches": 5}]}),
        ("loaders_alive_together", {"loaders": [{}, {}], "schedule": "always"}),
        ("gpus_and_processes", {"deployment": {"gpus": 4}}),
        ("gpus_and_processes", {"deployment": {"gpus": 0}}),
        ("deep_prefetch", {"loaders": [{"prefetch_factor": 16}]}),
        ("float64_doubles", {"loaders": [{"fields": [{"dtype": "float64"}]}]}),
        ("wide_images", {}),
        ("numpy_through_pipe", {"loaders": [{"collate": "numpy"}]}),
        (
            "many_small_tensors",
            {"loaders": [{"collate": "list", "batch_size": 64, "num_workers": 16}]},
        ),
        (
            "spawn_dataset_tensors",
            {"dataset_tensor_bytes": "1g", "start_method": "spawn"},
        ),
        ("file_system_leftovers", {"sharing_strategy": "file_system"}),
        ("silent_hang", {"loaders": [{"collate": "stack"}], "torch_version": "2.10"}),
        ("huge_pages", {"page_bytes": 2 * MIB}),
    ],
)
def test_speaks(notice, data) -> None:
    assert notice in ids(data)


@pytest.mark.parametrize(
    ("notice", "data"),
    [
        ("existing_smaller", ROOMY),
        ("shm_counts_toward_memory", {"memory_limit": "1t"}),
        ("shm_counts_toward_memory", {}),
        ("loaders_alive_together", {"loaders": [{}, {}]}),
        ("gpus_and_processes", {"deployment": {"gpus": 8}}),
        ("gpus_and_processes", {"deployment": {"gpus": 4}, "accelerator": False}),
        ("deep_prefetch", {}),
        ("wide_images", {"loaders": TOKENS}),
        ("wide_images", {"loaders": [{"fields": [{"dtype": "uint8"}]}]}),
        ("wide_images", {"loaders": [{"fields": [{"shape": [160, 160, 160]}]}]}),
        ("spawn_dataset_tensors", {"dataset_tensor_bytes": "1g"}),
        ("silent_hang", {"loaders": [{"collate": "stack"}], "torch_version": "2.9.1"}),
        ("silent_hang", {}),
        ("huge_pages", {"page_bytes": 64 * 1024}),
        ("huge_pages", {"page_bytes": 2 * MIB, "loaders": [{"num_workers": 0}], "ranks": 1}),
        ("silent_hang", {"loaders": [{"collate": "stack"}], **ROOMY}),
    ],
)
def test_is_silent(notice, data) -> None:
    assert notice not in ids(data)


def test_a_job_that_fits_hears_nothing() -> None:
    assert ids({**ROOMY, "loaders": TOKENS}) == []


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"memory_limit": "16g"},
        {"loaders": [{"held_batches": 50}]},
        {"loaders": [{}, {}], "schedule": "interleaved"},
        {"loaders": [{"prefetch_factor": 16}]},
        {"loaders": [{"fields": [{"dtype": "float64"}]}]},
        {"dataset_tensor_bytes": "9g", "start_method": "spawn"},
        {"sharing_strategy": "file_system"},
        {"machine_memory": "64g"},
        {"loaders": [{}, {}], "schedule": "always"},
        {"deployment": {"gpus": 0}},
        {"page_bytes": 2 * MIB},
        {"loaders": [{"collate": "list", "num_workers": 16}]},
    ],
)
def test_a_fix_keeps_its_promise_when_it_is_applied(data) -> None:
    fixes = [n.fix for n in report.build(parse(data), targets=[]).notices if n.fix]
    assert fixes
    for fix in fixes:
        applied = report.build(gather(None, data, fix.set), targets=[])
        assert applied.shm.recommended_bytes == fix.recommended_bytes
        assert applied.shm.need_bytes == fix.need_bytes


def test_loaders_that_never_end_cannot_take_turns() -> None:
    data = {"loaders": [{}, {}], "schedule": "always"}
    (found,) = [
        n for n in report.build(parse(data), targets=[]).notices if n.id == "loaders_alive_together"
    ]
    assert found.fix is not None
    assert found.fix.set == {"loaders.1.num_workers": 1}
    assert "after the epoch" not in found.text


def fix_of(notice: str, data: dict[str, Any]) -> Fix | None:
    return next(
        each.fix for each in report.build(parse(data), targets=[]).notices if each.id == notice
    )


def test_a_machine_too_small_is_told_how_many_workers_it_holds() -> None:
    """GiB for 6 workers: 8 of /dev/shm, 8 x 4 for the processes, 8 x 6 x 0.5 for their workers."""
    fix = fix_of("shm_large_share_of_memory", {"machine_memory": "64g"})
    assert fix is not None
    assert fix.set == {"loaders.0.num_workers": 6}
    assert fix.recommended_bytes == 8 * GIB


def test_a_machine_that_not_even_one_worker_suits_gets_no_fix() -> None:
    assert fix_of("shm_large_share_of_memory", {"machine_memory": "16g"}) is None


LIST = {"collate": "list", "num_workers": 16}


@pytest.mark.parametrize(
    ("notice", "limit", "data"),
    [
        ("many_small_tensors", "open_files_limit", {"loaders": [LIST]}),
        ("map_count_limit", "max_map_count", {"loaders": [LIST], "max_map_count": 100}),
    ],
)
def test_lists_of_equal_tensors_are_stacked_where_that_is_enough(notice, limit, data) -> None:
    fix = fix_of(notice, data)
    assert fix is not None
    assert fix.set == {"loaders.0.collate": "default"}
    assert fix_of(notice, {**data, limit: 20}) is None


def test_samples_that_differ_cannot_be_stacked() -> None:
    varying = {**LIST, "fields": [{"shape": [9, 64], "sizes": [9, 5]}]}
    assert fix_of("many_small_tensors", {"loaders": [varying]}) is None


def test_no_gpu_asked_for_is_mended_by_asking() -> None:
    fix = fix_of("gpus_and_processes", {"deployment": {"gpus": 0}, "ranks": 4})
    assert fix is not None
    assert fix.set == {"deployment.gpus": 4}


def test_uint8_quarters_the_images() -> None:
    fix = next(n.fix for n in report.build(parse({}), targets=[]).notices if n.id == "wide_images")
    assert fix is not None
    assert fix.set == {"loaders.0.fields.0.dtype": "uint8"}
    assert fix.recommended_bytes == 2 * GIB


def test_a_limit_that_clips_is_said_to_clip() -> None:
    text = next(
        n.text
        for n in report.build(parse({"memory_limit": 512 * MIB}), targets=[]).notices
        if n.id == "shm_counts_toward_memory"
    )
    assert "Kubernetes even cuts /dev/shm" in text


def test_every_source_cited_anywhere_has_a_title_and_an_address() -> None:
    for name, source in resources.table("facts", "sources").items():
        assert source["title"], name
        assert source["url"].startswith(("https://", "#")), name


def test_a_fix_that_comes_to_more_than_any_machine_has_is_none() -> None:
    """The job itself is small: each sample is a view; stacked they would be whole."""
    field = {"shape": [1_000_000, 1_000_000], "view_of": [1]}
    data = {"loaders": [{"collate": "list", "batch_size": 512, "fields": [field]}]}
    found = report.build(parse(data), targets=[])
    assert found.shm.need_bytes < 2**30
    assert all(notice.fix is None or notice.fix.need_bytes < 2**53 for notice in found.notices)
