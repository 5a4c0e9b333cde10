"""The memory model: terms, several loaders, pinning, ranks."""

from __future__ import annotations

from typing import Any

import pytest

from calculator.footprint import footprint
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
    assert found.uses[0].queue_per_worker_bytes == 0


def test_each_field_is_rounded_to_pages_on_its_own() -> None:
    tiny = [{"name": str(i), "shape": [1], "dtype": "float32"} for i in range(10)]
    use = footprint(parse(job({"batch_size": 8, "fields": tiny}))).uses[0]
    assert use.raw_batch_bytes == 320
    assert use.batch_bytes == 40_960


@pytest.mark.parametrize(("kind", "extra"), [("int", 4096), ("float", 4096), ("str", 0)])
def test_a_number_beside_the_image_costs_a_page_and_text_costs_nothing(kind, extra) -> None:
    use = footprint(parse(job({"fields": [IMAGE, {"kind": kind}]}))).uses[0]
    assert use.batch_bytes == BATCH_16 + extra
    eight_bytes_each = 16 * 8 if extra else 0
    assert use.raw_batch_bytes == BATCH_16 + eight_bytes_each


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


def test_what_a_dataset_keeps_there_is_in_df_too() -> None:
    held = {"dataset_tensor_bytes": BASE, "start_method": "spawn"}
    assert steady(**held) == 5 * BATCH_16 + SEMAPHORES_2 + BASE


def test_a_dataset_is_not_pickled_without_workers() -> None:
    assert peak({"num_workers": 0}, dataset_tensor_bytes=1 << 30, start_method="spawn") == 0


# ---------------------------------------------------------------- what a batch is made of


@pytest.mark.parametrize(
    ("collate", "batch", "field", "batch_bytes"),
    [
        # of five samples a batch takes the four largest, each in pages of its own
        ("list", 4, {"shape": [9, 1000], "sizes": [1, 2, 3, 9, 5]}, (9 + 5 + 3 + 2) * 1000),
        # sizes of two samples are known: the larger stands for the other two
        ("list", 4, {"shape": [9, 1000], "sizes": [2, 4]}, (4 + 4 + 4 + 2) * 1000),
        ("default", 4, {"shape": [9, 1000], "sizes": [2, 4]}, 4 * 4 * 1000),
        ("own", 4, {"shape": [1000], "view_of": [8, 1000]}, 8000),
        ("own", 4, {"shape": [1000], "view_of": [1, 1000]}, 1000),
        # torch.stack copies as default_collate does, whatever the samples are views of
        ("stack", 4, {"shape": [1000], "view_of": [8, 1000]}, 4000),
        ("stack", 4, {"shape": [1000], "view_of": [1, 1000]}, 4000),
        # what was said of a tensor means nothing once the field is a number
        ("default", 4, {"kind": "int", "nnz": 1_000_000}, 32),
        ("own", 4, {"kind": "float", "view_of": [1000, 1000]}, 32),
        ("default", 4, {"kind": "int", "same_storage_as": "gone"}, 32),
        ("default", 4, {"shape": [1000], "view_of": [8, 1000]}, 4000),
        ("list", 4, {"shape": [1000], "view_of": [5000]}, 4 * 5000),
        ("list", 4, {"shape": [10], "view_of": [50], "dtype": "float32"}, 4 * 50 * 4),
        ("stack", 4, {"shape": [10, 10], "nnz": 7}, 3 * 28 * 8 + 28),
        ("list", 2, {"shape": [10, 10], "nnz": 7}, 2 * (2 * 7 * 8 + 7)),
        ("list", None, {"shape": [1000]}, 1000),
        ("default", None, {"shape": [1000]}, 1000),
    ],
)
def test_what_travels(collate, batch, field, batch_bytes) -> None:
    loader = {"batch_size": batch, "collate": collate, "fields": [{"dtype": "uint8", **field}]}
    assert footprint(parse(job(loader))).uses[0].raw_batch_bytes == batch_bytes


AGAIN = {**IMAGE, "name": "again", "same_storage_as": "image"}


@pytest.mark.parametrize(("collate", "batches"), [("own", 1), ("default", 2), ("stack", 2)])
def test_of_two_fields_with_one_storage_one_travels_unless_each_is_copied(collate, batches) -> None:
    both = peak({"fields": [IMAGE, AGAIN], "collate": collate})
    assert both == 6 * batches * BATCH_16 + SEMAPHORES_2


@pytest.mark.parametrize("first", [[3, 8, 8], [3, 224, 224]])
def test_of_a_tensor_and_a_view_of_it_the_larger_counts(first) -> None:
    small = {"name": "a", "shape": first}
    other = [3, 224, 224] if first == [3, 8, 8] else [3, 8, 8]
    fields = [small, {"name": "b", "shape": other, "same_storage_as": "a"}]
    assert peak({"fields": fields, "collate": "list"}) == peak({"collate": "list"})


def test_of_fields_that_are_one_tensor_the_larger_in_all_counts() -> None:
    """Four samples of four bytes against one of five and three of one."""
    varying = {"name": "a", "shape": [5], "sizes": [5, 1, 1, 1], "dtype": "uint8"}
    fields = [varying, {"name": "b", "shape": [4], "dtype": "uint8", "same_storage_as": "a"}]
    loader = {"batch_size": 4, "collate": "list", "fields": fields}
    assert footprint(parse(job(loader))).uses[0].raw_batch_bytes == 4 * 4


def test_one_sample_of_a_sparse_field_is_its_indices_and_values() -> None:
    (loader,) = parse(job({"fields": [{"shape": [9, 9, 9], "nnz": 5}]})).loaders
    assert loader.fields[0].item_bytes == 3 * 5 * 8 + 5 * 4


def test_an_empty_tensor_takes_nothing_but_the_header_of_a_named_file() -> None:
    empty = {"collate": "list", "fields": [{"shape": [5, 5], "nnz": 0}]}
    by_name = {"sharing_strategy": "file_system"}
    (open_file,) = footprint(parse(job(empty))).uses
    (named,) = footprint(parse(job(empty, **by_name))).uses
    assert (open_file.tensors, open_file.batch_bytes) == (0, 0)
    # indices and values of each of 16 samples: a page each
    assert (named.tensors, named.batch_bytes) == (16 * 2, 16 * 2 * 4096)


def test_a_tensor_as_large_as_the_header_is_there_too() -> None:
    loader = {"fields": [{"shape": [4], "dtype": "uint8"}]}  # 16 samples: 64 bytes
    assert peak(loader, sharing_strategy="file_system") == 6 * 4096 + SEMAPHORES_2


def test_a_huge_batch_of_single_tensors_is_counted_not_listed() -> None:
    loader = {"batch_size": 10**9, "collate": "list", "fields": [{"shape": [1]}]}
    assert footprint(parse(job(loader))).uses[0].batch_bytes == 4096 * 10**9


def test_text_and_numbers_beside_a_tensor_have_their_raw_size() -> None:
    fields = [{"shape": [5], "dtype": "uint8"}, {"kind": "str"}, {"kind": "int"}]
    sample = parse(job({"fields": fields})).loaders[0].fields
    assert [field.item_bytes for field in sample] == [5, 0, 8]


def test_the_order_of_fields_does_not_matter() -> None:
    fields = [IMAGE, {"kind": "int"}, {"shape": [5, 5], "dtype": "bool"}]
    assert peak({"fields": fields}) == peak({"fields": fields[::-1]})


# ---------------------------------------------------------------- what stays

BASE = 52_428_800


@pytest.mark.parametrize(("method", "copies"), [("fork", 2), ("spawn", 1), ("forkserver", 1)])
def test_the_datasets_own_tensors_move_once_a_worker_under_fork(method, copies) -> None:
    loader = {"collate": "list", "returns_dataset_tensors": True}
    found = peak(loader, dataset_tensor_bytes=BASE, start_method=method)
    assert found == copies * BASE + SEMAPHORES_2


def test_collating_copies_and_so_leaves_the_dataset_alone() -> None:
    assert peak({"returns_dataset_tensors": True}, dataset_tensor_bytes=BASE) == peak()


def test_of_many_dataset_tensors_each_may_waste_a_page() -> None:
    held = {"dataset_tensor_bytes": BASE, "start_method": "spawn"}
    assert peak(**held, dataset_tensors=3) == peak(**held) + 2 * 4096


def test_each_dataset_tensor_has_a_header_of_its_own_under_file_system() -> None:
    by_name = {"sharing_strategy": "file_system"}
    held = {"dataset_tensor_bytes": BASE, "dataset_tensors": 3, "start_method": "spawn"}
    # whole pages and three headers: one page more, and two that may be wasted
    assert peak(**held, **by_name) == peak(**by_name) + BASE + 3 * 4096


def test_an_early_break_leaves_batches_behind_only_under_file_system() -> None:
    often = {"early_breaks": 10}
    batch = BATCH_16 + 4096  # the header takes a page more
    assert peak(often) == peak()
    by_name = {"sharing_strategy": "file_system"}
    assert peak(often, **by_name) == peak(**by_name) + 10 * 4 * batch


def test_after_an_early_break_persistent_workers_keep_their_queue() -> None:
    train = {"persistent_workers": True, "early_breaks": 1}
    alone = peak({}, {}, last_batch_held=False)
    assert peak(train, {}, last_batch_held=False) == alone + 4 * BATCH_16 + SEMAPHORES_2


# ---------------------------------------------------------------- queues that are no DataLoader


def test_a_queue_of_its_own_holds_what_it_may() -> None:
    loader = {"queue_size": 6, "num_workers": 12, "pin_memory": True}
    semaphores = (8 + 36) * 4096
    assert peak(loader) == 7 * BATCH_16 + semaphores
    assert peak({**loader, "pin_memory": False}) == (12 + 1 + 1) * BATCH_16 + semaphores


def test_a_petabyte_is_still_exact() -> None:
    loader = {"batch_size": 1, "num_workers": 1, "fields": [{"shape": [10**15], "dtype": "uint8"}]}
    with pytest.raises(ValueError, match="must be at most"):
        parse(job(loader))
    loader["fields"] = [{"shape": [10**6, 10**9 + 1], "dtype": "uint8"}]
    batch = -(-(10**15 + 10**6) // 4096) * 4096
    assert peak(loader) == 4 * batch + 11 * 4096
