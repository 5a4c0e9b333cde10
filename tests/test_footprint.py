"""The memory model: terms, several loaders, pinning, ranks."""

from __future__ import annotations

import re
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator.footprint import footprint
from calculator.sizing import size_job
from calculator.workload import parse

IMAGE = {"shape": [3, 224, 224], "dtype": "float32"}
BATCH_16 = 9_633_792  # 16 images, a whole number of pages
SEMAPHORES_2 = 57_344  # of a loader with 2 workers


def job(*loaders: dict[str, Any], **values: Any) -> dict[str, Any]:
    basic = {"batch_size": 16, "num_workers": 2, "fields": [IMAGE]}
    return {"ranks": 1, "loaders": [{**basic, **each} for each in loaders or ({},)], **values}


def peak(*loaders: dict[str, Any], **values: Any) -> int:
    return footprint(parse(job(*loaders, **values))).peak_bytes


def steady(*loaders: dict[str, Any], **values: Any) -> int:
    return footprint(parse(job(*loaders, **values))).steady_bytes


def test_the_example_of_the_brief_to_the_byte() -> None:
    found = footprint(parse({}))
    assert found.peak_bytes == 5_550_112_768
    assert found.uses[0].batch_bytes == 38_535_168
    assert found.uses[0].queue_per_worker_bytes == 77_070_336


def test_a_plain_loop_holds_one_batch_and_one_is_handed_over() -> None:
    assert steady() == 5 * BATCH_16 + SEMAPHORES_2
    assert peak() == 6 * BATCH_16 + SEMAPHORES_2


@pytest.mark.parametrize(("held", "steady_batches"), [(0, 4), (1, 5), (3, 7)])
def test_batches_one_keeps_stay(held, steady_batches) -> None:
    assert steady({"held_batches": held}) == steady_batches * BATCH_16 + SEMAPHORES_2
    assert peak({"held_batches": held}) == (steady_batches + 1) * BATCH_16 + SEMAPHORES_2


def test_the_pinning_thread_takes_what_the_loop_holds_out_of_shared_memory() -> None:
    assert peak({"pin_memory": True}) == 4 * BATCH_16 + SEMAPHORES_2
    assert steady({"pin_memory": True}) == peak({"pin_memory": True})


def test_without_an_accelerator_pin_memory_changes_nothing() -> None:
    assert peak({"pin_memory": True}, accelerator=False) == peak()


def test_without_workers_nothing_is_shared() -> None:
    found = footprint(parse(job({"num_workers": 0})))
    assert (found.peak_bytes, found.steady_bytes, found.terms) == (0, 0, ())


def test_each_field_is_rounded_to_pages_on_its_own() -> None:
    tiny = [{"name": str(i), "shape": [1], "dtype": "float32"} for i in range(10)]
    use = footprint(parse(job({"batch_size": 8, "fields": tiny}))).uses[0]
    assert use.raw_batch_bytes == 320
    assert use.batch_bytes == 40_960


@pytest.mark.parametrize(("kind", "extra"), [("int", 4096), ("float", 4096), ("str", 0)])
def test_a_number_beside_the_image_costs_a_page_and_text_costs_nothing(kind, extra) -> None:
    use = footprint(parse(job({"fields": [IMAGE, {"kind": kind}]}))).uses[0]
    assert use.batch_bytes == BATCH_16 + extra


@pytest.mark.parametrize(
    ("collate", "fields", "batch_bytes", "tensors"),
    [
        ("default", [{"shape": [1000], "dtype": "uint8"}], 16384, 1),
        ("stack", [{"shape": [1000], "dtype": "uint8"}], 16384, 1),
        ("list", [{"shape": [1000], "dtype": "uint8"}], 16 * 4096, 16),
        ("list", [{"shape": [1000], "dtype": "uint8"}, {"kind": "int"}], 16 * 4096, 16),
        ("numpy", [{"shape": [1000], "dtype": "uint8"}], 0, 0),
    ],
)
def test_what_the_collate_function_makes_decides(collate, fields, batch_bytes, tensors) -> None:
    use = footprint(parse(job({"collate": collate, "fields": fields}))).uses[0]
    assert (use.batch_bytes, use.tensors) == (batch_bytes, tensors)


def test_file_system_costs_a_page_more_where_its_header_does_not_fit() -> None:
    assert peak(sharing_strategy="file_system") == peak() + 6 * 4096


def test_huge_pages_round_everything_up() -> None:
    page = 2 * 1024 * 1024
    assert peak(page_bytes=page) == (6 * 5 + 14) * page


def test_ranks_add_up_exactly() -> None:
    assert peak(ranks=4) == 4 * peak()


def test_loaders_in_turn_need_the_larger_one() -> None:
    small = {"batch_size": 4}
    assert peak({}, small, last_batch_held=False) == peak()


def test_the_last_training_batch_stays_while_validation_runs() -> None:
    assert peak({}, {}) == peak() + BATCH_16
    assert peak({}, {"batch_size": 4}) == peak()  # training stays the fuller time
    assert peak({"pin_memory": True}, {"pin_memory": True}) == peak({"pin_memory": True})


def test_persistent_workers_keep_their_semaphores_while_idle() -> None:
    lasting = {"persistent_workers": True}
    assert peak(lasting, lasting, last_batch_held=False) == peak() + SEMAPHORES_2


@pytest.mark.parametrize("schedule", ["interleaved", "always"])
def test_loaders_alive_together_add_up(schedule) -> None:
    assert peak({}, {}, schedule=schedule) == 2 * peak()


@pytest.mark.parametrize(
    ("method", "python", "extra"),
    [(None, "3.12", 0), (None, "3.14", 1), ("spawn", "3.12", 1), ("fork", "3.14", 0)],
)
def test_tensors_of_the_dataset_move_once_per_process_unless_forked(method, python, extra) -> None:
    held = {"dataset_tensor_bytes": 209_715_201, "start_method": method, "python_version": python}
    assert peak(ranks=2, **held) == 2 * (peak() + extra * (209_715_200 + 4096))


def test_a_dataset_is_not_pickled_without_workers() -> None:
    assert peak({"num_workers": 0}, dataset_tensor_bytes=1 << 30, start_method="spawn") == 0


# ---------------------------------------------------------------- for any job

LOADERS = st.fixed_dictionaries(
    {
        "batch_size": st.integers(1, 512),
        "num_workers": st.integers(0, 32),
        "prefetch_factor": st.integers(1, 8),
        "held_batches": st.integers(0, 4),
        "pin_memory": st.booleans(),
        "persistent_workers": st.booleans(),
        "collate": st.sampled_from(["default", "stack", "list", "numpy"]),
        "fields": st.lists(
            st.fixed_dictionaries(
                {
                    "kind": st.sampled_from(["tensor", "int", "str"]),
                    "shape": st.lists(st.integers(1, 300), min_size=1, max_size=4),
                    "dtype": st.sampled_from(["uint8", "float32", "complex128"]),
                }
            ),
            min_size=1,
            max_size=4,
        ),
    }
)
JOBS = st.fixed_dictionaries(
    {
        "ranks": st.integers(1, 16),
        "loaders": st.lists(LOADERS, min_size=1, max_size=3),
        "schedule": st.sampled_from(["sequential", "interleaved", "always"]),
        "last_batch_held": st.booleans(),
        "sharing_strategy": st.sampled_from(["file_descriptor", "file_system"]),
        "dataset_tensor_bytes": st.integers(0, 10**9),
        "start_method": st.sampled_from(["fork", "spawn", "forkserver"]),
        "other_shm_bytes": st.integers(0, 10**9),
    }
)


@given(JOBS)
def test_terms_sum_to_the_need_and_their_formulas_multiply_to_them(data) -> None:
    sizing = size_job(parse(data))
    assert sum(term.bytes for term in sizing.terms) == sizing.need_bytes
    for term in sizing.terms:
        factors = [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*", term.formula)]
        assert prod(factors) == term.bytes, term.formula
        assert term.bytes > 0
    assert sizing.steady_need_bytes <= sizing.need_bytes
    assert sizing.recommended_bytes >= sizing.roomy_bytes >= sizing.need_bytes


@given(JOBS, st.sampled_from(["batch_size", "num_workers", "prefetch_factor", "held_batches"]))
def test_asking_for_more_never_needs_less(data, key) -> None:
    more = {**data, "loaders": [{**each, key: each[key] + 1} for each in data["loaders"]]}
    assert size_job(parse(more)).need_bytes >= size_job(parse(data)).need_bytes
