"""The picture that zooms in: to scale, end to end, labels apart, and the same as text."""

from __future__ import annotations

import re
from html import unescape
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given

from calculator import page, presets, report
from calculator.bars import Bar, Rect
from calculator.units import size
from calculator.workload import Workload, parse
from calculator.zoom import Zoom, zoom
from tests.test_footprint_laws import JOBS
from tests.test_terms import CASES

IMAGE = {"batch_size": 16, "num_workers": 2}
GIB = 2**30
JOBS_OF_TERMS: dict[str, Any] = {**CASES}
ODD: dict[str, dict[str, Any]] = {
    **JOBS_OF_TERMS,
    "default": {},
    "many-ranks": {"ranks": 512, "loaders": [{"batch_size": 8}]},
    "no-workers": {"ranks": 1, "loaders": [{"num_workers": 0}]},
    "only-nccl": {"ranks": 8, "loaders": [{"num_workers": 0}]},
    "single-samples": {"ranks": 1, "loaders": [{"batch_size": None, "num_workers": 4}]},
    "three-loaders": {
        "ranks": 4,
        "schedule": "always",
        "loaders": [
            {"num_workers": 12, "prefetch_factor": 8},
            {**IMAGE, "name": "validation"},
            {**IMAGE, "num_workers": 0},
        ],
    },
    "far": {"current_shm": "1t", "memory_limit": "2t"},
    "beyond": {"current_shm": "16g", "memory_limit": "100g"},
    "short": {"current_shm": "6g", "memory_limit": "8g", "loaders": [{"pin_memory": True}]},
    "a-few-bytes": {
        "ranks": 1,
        "loaders": [{"batch_size": 1, "num_workers": 1, "fields": [{"kind": "int"}]}],
    },
    "terabytes": {
        "ranks": 64,
        "loaders": [
            {
                "batch_size": 512,
                "num_workers": 32,
                "prefetch_factor": 8,
                "fields": [{"shape": [3, 512, 512]}],
            }
        ],
    },
}


def drawn(workload: Workload) -> Zoom:
    return zoom(report.build(workload, targets=[]), workload)


def shares(rect: Rect) -> tuple[float, float]:
    start, width = (float(text.removesuffix("%")) for text in (rect.start, rect.width))
    return start, width


def bars(picture: Zoom) -> list[Bar]:
    return [bar for bar in (picture.memory, picture.shm, picture.process) if bar]


def check(workload: Workload) -> None:
    """Every bar is tiled by what it consists of, to scale, from end to end."""
    for bar in bars(drawn(workload)):
        assert sum(each.piece.number * each.piece.each_bytes for each in bar.drawn) == bar.bytes
        end, rects = 0.0, iter(bar.rects)
        for each in bar.drawn:
            for _ in range(each.cells):
                start, width = shares(next(rects))
                assert start == pytest.approx(end, abs=0.01)
                of_cell = each.piece.each_bytes * each.piece.number / each.cells
                assert width == pytest.approx(100 * of_cell / bar.bytes, abs=0.0001)
                end = start + width
        assert next(rects, None) is None
        assert end == pytest.approx(100, abs=0.01)


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_bars_of_a_preset_are_tiled_to_scale(preset: str) -> None:
    check(presets.load(preset).workload)


@pytest.mark.parametrize("name", ODD)
def test_bars_of_an_odd_job_are_tiled_to_scale(name: str) -> None:
    check(parse(ODD[name]))


@given(JOBS)
def test_bars_of_any_job_are_tiled_to_scale(data: dict[str, Any]) -> None:
    check(parse(data))


def test_default_job_is_drawn_as_worked_out_by_hand() -> None:
    """Eight processes of 18 batches and 32 pages; 0.25 GiB of NCCL; 8 GiB of 72 GiB."""
    picture = drawn(parse({}))
    process = 18 * 38_535_168 + 32 * 4096
    assert picture.memory.bytes == 72 * GIB
    assert [rect.kind for rect in picture.memory.rects] == ["shm", "processes"]
    assert [rect.label for rect in picture.shm.rects] == [*"12345678", "", ""]
    assert shares(picture.shm.rects[7]) == pytest.approx(
        (100 * 7 * process / (8 * GIB), 100 * process / (8 * GIB)), abs=0.001
    )
    assert picture.process is not None
    kinds = [rect.kind for rect in picture.process.rects]
    assert kinds == [*["queued"] * 16, "held", "handover", "semaphores"]


@pytest.mark.parametrize(
    ("inputs", "kind", "cells", "per_cell"),
    [
        ({"ranks": 8}, "process", 8, 1),
        ({"ranks": 64, "loaders": [{"batch_size": 256}]}, "process", 64, 1),
        ({"ranks": 65, "loaders": [{"batch_size": 256}]}, "process", 1, 65),
        ({"ranks": 512}, "process", 1, 512),
        ({"ranks": 1, "loaders": [{"num_workers": 4, "prefetch_factor": 4}]}, "queued", 16, 1),
        ({"ranks": 1, "loaders": [{"num_workers": 32}]}, "queued", 64, 1),
        ({"ranks": 1, "loaders": [{"num_workers": 33}]}, "queued", 33, 2),
        ({"ranks": 1, "loaders": [{"num_workers": 65}]}, "queued", 1, 130),
        ({"ranks": 1, "loaders": [{**IMAGE, "queue_size": 6}]}, "queued", 12, 1),
    ],
)
def test_parts_are_countable_until_there_are_too_many(
    inputs: dict[str, Any], kind: str, cells: int, per_cell: int
) -> None:
    """Beyond that a cell is a worker's batches; beyond that all are one, hatched."""
    picture = drawn(parse(inputs))
    (bar,) = (bar for bar in bars(picture) if any(rect.kind == kind for rect in bar.rects))
    rects = [rect for rect in bar.rects if rect.kind == kind]
    (found,) = (each for each in bar.drawn if each.piece.kind == kind)
    assert (len(rects), found.cells, found.per_cell) == (cells, cells, per_cell)
    assert all(rect.hatched == (cells == 1 and per_cell > 1) for rect in rects)


@pytest.mark.parametrize(
    ("inputs", "marks"),
    [
        ({}, {"need": 67.688, "recommended": 100.0, "today": 0.7812}),
        ({"current_shm": "8g"},
         {"need": 67.688, "recommended": 100.0, "today": 100.0, "default": 0.7812}),
        ({"current_shm": "16g"},
         {"need": 33.844, "recommended": 50.0, "today": 100.0, "default": 0.3906}),
        ({"current_shm": "32g"},
         {"need": 16.922, "recommended": 25.0, "today": 100.0, "default": 0.1953}),
        ({"current_shm": "33g"}, {"need": 67.688, "recommended": 100.0, "default": 0.7812}),
        ({"ranks": 1, "loaders": [{"num_workers": 0}]},
         {"need": 0.0, "recommended": 100.0, "today": 100.0}),
    ],
)  # fmt: skip
def test_sizes_are_marked_where_they_are(inputs: Any, marks: dict[str, float]) -> None:
    ticks = drawn(parse(inputs)).shm.ticks
    found = {tick.mark.text.split(" ")[0]: float(tick.at.removesuffix("%")) for tick in ticks}
    assert found == pytest.approx(marks, abs=0.001)


@pytest.mark.parametrize(
    ("limit", "kind", "at"),
    [("36g", "short", 50.0), ("72g", "enough", 100.0), ("144g", "enough", 100.0)],
)
def test_the_persons_own_memory_limit_is_marked(limit: str, kind: str, at: float) -> None:
    (tick,) = drawn(parse({"memory_limit": limit})).memory.ticks
    assert (tick.mark.kind, float(tick.at.removesuffix("%"))) == (kind, at)


def test_sizes_far_beyond_the_picture_are_said_instead() -> None:
    picture = drawn(parse(ODD["far"]))
    assert [value for _, value in picture.beyond] == [2048 * GIB, 1024 * GIB]
    assert picture.memory.ticks == ()


LETTER = 7.9 / 280  # a wide and bold letter of 12 px on the bar of the narrowest window


def spans(bar: Bar) -> list[tuple[int, float, float]]:
    """Return level, left and right end of each label, reckoned anew."""
    found = []
    for tick in bar.ticks:
        at, width = float(tick.at.removesuffix("%")) / 100, LETTER * len(tick.mark.text)
        left = at if at < 0.5 else at - width
        found.append((tick.text_y, left, left + width))
    return found


SIZES = ["1m", "64m", "500m", "1g", "3g", "5g", "5500m", "6g", "7g", "8g", "9g", "16g", "31g"]


@pytest.mark.parametrize(
    ("current", "ranks", "batch"), list(product(SIZES, [1, 2, 8], [1, 16, 64, 91]))
)
def test_labels_never_overlap(current: str, ranks: int, batch: int) -> None:
    workload = parse({"current_shm": current, "ranks": ranks, "loaders": [{"batch_size": batch}]})
    for bar in bars(drawn(workload)):
        for (y, left, right), (other_y, other_left, other_right) in combinations(spans(bar), 2):
            assert abs(y - other_y) >= 14 or right <= other_left or other_right <= left
        for y, left, right in spans(bar):
            assert bar.caption_y + 12 <= y < bar.y
            assert left >= -0.06  # a wide font in the narrowest window
            assert right <= 1.06


def test_a_lens_leads_from_a_piece_to_the_bar_that_magnifies_it() -> None:
    """1 GiB of /dev/shm in 9 GiB; today's 2 GiB lie beyond, so the lens ends at half."""
    picture = drawn(parse({"ranks": 1, "current_shm": "2g"}))
    memory, shm, process = bars(picture)
    first, second = ([_point(each) for each in lens.split(" ")] for lens in picture.lenses)
    one = 100 * (18 * 38_535_168 + 32 * 4096) / (2 * GIB)
    assert [x for x, _ in first] == pytest.approx([0, 100 / 9, 50, 50, 0], abs=0.001)
    assert [x for x, _ in second] == pytest.approx([0, one, 100, 100, 0], abs=0.001)
    edges = [bar.y + bar.height for bar in (memory, shm, process)]
    assert [y for _, y in first] == [edges[0], edges[0], shm.top, edges[1], edges[1]]
    assert [y for _, y in second] == [edges[1], edges[1], process.top, edges[2], edges[2]]


def _point(corner: str) -> tuple[float, float]:
    x, y = corner.split(",")
    return float(x), float(y)


# ---------------------------------------------------------------- as text


def table(workload: Workload) -> str:
    html = page.render(["zoom"], workload, report.build(workload, targets=[]))["zoom"]
    found = re.search(r"<table>.*</table>", html, re.DOTALL)
    assert found
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", found[0]).split()))


@pytest.mark.parametrize("name", ODD)
def test_text_has_every_figure_of_the_picture(name: str) -> None:
    workload = parse(ODD[name])
    text = table(workload)
    for bar in bars(drawn(workload)):
        for each in bar.drawn:
            assert each.piece.name in text
            assert size(each.piece.bytes) in text
            if each.piece.number > 1:
                assert f"{each.piece.number:,} × {size(each.piece.each_bytes)}" in text
        for tick in bar.ticks:
            assert f"Marked: {tick.mark.name} {size(tick.mark.bytes)}" in text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("default", ["Training processes 8 × 661.6 MiB 5.17 GiB",
                     "32 × 4 KiB too many to draw singly so narrow that it is drawn as a line"]),
        ("many-ranks", ["Training processes 512 × 82.81 MiB too many to draw singly 41.41 GiB"]),
        ("three-loaders", ["train: Queued batches 96 × 36.75 MiB drawn in groups of 8 3.45 GiB",
                           "validation: Held by your loop so narrow that"]),
        ("left-early", ["train: Queue left by a break 4 × 9.19 MiB 36.77 MiB",
                        "Left behind by early breaks of train"]),
        ("short", ["Pinned copies of batches", "Marked: Your memory limit 8 GiB"]),
    ],
)  # fmt: skip
def test_text_says_what_the_drawing_cannot(name: str, words: list[str]) -> None:
    text = table(parse(ODD[name]))
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("train-and-val", "not full at the same time"),
        ("three-loaders", "taken to be full at the same time"),
        ("no-workers", "no process to look into"),
        ("far", "lies far beyond the picture"),
    ],
)
def test_note_says_which_moment_is_shown(name: str, said: str) -> None:
    workload = parse(ODD[name])
    html = page.render(["zoom"], workload, report.build(workload, targets=[]))["zoom"]
    assert said in html
