"""The memory model, for any job: sums, and that asking for more never needs less."""

from __future__ import annotations

import re
from math import prod
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from calculator.footprint import footprint
from calculator.sizing import size_job
from calculator.workload import parse

LENGTHS = st.integers(1, 30)  # so that the largest job is still below the most there can be
LOADERS = st.fixed_dictionaries(
    {
        "batch_size": st.integers(1, 512),
        "num_workers": st.integers(0, 32),
        "prefetch_factor": st.integers(1, 8),
        "held_batches": st.integers(0, 4),
        "pin_memory": st.booleans(),
        "persistent_workers": st.booleans(),
        "early_breaks": st.integers(0, 3),
        "queue_size": st.none() | st.integers(1, 9),
        "returns_dataset_tensors": st.booleans(),
        "collate": st.sampled_from(["default", "stack", "list", "numpy"]),
        "fields": st.lists(
            st.fixed_dictionaries(
                {
                    "sizes": st.none() | st.lists(LENGTHS, min_size=1, max_size=6),
                    "nnz": st.none() | st.integers(0, 1000),
                    "kind": st.sampled_from(["tensor", "int", "str"]),
                    "shape": st.lists(LENGTHS, min_size=1, max_size=4),
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
        "dataset_tensors": st.integers(1, 300),
        "gpu_p2p": st.booleans(),
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


def need(data: dict[str, Any]) -> int:
    return size_job(parse(data)).need_bytes


@given(JOBS, st.sampled_from(["batch_size", "num_workers", "prefetch_factor", "held_batches"]))
def test_asking_for_more_never_needs_less(data, key) -> None:
    more = {**data, "loaders": [{**each, key: each[key] + 1} for each in data["loaders"]]}
    assert need(more) >= need(data)


@given(JOBS)
def test_more_ranks_never_need_less(data) -> None:
    assert need({**data, "ranks": data["ranks"] + 1}) >= need(data)


@given(JOBS)
def test_a_further_field_or_a_wider_dtype_never_needs_less(data) -> None:
    def changed(change: Any) -> dict[str, Any]:
        loaders = [{**each, "fields": change(each["fields"])} for each in data["loaders"]]
        return {**data, "loaders": loaders}

    assert need(changed(lambda fields: [*fields, fields[0]])) >= need(data)
    wider = changed(lambda fields: [{**field, "dtype": "complex128"} for field in fields])
    assert need(wider) >= need(data)


@given(JOBS)
def test_without_workers_only_the_others_need_anything(data) -> None:
    idle = {**data, "loaders": [{**each, "num_workers": 0} for each in data["loaders"]]}
    assert footprint(parse(idle)).peak_bytes == 0


@given(JOBS, st.randoms(use_true_random=False))
def test_fields_and_samples_have_no_order(data, random) -> None:
    def shuffled(fields: list[Any]) -> list[Any]:
        mixed = [
            {
                **field,
                "sizes": field["sizes"] and random.sample(field["sizes"], len(field["sizes"])),
            }
            for field in fields
        ]
        random.shuffle(mixed)
        return mixed

    loaders = [{**each, "fields": shuffled(each["fields"])} for each in data["loaders"]]
    assert need({**data, "loaders": loaders}) == need(data)
