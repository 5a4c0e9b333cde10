"""The picture and the terms on the live page: to scale, following edits, staying open."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from calculator import presets, report
from calculator.page import render
from calculator.units import size
from calculator.workload import parse
from tests.browser.person import Person
from tests.test_zoom import ODD

PROCESS = 18 * 38_535_168 + 32 * 4096  # the default job, worked out by hand
GIB = 2**30


@pytest.fixture
def looking(person: Person) -> Person:
    """Return somebody who looks at where the number comes from."""
    person.page.locator("#zoom").scroll_into_view_if_needed()
    expect(person.page.locator("#zoom .cell.process")).to_have_count(8)
    return person


def widths(person: Person, kind: str) -> list[float]:
    """Return the drawn widths of a kind of cell, in pixels."""
    found: list[float] = person.page.locator(f"#zoom .cell.{kind}").evaluate_all(
        "cells => cells.map((cell) => cell.width.baseVal.value)"
    )
    return found


def whole(person: Person) -> float:
    """Return the width of the bars, in pixels."""
    width: float = person.page.locator("#zoom figure > svg").evaluate(
        "svg => svg.getBoundingClientRect().width"
    )
    return width


def test_bars_are_drawn_to_scale(looking: Person) -> None:
    full = whole(looking)
    assert full > 600
    expected = {
        "shm": [8 / 72],
        "processes": [64 / 72],
        "process": [PROCESS / (8 * GIB)] * 8,
        "nccl": [8 * 33_030_528 / (8 * GIB)],
        "queued": [38_535_168 / PROCESS] * 16,
        "held": [38_535_168 / PROCESS],
        "semaphores": [32 * 4096 / PROCESS],
    }
    for kind, shares in expected.items():
        assert widths(looking, kind) == pytest.approx([full * s for s in shares], abs=1), kind


def test_picture_sum_and_terms_follow_an_edit(looking: Person) -> None:
    page = looking.page
    looking.types("ranks", "4")
    looking.sees("4 GiB")
    page.locator("#zoom").scroll_into_view_if_needed()
    expect(page.locator("#zoom .cell.process")).to_have_count(4)
    expect(page.locator("#sum")).to_contain_text("4 processes")
    expect(page.locator("#sum")).to_contain_text(f"{4 * PROCESS:,} bytes")
    expect(page.locator("#term-nccl summary")).to_contain_text(size(4 * 33_030_528))
    assert widths(looking, "process") == pytest.approx(
        [whole(looking) * PROCESS / (4 * GIB)] * 4, abs=1
    )


def test_a_term_that_was_unfolded_stays_so(looking: Person) -> None:
    term = looking.page.locator("#term-queued-train")
    expect(term.locator(".reason")).to_be_hidden()
    term.locator("summary").focus()
    looking.page.keyboard.press("Enter")
    expect(term.locator(".reason")).to_be_visible()
    looking.types("loaders.0.prefetch_factor", "4")
    looking.page.locator("[data-part=why]").evaluate("place => place.scrollIntoView()")
    expect(term.locator("code")).to_contain_text("4 prefetched")
    expect(term.locator(".reason")).to_be_visible()
    assert term.locator(".cite").get_attribute("href", timeout=1000) is not None
    term.locator("summary").click()


OVERLAPS = """() => {
  const texts = [...document.querySelectorAll("#zoom figure > svg > text")].map((text) =>
    [text.textContent.trim(), text.getBoundingClientRect()]);
  const meet = (a, b) => a.left < b.right && b.left < a.right
    && a.top + 2 < b.bottom && b.top + 2 < a.bottom;
  return texts.flatMap(([name, box], i) => texts.slice(0, i)
    .filter(([, other]) => meet(box, other)).map(([other]) => [name, other])
    .concat(box.left < 0 || box.right > innerWidth ? [[name, "sticks out"]] : []));
}"""


@pytest.mark.parametrize("width", [320, 768])
def test_no_text_lies_on_another_and_none_sticks_out(
    browser: Browser, address: str, width: int
) -> None:
    """Drawn by a real browser in its own fonts, for every preset and many odd jobs."""
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    page.route("**/*.js", lambda route: route.abort())  # as it was built
    page.goto(address)
    jobs = [presets.load(each).workload for each in presets.preset_ids()]
    for job in (*jobs, *(parse(inputs) for inputs in ODD.values())):
        html = render(["zoom"], job, report.build(job, targets=[]))["zoom"]
        page.locator("#zoom").evaluate("(place, html) => (place.innerHTML = html)", html)
        assert page.locator("#zoom figure > svg > text").count() >= 4
        assert page.evaluate(OVERLAPS) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_picture_and_its_text_are_there_without_scripts(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    found = report.build(presets.load(presets.DEFAULT_PRESET).workload, targets=[])
    expect(page.get_by_role("img", name="Container memory")).to_be_visible()
    page.locator("#zoom-text summary").click()
    table = page.locator("#zoom-text table")
    expect(table).to_be_visible()
    expect(table).to_contain_text(f"8 × {size(PROCESS)}")
    expect(page.locator("#sum")).to_contain_text(f"{found.shm.need_bytes:,} bytes")
    for summary in page.locator("#why-title ~ div summary").all():
        box = summary.bounding_box()
        assert box is not None
        assert box["height"] >= 24
    context.close()
