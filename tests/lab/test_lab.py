"""The lab itself, at work in a real PyTorch on real tmpfses: a few cases, under a minute."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.lab import run, saying
from tests.lab.measure import PAGE, Bench, LabError, next_size, survived
from tests.support import components, torches
from tests.support.memory_model import one_loader

BATCH = 4 * 3 * 64 * 64 * 4
CASES = {case["name"]: case for case in run.cases()}


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    components.root("mounting")
    components.component("unshare")
    with Bench([torches.python()], torches.packages()) as found:
        yield found


def test_peak_of_default_collate_is_the_law_and_its_storages_are_the_kernels_files(bench) -> None:
    found = bench.peak(CASES["default"])
    assert found["storages_bytes"] == [BATCH]
    assert one_loader([BATCH], 2, 2, spike=0) <= found["peak_bytes"] <= one_loader([BATCH], 2, 2)
    assert found["peak_bytes"] % PAGE == 0


def test_a_tmpfs_smaller_than_the_steady_value_fails_and_says_why(bench) -> None:
    found = bench.run(CASES["default"], one_loader([BATCH], 2, 2, spike=0) - PAGE)
    assert not survived(found)
    assert saying.kind(found) in {"runtime-error", "sigbus"}
    assert saying.lines(found["said"])


def test_smallest_is_found_to_the_page(bench) -> None:
    case = CASES["semaphores"]
    found = bench.smallest(case, bench.peak(case)["peak_bytes"])
    assert found.bytes == one_loader([], 4, 1)
    assert "No space left on device" in found.below["said"]


def test_a_case_that_does_not_run_is_an_error_with_its_own_words(bench) -> None:
    with pytest.raises(LabError, match="multiprocessing_context option should"):
        bench.peak({**CASES["default"], "context": "none such"})


# ---------------------------------------------------------------- without PyTorch


@pytest.mark.parametrize(
    ("low", "high", "step", "size"),
    [
        pytest.param(0, 10 * PAGE, PAGE, 9 * PAGE, id="a page below the first survivor"),
        pytest.param(0, 9 * PAGE, 2 * PAGE, 7 * PAGE, id="further below while all survive"),
        pytest.param(0, 3 * PAGE, 8 * PAGE, PAGE, id="not below one page"),
        pytest.param(4 * PAGE, 10 * PAGE, PAGE, 7 * PAGE, id="the middle"),
        pytest.param(4 * PAGE, 7 * PAGE, PAGE, 5 * PAGE, id="a whole page"),
        pytest.param(8 * PAGE, 0, 4 * PAGE, 12 * PAGE, id="a step more while all failed"),
    ],
)
def test_next_size_is_a_step_off_or_the_middle(low, high, step, size) -> None:
    assert next_size(low, high, step) == size


@pytest.mark.parametrize(
    ("ended", "said", "kind"),
    [
        ("no progress", "RuntimeError: unable to allocate shared memory(shm)", "hang"),
        ("exit 1", "ERROR: Unexpected bus error encountered in worker.", "sigbus"),
        ("exit 1", "RuntimeError: DataLoader worker (pid(s) 4) exited unexpectedly", "worker-died"),
        ("exit 1", "OSError: [Errno 28] No space left on device", "runtime-error"),
        ("signal SIGKILL", "", "signal"),
    ],
)
def test_an_end_has_a_name(ended, said, kind) -> None:
    assert saying.kind({"ended": ended, "said": said}) == kind


def test_words_that_differ_between_runs_are_left_out() -> None:
    said = (
        "x\nRuntimeError: unable to allocate shared memory(shm) for file </torch_31_405_0>: No\n"
        "  RuntimeError: unable to allocate shared memory(shm) for file </torch_32_406_7>: No\n"
        "RuntimeError: DataLoader worker (pid(s) 17, 18) exited unexpectedly\n"
    )
    assert saying.lines(said) == [
        "RuntimeError: unable to allocate shared memory(shm) for file </torch_X_X_X>: No",
        "RuntimeError: DataLoader worker (pid(s) X) exited unexpectedly",
    ]


def test_a_new_row_takes_the_place_of_its_older_one_and_keeps_what_it_lacks(
    tmp_path,
) -> None:
    path = tmp_path / "results.json"
    new = {"case": "b", "torch": "2.9.1+cpu", "python": "3.11.7", "peak_bytes": 1}
    run.keep({**new, "smallest_surviving_bytes": 7}, path)
    run.keep({**new, "torch": "2.13.0"}, path)
    run.keep({**new, "torch": "2.9.1", "case": "a"}, path)
    run.keep({**new, "peak_bytes": 2}, path)
    rows = json.loads(path.read_text("utf-8"))["rows"]
    assert [(row["torch"], row["case"]) for row in rows] == [
        ("2.9.1", "a"),
        ("2.9.1+cpu", "b"),
        ("2.13.0", "b"),
    ]
    assert (rows[1]["peak_bytes"], rows[1]["smallest_surviving_bytes"]) == (2, 7)


def test_a_note_on_the_smallest_size_goes_with_it_and_not_before(tmp_path) -> None:
    path = tmp_path / "results.json"
    row = {"case": "a", "torch": "2.9.1", "python": "3.11.7"}
    run.keep({**row, "smallest_surviving_bytes": 7, "note": "under load"}, path)
    run.keep({**row, "peak_bytes": 1}, path)
    assert run.results(path)[0]["note"] == "under load"
    run.keep({**row, "smallest_surviving_bytes": 6}, path)
    assert run.results(path) == [{**row, "smallest_surviving_bytes": 6, "peak_bytes": 1}]


def test_a_case_that_runs_again_has_no_error_and_one_that_fails_no_sizes(tmp_path) -> None:
    path = tmp_path / "results.json"
    row = {"case": "a", "torch": "2.9.1", "python": "3.11.7"}
    for new in ({**row, "error": "no"}, {**row, "peak_bytes": 1}):
        run.keep(new, path)
        assert run.results(path) == [new]
    run.keep({**row, "error": "no"}, path)
    assert run.results(path) == [{**row, "error": "no"}]
