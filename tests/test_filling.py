"""How /dev/shm fills: the order of the batches, where it ends, and the words for it."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator import page, presets, report
from calculator.filling import Filling, filling
from calculator.inputs import gather
from calculator.sizing import size_job
from calculator.staircase import Staircase, staircase
from calculator.workload import Workload, parse
from tests.test_footprint_laws import JOBS

PAGE = 4096
NCCL = 33_030_528
IMAGE = {"name": "image", "shape": [3, 224, 224]}


def told(workload: Workload) -> Filling:
    return filling(size_job(workload))


Step = tuple[str, int, int | None, int, int]
"""Kind, batch, worker, process, and the bytes that are there afterwards."""


def by_hand(
    ranks: int, workers: int, prefetch: int, batch: int, *, held: int = 1, spike: int = 1
) -> list[Step]:
    """Write the order down for one loader of images, step by step."""
    one = -(-batch * 3 * 224 * 224 * 4 // PAGE) * PAGE
    there = ranks * (8 + 3 * workers) * PAGE + (ranks * NCCL if ranks > 1 else 0)
    steps: list[Step] = []
    for turn in range(1, prefetch + 1):
        for worker in range(1, workers + 1):
            for process in range(1, ranks + 1):
                there += one
                steps.append(("queued", turn, worker, process, there))
    for kind, number in (("held", held), ("handover", spike)):
        for each in range(1, number + 1):
            for process in range(1, ranks + 1):
                there += one
                steps.append((kind, each, None, process, there))
    return steps


def steps_of(found: Filling) -> list[Step]:
    """Read the steps out of the phases."""
    steps: list[Step] = []
    for phase in found.phases:
        for step in range(phase.steps):
            place = phase.place(step)
            there = phase.after(step + 1)
            steps.append((phase.kind, place.batch, place.worker, place.process, there))
    return steps


def job(ranks: int, workers: int, prefetch: int, batch: int, **loader: Any) -> dict[str, Any]:
    return {
        "ranks": ranks,
        "loaders": [
            {
                "num_workers": workers,
                "prefetch_factor": prefetch,
                "batch_size": batch,
                "fields": [IMAGE],
                **loader,
            }
        ],
    }


CASES = [
    (job(1, 1, 1, 1), by_hand(1, 1, 1, 1)),
    (job(1, 4, 2, 64), by_hand(1, 4, 2, 64)),
    (job(8, 8, 2, 64), by_hand(8, 8, 2, 64)),
    (job(3, 2, 5, 7), by_hand(3, 2, 5, 7)),
    (job(2, 3, 2, 8, held_batches=0), by_hand(2, 3, 2, 8, held=0)),
    (job(2, 3, 2, 8, held_batches=4), by_hand(2, 3, 2, 8, held=4)),
    (job(2, 3, 2, 8, pin_memory=True), by_hand(2, 3, 2, 8, held=0, spike=0)),
]


@pytest.mark.parametrize(("data", "expected"), CASES)
def test_steps_come_in_the_order_of_the_model(data, expected) -> None:
    found = told(parse(data))
    assert steps_of(found) == expected
    assert found.batches == len(expected)
    assert found.need_bytes == expected[-1][-1]
    assert found.before_bytes == sum(term.bytes for term in found.before)


@pytest.mark.parametrize(("data", "expected"), CASES)
def test_stop_is_the_first_step_above_the_size(data, expected) -> None:
    """Around every step: a byte less than it needs, exactly that, and a byte more."""
    totals = [step[-1] for step in expected]
    for size in {total + more for total in totals for more in (-1, 0, 1)}:
        found = told(parse({**data, "current_shm": size}))
        over = [place for place, total in enumerate(totals) if total > size]
        if size < found.before_bytes:
            continue
        if not over:
            assert found.stop is None
            continue
        assert found.stop is not None
        kind, batch, worker, process, total = expected[over[0]]
        place = found.stop.place
        assert found.stop.fitting == over[0]
        assert (found.stop.phase.kind, place.batch) == (kind, batch)
        assert (place.worker, place.process) == (worker, process)
        assert total - found.stop.phase.step_bytes + found.stop.room_bytes == size


def test_loaders_in_the_middle_of_each_other_fill_one_after_the_other() -> None:
    """Both queues and what both loops hold come before anything is handed over."""
    both = [
        {"num_workers": 2, "prefetch_factor": 1, "batch_size": 1, "fields": [IMAGE]},
        {"num_workers": 1, "prefetch_factor": 2, "batch_size": 4, "fields": [IMAGE]},
    ]
    found = told(parse({"ranks": 1, "loaders": both, "schedule": "interleaved"}))
    small, large = 602_112, 2_408_448
    there = (8 + 3 * 2) * PAGE + (8 + 3 * 1) * PAGE
    assert found.before_bytes == there
    assert [(each.kind, each.loader, each.steps, each.step_bytes) for each in found.phases] == [
        ("queued", "train", 2, small),
        ("held", "train", 1, small),
        ("queued", "val", 2, large),
        ("held", "val", 1, large),
        ("handover", "train", 1, small),
        ("handover", "val", 1, large),
    ]
    assert found.steady_bytes == there + 3 * small + 3 * large
    assert not found.in_any_order


def test_a_queue_of_its_own_has_batches_of_no_worker() -> None:
    found = told(parse(job(1, 12, 2, 2, queue_size=3)))
    assert [phase.steps for phase in found.phases] == [6, 1, 1]
    assert {worker for _, _, worker, _, _ in steps_of(found)} == {None}


def test_the_first_batch_of_each_worker_brings_the_dataset_where_it_is_returned_uncopied() -> None:
    data = {
        **job(2, 3, 2, 4, collate="list", returns_dataset_tensors=True),
        "dataset_tensor_bytes": 5 * PAGE,
        "start_method": "fork",
    }
    data["loaders"][0]["fields"] = [{**IMAGE, "kind": "tensor"}]
    found = told(parse(data))
    assert [(each.steps, each.step_bytes) for each in found.phases] == [(6, 5 * PAGE)]
    assert found.before_bytes == 2 * ((8 + 9) * PAGE + NCCL)


# ---------------------------------------------------------------- any job


def ends_of(found: Filling) -> list[int]:
    return [found.before_bytes, *(phase.end_bytes for phase in found.phases)]


def check_sums(workload: Workload) -> None:
    sizing, found = size_job(workload), told(workload)
    assert ends_of(found)[-1] == found.need_bytes == sizing.need_bytes
    assert sum(term.bytes for term in found.before) == found.before_bytes >= 0
    assert found.steady_bytes in ends_of(found)
    assert all(b.start_bytes == a.end_bytes for a, b in pairwise(found.phases))


def check_never_stops(workload: Workload) -> None:
    enough = size_job(workload).recommended_bytes
    drawn = staircase(workload.model_copy(update={"current_shm": enough}))
    assert drawn.filling.stop is None
    assert not drawn.filling.full_before
    assert drawn.broken is None
    assert {each.fits for each in drawn.columns} == {"yes"}


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_preset_sums_up_and_fits_into_what_is_recommended(preset: str) -> None:
    workload = presets.load(preset).workload
    check_sums(workload)
    check_never_stops(workload)
    check_drawing(workload)


@given(JOBS)
def test_any_job_sums_up_and_fits_into_what_is_recommended(data) -> None:
    workload = parse(data)
    check_sums(workload)
    check_never_stops(workload)


@given(JOBS, st.integers(0, 10**6))
def test_any_job_stops_at_the_first_step_above_the_size(data, share: int) -> None:
    workload = parse(data)
    size = max(size_job(workload).need_bytes * share // 10**6, 1)
    found = told(workload.model_copy(update={"current_shm": size}))
    totals = [step[-1] for step in steps_of(found)]
    over = next((place for place, total in enumerate(totals) if total > size), None)
    if found.full_before:
        assert found.before_bytes > size
        assert found.stop is None or found.allowed is not None
    else:
        assert (found.stop.fitting if found.stop else None) == over


# ---------------------------------------------------------------- the drawing


def share(text: str) -> float:
    return float(text.removesuffix("%"))


def check_drawing(workload: Workload) -> None:
    """Every batch stands in one column, in order, and its upper edge is to scale."""
    drawn = staircase(workload)
    first, *rest = drawn.columns
    assert first.end_bytes == drawn.filling.before_bytes
    numbers = [each for column in rest for each in range(column.number, column.last_number + 1)]
    assert numbers == list(range(1, drawn.filling.batches + 1))
    totals = [step[-1] for step in steps_of(drawn.filling)]
    for column in rest:
        assert column.end_bytes == totals[column.last_number - 1]
    for before, column in pairwise(drawn.columns):
        assert column.added_bytes == column.end_bytes - before.end_bytes
    for column in drawn.columns:
        expected = 100 * column.end_bytes / drawn.filling.recommended_bytes
        assert share(column.height) == pytest.approx(expected, abs=0.001)
        assert share(column.y) == pytest.approx(100 - expected, abs=0.001)


@given(JOBS)
def test_drawing_of_any_job_is_to_scale(data) -> None:
    check_drawing(parse(data))


@pytest.mark.parametrize(
    ("ranks", "workers", "prefetch", "columns"),
    [
        (1, 1, 2, 1 + 4),
        (2, 8, 2, 1 + 36),
        (8, 8, 2, 1 + 16 + 1 + 1),
        (8, 64, 4, 1 + 43 + 1 + 1),
        (1024, 4096, 1, 1 + 45 + 1 + 1),
    ],
)
def test_many_batches_are_grouped(ranks: int, workers: int, prefetch: int, columns: int) -> None:
    """Single batches, the same batch of all processes, or several of these."""
    drawn = staircase(parse(job(ranks, workers, prefetch, 1)))
    assert len(drawn.columns) == columns
    assert drawn.columns[-1].last_number == ranks * (workers * prefetch + 2)


def at(size: int | str) -> Staircase:
    return staircase(gather(None, None, {"ranks": 1, "current_shm": size}))


def test_columns_after_the_stop_are_hollow() -> None:
    """One process, 8 workers, 2 prefetched: 32 pages, then 18 batches of 38,535,168 bytes."""
    before, batch = 32 * PAGE, 38_535_168
    fits = [each.fits for each in at(before + 5 * batch).columns]
    assert fits == ["yes"] * 6 + ["no"] * 13
    assert [each.fits for each in at(before - 1).columns] == ["no"] * 19


def test_column_of_several_batches_is_solid_as_far_as_it_fits() -> None:
    """8 processes: the third column is batch 1 of worker 2 of each, and 3 of these fit."""
    before, batch = 8 * (32 * PAGE + NCCL), 38_535_168
    size = before + 11 * batch + 1
    drawn = staircase(gather(None, None, {"current_shm": size}))
    assert [each.fits for each in drawn.columns[:4]] == ["yes", "yes", "partly", "no"]
    expected = 100 * (before + 11 * batch) / drawn.filling.recommended_bytes
    assert share(drawn.columns[2].solid_height) == pytest.approx(expected, abs=0.001)


@pytest.mark.parametrize(
    ("size", "line"),
    [("64m", 93.75), ("512m", 50.0), ("1g", 0.0), ("2g", None)],
)
def test_line_of_todays_size_is_to_scale_or_left_out(size: str, line: float | None) -> None:
    current = at(size).current
    assert (share(current.y) if current else None) == line


# ---------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"ranks": 1},
            (
                "Batch 1 of worker 2 does not fit: 64 MiB hold what is there before, 128 KiB, and "
                "1 of the 18 batches of 36.75 MiB."
            ),
        ),
        (
            {"ranks": 1, "loaders.0.batch_size": 128},
            "64 MiB hold what is there before, 128 KiB, and no batch of 73.5 MiB.",
        ),
        (
            {"current_shm": "3g"},
            (
                "Batch 2 of worker 2 in process 5 of 8 does not fit: 3 GiB hold what is there "
                "before, 253 MiB, and 76 of the 144 batches of 36.75 MiB."
            ),
        ),
        ({"current_shm": "3g"}, "how many batches fit does not."),
        ({"current_shm": "3g"}, "so it may run for a while and then fail."),
        (
            {"current_shm": "5100m"},
            "The batch that follows number 1 taken by the loop in process 4 of 8 does not fit",
        ),
        (
            {"current_shm": "5300m"},
            "The batch started during a hand-over in process 2 of 8 does not fit",
        ),
        ({"current_shm": "5300m"}, "a batch being handed over needs 5.42 GiB for an instant."),
        (
            {},
            "Already before the first batch 253 MiB are taken; there is room for 64 MiB.",
        ),
        (
            {},
            (
                "Without it, batch 1 of worker 1 in process 2 of 8 does not fit: 64 MiB hold 1 of "
                "the 144 batches of 36.75 MiB."
            ),
        ),
        ({"loaders.0.batch_size": 1, "loaders.0.num_workers": 1}, "Without it, all 32 batches"),
        ({"ranks": 1, "other_shm_bytes": "70m"}, "They are: Queues and semaphores 128 KiB, Your"),
        ({"current_shm": "8g"}, "It never fills: at most 5.42 GiB of 8 GiB."),
        ({"ranks": 1, "loaders.0.num_workers": 0}, "No batch goes through /dev/shm here."),
        (
            {"loaders.0.num_workers": 0},
            "No batch goes through /dev/shm here; what else is there takes 252 MiB of 64 MiB.",
        ),
        (
            {"ranks": 1, "loaders.0.queue_size": 4},
            "Batch 2 in the queue does not fit: 64 MiB hold what is there before",
        ),
        ({"current_shm": "3g", "torch_version": "2.6"}, "with PyTorch before 2.10: The kernel"),
    ],
)
def test_it_is_said_in_words(changes: dict[str, Any], words: str) -> None:
    assert words in said(gather(None, None, changes))


def said(workload: Workload) -> str:
    """Return the text of the page's part."""
    found = report.build(workload, targets=[])
    html = page.render(["filling"], workload, found)["filling"]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", html)))


def test_with_several_loaders_it_is_said_whose_batch_it_is() -> None:
    loaders = [{"name": "train"}, {"name": "val", "batch_size": 2}]
    data = {"ranks": 1, "loaders": loaders, "schedule": "interleaved", "current_shm": "100m"}
    text = said(parse(data))
    assert "Batch 1 of worker 3 of train does not fit" in text
    assert "how many batches fit does not" not in text


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_at_the_recommended_size_it_is_said_that_it_never_fills(preset: str) -> None:
    workload = presets.load(preset).workload
    enough = workload.model_copy(update={"current_shm": size_job(workload).recommended_bytes})
    text = said(enough)
    assert "does not fit" not in text
    assert ("It never fills" in text) == bool(told(workload).phases)


def test_table_has_every_column_with_what_is_there_then() -> None:
    workload = gather(None, None, {"current_shm": "3g"})
    html = page.render(["filling"], workload, report.build(workload, targets=[]))["filling"]
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</tr>", html, re.DOTALL)
    assert len(rows) == 19
    assert '<td class="number">5.42 GiB</td><td>no</td>' in rows[-1]
    assert [row.rsplit("<td>", 1)[1] for row in rows].count("partly</td>") == 1
    assert "Batch 2 of worker 2, in each process" in rows[10]


def test_places_count_on_after_the_batches_before() -> None:
    """The second batch of a worker is its second, whatever came with the first."""
    phase = told(parse(job(2, 3, 2, 8))).phases[0]
    later = replace(phase, skipped=3)
    assert [later.place(step).batch for step in (0, 5)] == [2, 2]
    assert [later.place(step).worker for step in (0, 2, 5)] == [1, 2, 3]
