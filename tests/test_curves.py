"""What if: every point is the model's own answer, and what does nothing is left out."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculator import page, presets, report
from calculator.curves import Curve, Curves, around, curves, rungs
from calculator.inputs import gather
from calculator.sizing import size_job
from calculator.workload import Workload, parse
from tests.test_footprint_laws import JOBS

BATCH = 64 * 3 * 224 * 224 * 4
"""Of the default job; a multiple of a page."""


def by_knob(found: Curves) -> dict[str, Curve]:
    return {chart.knob: chart for chart in found.charts}


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_point_is_what_the_whole_way_from_the_input_gives(preset: str) -> None:
    found = curves(presets.load(preset).workload)
    assert found.charts
    for chart in found.charts:
        for point in chart.points:
            asked = size_job(gather(preset, None, {chart.path: point.value}))
            assert point.need_bytes == asked.need_bytes
            assert point.recommended_bytes == asked.recommended_bytes
            assert point.fits == (point.need_bytes <= found.current_bytes)


def check(workload: Workload) -> None:
    """Values and needs grow, and the job as it is stands among them."""
    need = size_job(workload).need_bytes
    for chart in curves(workload).charts:
        assert 2 <= len(chart.points) <= 8
        for before, after in pairwise(chart.points):
            assert before.value < after.value
            assert before.need_bytes <= after.need_bytes
        assert [point.present for point in chart.points].count(True) == 1
        assert chart.present.need_bytes == need


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_need_of_a_preset_grows_with_every_number(preset: str) -> None:
    check(presets.load(preset).workload)


@given(JOBS)
def test_need_of_any_job_grows_with_every_number(data) -> None:
    check(parse(data))


@given(JOBS, st.data())
def test_any_point_is_what_the_whole_way_from_the_input_gives(data, draw) -> None:
    found = curves(parse(data))
    if found.charts:
        chart = draw.draw(st.sampled_from(found.charts))
        point = draw.draw(st.sampled_from(chart.points))
        asked = size_job(gather(None, data, {chart.path: point.value}))
        assert point.need_bytes == asked.need_bytes
        assert point.recommended_bytes == asked.recommended_bytes


@pytest.mark.parametrize(
    ("knob", "batches_of"),
    [
        ("num_workers", lambda value: (8, 2 * value + 2, value)),
        ("prefetch_factor", lambda value: (8, 8 * value + 2, 8)),
        ("ranks", lambda value: (value, 18, 8)),
    ],
)
def test_needs_of_the_default_job_are_those_by_hand(knob: str, batches_of: Any) -> None:
    for point in by_knob(curves(parse({})))[knob].points:
        ranks, batches, workers = batches_of(point.value)
        nccl = ranks * 33_030_528 if ranks > 1 else 0
        assert point.need_bytes == ranks * (batches * BATCH + (8 + 3 * workers) * 4096) + nccl


# ---------------------------------------------------------------- which values


@pytest.mark.parametrize(
    ("present", "least", "most", "expected"),
    [
        (1, 1, None, [1, 2, 3, 4, 6, 8, 12, 16]),
        (8, 0, 4096, [2, 3, 4, 6, 8, 12, 16, 24]),
        (5, 1, None, [1, 2, 3, 4, 5, 6, 8, 12]),
        (0, 0, 4096, [0, 1, 2, 3, 4, 6, 8, 12]),
        (8, 1, 16, [1, 2, 3, 4, 6, 8, 12, 16]),
        (4096, 0, 4096, [384, 512, 768, 1024, 1536, 2048, 3072, 4096]),
        (1000, 1, None, [256, 384, 512, 768, 1000, 1024, 1536, 2048]),
        (50000, 1, None, [32768, 49152, 50000, 65536, 98304]),
        (10**9, 1, 10**9, [268435456, 402653184, 536870912, 805306368, 10**9]),
    ],
)
def test_values_lie_around_the_present_one(present, least, most, expected) -> None:
    """Rungs of 1, 2, 3, 4, 6, ...; fewer where the numbers are long; none beyond a limit."""
    assert around(rungs(present, least, most), present) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [1, 2, 3, 4, 6, 8, 12, 16]),
        ({"ranks": 4, "job_ranks": 12}, [1, 2, 3, 4, 6, 12, 16]),
        ({"ranks": 8, "deployment.ranks_per_pod": 4}, [4, 8, 12, 16]),
        ({"ranks": 64}, [6, 8, 12, 16, 24, 32, 48, 64]),
    ],
)
def test_processes_are_as_many_as_the_job_allows(changes: dict[str, Any], expected) -> None:
    chart = by_knob(curves(gather(None, None, changes)))["ranks"]
    assert [point.value for point in chart.points] == expected


def test_what_no_machine_has_is_left_out() -> None:
    """Batches of 240,844,800,000,000 bytes: 34 of them, with headroom, are above 2^53."""
    workload = gather(None, None, {"ranks": 1, "loaders.0.batch_size": 4 * 10**8})
    chart = by_knob(curves(workload))["num_workers"]
    assert [point.value for point in chart.points] == [2, 3, 4, 6, 8, 12]


@pytest.mark.parametrize(
    ("changes", "omitted"),
    [
        ({}, {}),
        (
            {"loaders.0.queue_size": 4},
            {"num_workers": "hardly", "prefetch_factor": "own queue"},
        ),
        ({"loaders.0.batch_size": None}, {"batch_size": "single samples"}),
        (
            {"loaders.0.num_workers": 0},
            {"prefetch_factor": "no workers", "batch_size": "no workers"},
        ),
        (
            {"loaders.0.collate": "numpy"},
            {"num_workers": "hardly", "prefetch_factor": "hardly", "batch_size": "hardly"},
        ),
    ],
)
def test_what_does_nothing_is_left_out_and_it_is_said_why(changes, omitted) -> None:
    found = curves(gather(None, None, changes))
    assert {each.knob: each.why for each in found.omitted} == omitted
    knobs = ["num_workers", "prefetch_factor", "batch_size", "ranks"]
    assert [chart.knob for chart in found.charts] == [each for each in knobs if each not in omitted]


def test_job_without_workers_shows_what_workers_would_need() -> None:
    idle = {"ranks": 1, "nccl_communicators": 0, "loaders.0.num_workers": 0}
    workload = gather(None, None, {**idle, "loaders.0.collate": "numpy"})
    html = page.render(["curves"], workload, report.build(workload, targets=[]))["curves"]
    assert [chart.knob for chart in curves(workload).charts] == ["num_workers"]
    assert "batch_size</code> is left out: without workers nothing goes through" in html


def test_charts_of_a_loader_are_about_the_fullest() -> None:
    small, large = {"batch_size": 1, "name": "train"}, {"batch_size": 64, "name": "val"}
    found = curves(parse({"loaders": [small, large]}))
    assert found.loader == "val"
    assert {chart.path for chart in found.charts if chart.knob != "ranks"} == {
        "loaders.1.num_workers",
        "loaders.1.prefetch_factor",
        "loaders.1.batch_size",
    }


# ---------------------------------------------------------------- the drawing


def share(text: str) -> float:
    return float(text.removesuffix("%"))


@pytest.mark.parametrize("preset", presets.preset_ids())
@pytest.mark.parametrize("current", [1, 2**26, 2**32, 2**40])
def test_points_and_lines_are_to_scale_and_on_the_chart(preset: str, current: int) -> None:
    workload = presets.load(preset).workload.model_copy(update={"current_shm": current})
    for chart in curves(workload).charts:
        top = chart.top_bytes
        for point in chart.points:
            assert 0 <= share(point.set_y) <= share(point.y) <= 100
            assert share(point.y) == pytest.approx(100 - 100 * point.need_bytes / top, abs=0.001)
            assert share(point.left) < share(point.x) < share(point.left) + share(point.width)
        if chart.current_y is not None:
            assert share(chart.current_y) == pytest.approx(100 - 100 * current / top, abs=0.001)
        else:
            assert current > 2 * max(point.recommended_bytes for point in chart.points)


@pytest.mark.parametrize("current", ["64m", "3g", "1t"])
def test_every_value_has_a_button_that_says_what_it_gives(current: str) -> None:
    workload = gather(None, None, {"current_shm": current})
    html = page.render(["curves"], workload, report.build(workload, targets=[]))["curves"]
    for chart in curves(workload).charts:
        for point in chart.points:
            pressed = "true" if point.present else "false"
            assert (
                f'id="curve-{chart.id}-{point.value}" '
                f"data-set='{{\"{chart.path}\": {point.value}}}' "
                f'aria-pressed="{pressed}"' in html
            )
    more = 'aria-label="8 workers: 5.42 GiB, more than today' in html
    assert more == (current != "1t")
    assert "1 GPU: 661.6 MiB" in html
