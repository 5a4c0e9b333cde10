"""The batch inspector on ordinary and odd things, in a real PyTorch; tests/lab holds its sizes."""

from __future__ import annotations

import ast
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from calculator.errors import InputError
from calculator.footprint import footprint
from calculator.workload import parse
from tests.support import torches

HERE = Path(__file__).parent
SOURCE = Path(__file__).parents[2] / "calculator" / "inspector" / "batch_inspector.py"


@cache
def found() -> dict[str, Any]:
    result: dict[str, Any] = json.loads(torches.run(HERE / "odd.py"))
    return result


def loader(name: str) -> Any:
    (only,) = found()[name]["workload"]["loaders"]
    return only


def notes(name: str) -> str:
    return " | ".join(found()[name]["notes"])


def batch_bytes(name: str) -> int:
    entered = {**found()[name]["workload"], "ranks": 1}
    return footprint(parse(entered)).uses[0].raw_batch_bytes


def test_it_is_python_3_8_and_imports_nothing_but_the_standard_library_at_once() -> None:
    tree = ast.parse(SOURCE.read_text("utf-8"), feature_version=(3, 8))
    plain = [node for node in tree.body if isinstance(node, ast.Import)]
    parts = [node.module or "" for node in tree.body if isinstance(node, ast.ImportFrom)]
    names = [*parts, *(alias.name for node in plain for alias in node.names)]
    assert {name.partition(".")[0] for name in names} <= {*sys.stdlib_module_names, "__future__"}


@pytest.mark.parametrize("name", ["none", "cycle", "locked", "empty"])
def test_an_odd_object_raises_nothing_and_what_was_not_seen_is_said(name) -> None:
    assert found()[name]["notes"]
    parse(found()[name]["workload"])


@pytest.mark.parametrize("name", ["nasty", "broken", "quits", "fails"])
def test_what_gave_no_batch_is_said_and_gets_no_size_from_the_usual_fields(name) -> None:
    assert "fill in" in notes(name)
    with pytest.raises(InputError, match=r"^loaders\.0\.fields: needs at least 1 entry$"):
        parse(found()[name]["workload"])


def test_ctrl_c_in_the_dataset_goes_through() -> None:
    assert found()["interrupted"] is True


def test_a_world_size_that_is_no_number_counts_as_not_set() -> None:
    assert found()["machine"]["workload"]["ranks"] == 1
    assert "job_ranks" not in found()["machine"]["workload"]


def test_attributes_that_cannot_be_had_do_not_keep_the_batch_from_being_described() -> None:
    assert batch_bytes("lazy") == 2 * 3 * 8 * 8 * 4
    assert notes("lazy") == ""


def test_a_file_of_arrays_in_the_dataset_is_not_read_but_a_mapping_in_a_batch_is() -> None:
    assert found()["unread"]["reads"] == 0
    assert [field["name"] for field in loader("user dict")["fields"]] == ["ids"]
    assert batch_bytes("user dict") == 4 * 7 * 4


def test_more_views_than_fields_never_hide_a_storage() -> None:
    assert batch_bytes("aliases") == 100 * 4 + 1_000_000 * 4
    assert "batch_size counts storages" in notes("aliases")


def test_more_columns_than_fields_are_described_by_their_storages() -> None:
    assert batch_bytes("columns") == 1200 * 2 * 4
    assert footprint(parse(found()["columns"]["workload"])).uses[0].tensors == 1200


def test_more_storages_than_a_field_takes_sizes_are_never_too_few() -> None:
    exact = sum((n % 3 + 1) * 4 for n in range(100_003))
    assert exact <= batch_bytes("very many") <= exact + 2
    assert footprint(parse(found()["very many"]["workload"])).uses[0].tensors == 100_004


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_names_that_no_form_takes_are_replaced_and_each_is_still_its_own(encoding) -> None:
    workload = found()["named"][encoding]
    names = [each.name for each in parse(workload).loaders[0].fields]
    assert names[:6] == ["a?b", "??", "?", "? (2)", "é", "? (3)"]
    assert len(set(names)) == 8


@pytest.mark.parametrize("name", ["own iterator", "zipped", "through", "itself", "locked", "draws"])
def test_the_first_batch_is_still_there_and_random_numbers_of_its_own_are_the_same(name) -> None:
    assert found()["firsts"][name]["same"]
    assert not any("gone" in note for note in found()["firsts"][name]["notes"])


@pytest.mark.parametrize("name", ["batches", "generator"])
def test_where_a_generator_loses_its_first_batch_that_is_said(name) -> None:
    assert not found()["firsts"][name]["same"]
    assert any("gone" in note for note in found()["firsts"][name]["notes"])


def test_nothing_at_all_is_no_loader() -> None:
    assert found()["nothing"]["workload"]["loaders"] == []


def test_a_loader_that_gives_no_sample_keeps_its_settings_and_claims_no_fields() -> None:
    assert (loader("broken")["num_workers"], loader("broken")["batch_size"]) == (2, 2)
    assert loader("broken")["fields"] == []
    assert "NOT" in notes("broken")


def test_a_bare_batch_is_read_by_its_common_first_dimension() -> None:
    assert loader("batch")["batch_size"] == 8
    assert [field["shape"] for field in loader("batch")["fields"]] == [[3], [1]]
    assert batch_bytes("batch") == 8 * 3 * 4 + 8 * 4


def test_a_batch_that_cannot_be_pickled_is_described_by_its_tensors_and_that_is_said() -> None:
    assert "cannot be sent" in notes("locked")
    assert batch_bytes("locked") == 2 * 3 * 8 * 8 * 4


def test_spawn_with_what_cannot_be_pickled_is_said_and_the_batch_still_described() -> None:
    assert "cannot be sent" in notes("lambda")
    assert loader("lambda")["collate"] == "list"
    assert batch_bytes("lambda") == 2 * 3 * 8 * 8 * 4


def test_of_a_stream_one_batch_is_taken_and_text_costs_nothing() -> None:
    assert loader("endless")["batch_size"] == 6
    assert loader("endless")["prefetch_factor"] == 5
    assert batch_bytes("endless") == 6 * 5 * 8


def test_a_batch_sampler_decides_the_size_of_a_batch() -> None:
    assert loader("sampler")["batch_size"] == 3
    assert "batch_sampler" in notes("sampler")


def test_a_batch_that_is_the_datasets_own_in_part_counts_for_each_worker_and_is_said() -> None:
    assert "own" in notes("mixed")
    assert found()["mixed"]["workload"]["process_shm_bytes"] == 2 * 10 * 4 * 4
    assert batch_bytes("mixed") == 7 * 4


def test_of_a_nested_tensor_only_the_strided_layout_is_copied_where_it_arrives() -> None:
    """In tests/lab/results.json `nested-strided` has one batch less than `nested-jagged`."""
    assert "one batch less" in notes("strided")
    assert "one batch less" not in notes("jagged")
    for name in ("strided", "jagged"):
        assert batch_bytes(name) >= 2 * 3 * 8 * 8 * 4


def test_tensors_of_the_dataset_count_under_spawn() -> None:
    workload = found()["held"]["workload"]
    assert workload["start_method"] == "spawn"
    assert (workload["dataset_tensor_bytes"], workload["dataset_tensors"]) == (160, 1)


def test_several_loaders_and_the_ranks_that_torchrun_tells() -> None:
    workload = found()["several"]["workload"]
    assert (workload["ranks"], workload["job_ranks"]) == (4, 8)
    assert [each["num_workers"] for each in workload["loaders"]] == [0, 3]


def test_more_storages_than_the_calculator_takes_fields_keep_their_sizes() -> None:
    uses = footprint(parse(found()["many"]["workload"])).uses
    assert uses[0].tensors == 1500
    assert batch_bytes("many") == sum((n % 7 + 1) * 4 for n in range(1500))


def test_the_running_epoch_and_random_numbers_are_as_they_would_have_been() -> None:
    assert found()["undisturbed"] == {"same": True}
    assert found()["children"] == 0


def test_boxes_beside_stacked_images_are_said_to_vary_from_batch_to_batch() -> None:
    assert [field["name"] for field in loader("detections")["fields"]][1] == "targets.0.boxes"
    assert "sizes vary, and this is one batch" in notes("detections")
    assert "sizes vary" not in notes("batch") + notes("mixed") + notes("strided")
    assert batch_bytes("detections") == 3 * 3 * 8 * 8 * 4 + (1 + 2 + 3) * 4 * 4
