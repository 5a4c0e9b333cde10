"""From the need to what one configures."""

from __future__ import annotations

from typing import Any

import pytest

from calculator import report
from calculator.errors import InputError
from calculator.sizing import Sizing, size_job
from calculator.units import GIB, MIB
from calculator.workload import parse

NCCL_RANK = 33_030_528


def sizing(**values: Any) -> Sizing:
    return size_job(parse(values))


def answer(**values: Any) -> report.Report:
    return report.build(parse(values), targets=[])


def tokens(**values: Any) -> list[dict[str, Any]]:
    return [
        {
            "batch_size": 8,
            "num_workers": 4,
            "fields": [{"shape": [8192], "dtype": "int64"}],
            **values,
        }
    ]


def test_several_ranks_bring_nccl_along() -> None:
    assert sizing(ranks=8).need_bytes == 5_550_112_768 + 8 * NCCL_RANK
    assert sizing(ranks=1).need_bytes == 5_550_112_768 // 8


def test_what_else_uses_it_is_added_once() -> None:
    assert sizing(ranks=2, other_shm_bytes="1g").need_bytes == sizing(ranks=2).need_bytes + GIB


def test_one_process_that_fits_the_default_is_told_to_change_nothing() -> None:
    assert sizing(ranks=1, loaders=tokens()).recommended_bytes == 64 * MIB
    assert sizing(ranks=1, loaders=tokens(num_workers=0)).recommended_bytes == 64 * MIB


def test_several_ranks_get_a_gibibyte_at_least() -> None:
    assert sizing(ranks=2, loaders=tokens(num_workers=0)).recommended_bytes == GIB


def test_one_byte_of_headroom_too_many_leaves_the_default() -> None:
    at_most = 64 * MIB * 10 // 11  # x 1.1 is 64 MiB, rounded up
    loaders = tokens(num_workers=0)
    assert sizing(ranks=1, loaders=loaders, other_shm_bytes=at_most).recommended_bytes == 64 * MIB
    assert sizing(ranks=1, loaders=loaders, other_shm_bytes=at_most + 1).recommended_bytes == GIB


def test_every_step_to_the_size_is_told() -> None:
    steps = sizing(ranks=8).steps
    assert [step.bytes for step in steps] == [5_814_356_992, 6_395_792_692, 8 * GIB]
    assert steps[1].why == "With 10% headroom"


@pytest.mark.parametrize("batch", [10**9])
def test_beyond_any_machine_is_refused(batch) -> None:
    with pytest.raises(InputError, match="more than any machine has"):
        sizing(loaders=[{"batch_size": batch, "fields": [{"shape": [10**12]}]}])


@pytest.mark.parametrize(
    "values", [{"other_shm_bytes": 2**53, "headroom": 10}, {"other_shm_bytes": 2**53}]
)
def test_a_size_no_platform_can_spell_is_refused(values) -> None:
    with pytest.raises(InputError, match="more than any machine has"):
        sizing(ranks=1, **values)


def test_the_largest_size_is_the_last_one_that_is_not_refused() -> None:
    largest = {"loaders": tokens(num_workers=0), "other_shm_bytes": 2**53, "headroom": 0}
    assert sizing(ranks=1, **largest).recommended_bytes == 2**53
    with pytest.raises(InputError) as refused:
        sizing(ranks=1, **largest, ray_object_store_bytes=1)
    assert [problem.path for problem in refused.value.problems] == ["loaders"]


# ---------------------------------------------------------------- container memory


def test_memory_holds_shared_memory_and_every_process() -> None:
    memory = answer(ranks=8).memory
    processes = 8 * (4 * GIB + 8 * 512 * MIB)
    assert memory.process_bytes == processes
    assert memory.limit_bytes == 8 * GIB + processes
    assert memory.limit_bytes % GIB == 0


def test_a_limit_is_above_what_dev_shm_holds_whatever_is_said_of_the_processes() -> None:
    nothing = {"main_process_bytes": 0, "worker_process_bytes": 0}
    memory = answer(ranks=1, **nothing).memory
    assert memory.limit_bytes == memory.shm_bytes + GIB


def test_a_limit_that_no_machine_has_is_refused() -> None:
    with pytest.raises(InputError, match="more than any machine has") as refused:
        answer(ranks=1024, worker_process_bytes=2**53)
    assert [each.path for each in refused.value.problems] == ["worker_process_bytes"]


def test_the_largest_limit_is_the_last_one_that_is_not_refused() -> None:
    alone = {"ranks": 1, "loaders": tokens(num_workers=0), "worker_process_bytes": 0}
    assert answer(**alone, main_process_bytes=2**53 - GIB).memory.limit_bytes == 2**53
    with pytest.raises(InputError):
        answer(**alone, main_process_bytes=2**53)


def test_process_sizes_are_inputs() -> None:
    memory = answer(ranks=1, main_process_bytes="2g", worker_process_bytes="1g").memory
    assert memory.process_bytes == 2 * GIB + 8 * GIB
    assert [each.bytes for each in memory.assumptions] == [2 * GIB, GIB]


def test_pinned_copies_are_rounded_to_powers_of_two_and_counted_besides() -> None:
    loader = {"batch_size": 64, "num_workers": 8, "pin_memory": True}
    memory = answer(ranks=2, loaders=[loader]).memory
    assert memory.pinned_bytes == 2 * (8 * 2 + 1 + 1) * 64 * MIB  # a batch of 36.75 MiB
    assert answer(ranks=2, loaders=[loader], accelerator=False).memory.pinned_bytes == 0


@pytest.mark.parametrize(("sample", "block"), [(1, 1), (4096, 4096), (4097, 8192)])
def test_each_tensor_of_a_list_is_pinned_in_a_block_of_its_own(sample, block) -> None:
    loader = {
        "batch_size": 3,
        "num_workers": 2,
        "collate": "list",
        "pin_memory": True,
        "fields": [{"shape": [sample], "dtype": "uint8"}],
    }
    batches = 2 * 2 + 1 + 1  # queued by 2 workers, held, and one on its way
    assert answer(ranks=1, loaders=[loader]).memory.pinned_bytes == batches * 3 * block


@pytest.mark.parametrize(("own", "carried"), [("100g", 100), ("6g", 6), ("4g", 5), (None, 5)])
def test_blocks_carry_the_persons_own_limit_where_it_is_enough(own, carried) -> None:
    # one process of 4 GiB beside the default /dev/shm of 64 MiB: 5 whole GiB
    alone = {"loaders": tokens(num_workers=0), "main_process_bytes": "4g"}
    memory = answer(ranks=1, memory_limit=own, **alone).memory
    assert memory.block_limit_bytes == carried * GIB


# ---------------------------------------------------------------- open files


@pytest.mark.parametrize(
    ("workers", "prefetch", "tensors", "strategy", "main", "worker"),
    [
        # measured: main 61, 181, 93, 333; worker 47, 143, 71; file_system 45 and 39
        (2, 2, 16, "file_descriptor", 5 + 8 + 16 * 4 + 10, 7 + 8 + 16 * 3),
        (8, 2, 16, "file_descriptor", 5 + 32 + 16 * 16 + 10, 7 + 32 + 16 * 3),
        (2, 4, 64, "file_descriptor", 5 + 8 + 64 * 6 + 10, 7 + 8 + 64 * 5),
        (8, 2, 16, "file_system", 45 + 10, 39),
    ],
)
def test_open_files(workers, prefetch, tensors, strategy, main, worker) -> None:
    loader = {
        "batch_size": tensors,
        "num_workers": workers,
        "prefetch_factor": prefetch,
        "collate": "list",
        "fields": [{"shape": [1024]}],
    }
    found = answer(ranks=1, loaders=[loader], sharing_strategy=strategy).descriptors
    assert (found.main, found.worker) == (main, worker)


# ---------------------------------------------------------------- risk


PEAK = 77_070_336 * 18 + 131_072  # the strict bound of ResNet-50, one process
STEADY = 77_070_336 * 17 + 131_072
ROOMY = -(-PEAK * 11 // 10)


@pytest.mark.parametrize(
    ("current", "level"),
    [
        (STEADY - 1, "critical"),
        (STEADY, "high"),
        (PEAK - 1, "high"),
        (PEAK, "borderline"),
        (ROOMY - 1, "borderline"),
        (ROOMY, "safe"),
        (0, "critical"),
    ],
)
def test_the_badge_changes_exactly_at_the_bounds(current, level) -> None:
    loader = {"batch_size": 128, "num_workers": 8}
    found = answer(ranks=1, loaders=[loader], current_shm=current)
    assert found.risk.level == level
    assert found.risk.title.lower().startswith(level)
    assert found.risk.reasons


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"ranks": 8}, "it fails at the start"),
        ({"ranks": 8, "current_shm": "4g"}, "it may run for a while"),
        ({"ranks": 8, "loaders": tokens(num_workers=0)}, "The loaders put no batch there"),
        ({"ranks": 8, "loaders": tokens(collate="numpy")}, "The loaders put no batch there"),
    ],
)
def test_critical_says_when_it_fails(values, words) -> None:
    risk = answer(**values).risk
    assert risk.level == "critical"
    assert words in " ".join(risk.reasons)


# ---------------------------------------------------------------- rules of thumb


def test_rules_of_thumb_are_held_against_the_need() -> None:
    found = {rule.name: rule for rule in answer(ranks=8).rules}
    raw = 64 * 3 * 224 * 224 * 4
    half_more = found["workers × (prefetch + 1) × 1.5"]
    assert half_more.bytes == 8 * raw * 8 * 3 * 3 // 2
    assert half_more.verdict == "enough"
    assert found["workers × prefetch × 1.35"].bytes == 8 * raw * 8 * 2 * 135 // 100
    assert found["The 64 MiB default"].verdict == "too small"


def test_the_page_factor_is_too_small_for_short_queues() -> None:
    loader = {"batch_size": 64, "num_workers": 2, "prefetch_factor": 2}
    found = {rule.name: rule for rule in answer(ranks=1, loaders=[loader]).rules}
    assert found["workers × prefetch × 1.35"].verdict == "too small"
