"""The bar of /dev/shm, and blocks as HTML."""

from __future__ import annotations

import re
from html import unescape

import pytest

from calculator import page, presets, report
from calculator.picture import bar
from calculator.report import Report
from calculator.workload import parse


def answer(**inputs: object) -> Report:
    return report.build(parse(inputs))


def share(text: str) -> float:
    return float(text.removesuffix("%"))


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_segments_lie_end_to_end_and_sum_to_the_need(preset: str) -> None:
    found = report.build(presets.load(preset).workload)
    picture, end = bar(found), 0.0
    for segment in picture.segments:
        assert share(segment.start) == pytest.approx(end, abs=0.01)
        end += share(segment.width)
    need = 100 * found.shm.need_bytes / found.shm.recommended_bytes
    assert end == pytest.approx(need, abs=0.01)
    assert sum(segment.bytes for segment in picture.segments) == found.shm.need_bytes


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_what_has_no_label_of_its_own_is_told_together(preset: str) -> None:
    picture = bar(report.build(presets.load(preset).workload))
    labelled = sum(each.bytes for each in picture.segments if each.labelled)
    assert labelled + picture.rest_bytes == sum(each.bytes for each in picture.segments)
    assert [each.name for each in picture.segments if not each.labelled] == [
        name for name in picture.rest.split(", ") if name
    ]


@pytest.mark.parametrize(
    ("current", "ours", "today"),
    [
        ("64m", "100.000%", "0.781%"),
        ("8g", "100.000%", "100.000%"),
        ("16g", "50.000%", "100.000%"),
        ("1t", "100.000%", None),
    ],
)
def test_marks_stand_where_the_sizes_are(current: str, ours: str, today: str | None) -> None:
    """A size far beyond the recommendation is left out rather than squeezing the rest."""
    picture = bar(answer(current_shm=current))
    assert picture.recommended.at == ours
    assert (picture.current.at if picture.current else None) == today


def test_block_as_html_has_the_very_text() -> None:
    found = answer(memory_limit="8g")
    for block in found.targets:
        html = str(page.code(block))
        assert unescape(re.sub(r"</?(?:i|mark)>", "", html)) == block.text


def test_size_is_marked_as_a_word_of_its_own() -> None:
    found = answer()
    by_id = {block.id: block for block in found.targets}
    marked = page.code(by_id["docker-run"])
    assert "--shm-size=<mark>8g</mark> " in marked
    assert "<i>  # holds" not in page.code(by_id["kubernetes-pod"])
    assert "<i># holds" in page.code(by_id["kubernetes-pod"])
