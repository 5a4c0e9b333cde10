"""Where things are: what one sees first, and that nothing is cut off."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, expect

from tests.browser.person import Person


def box(locator: Locator) -> FloatRect:
    """Return where something is."""
    found = locator.bounding_box()
    assert found is not None
    return found


def test_answer_and_first_block_are_on_the_first_screen(person: Person) -> None:
    person.page.evaluate("scrollTo(0, 0)")
    assert box(person.page.locator("#recommended"))["y"] > 0
    block = box(person.page.locator("#chosen figure"))
    assert block["y"] + block["height"] <= 800


def test_size_is_the_largest_text(person: Person) -> None:
    largest = person.page.evaluate(
        """() => [...document.querySelectorAll("body *")]
          .filter((each) => each.checkVisibility() && each.childNodes.length)
          .sort((a, b) => parseFloat(getComputedStyle(b).fontSize)
            - parseFloat(getComputedStyle(a).fontSize))[0].id"""
    )
    assert largest == "recommended"


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_never_scrolls_sideways(
    browser: Browser, address: str, width: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    page = context.new_page()
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(address)
    expect(page.locator("#chosen .copy")).to_be_visible()
    page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_phone_shows_the_answer_first_and_keeps_it_in_view(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    person = Person(context.new_page())
    person.open(address)
    person.wait_until_live()
    page = person.page
    assert box(page.locator("#answer"))["y"] < box(page.locator("#form"))["y"]
    assert box(page.locator("#form"))["y"] < box(page.locator("#place"))["y"]
    person.types("current_shm", "16g")
    page.locator("#loaders-0-fields-add").tap()
    expect(person.input("loaders.0.fields.1.name")).to_have_value("label")
    slim = page.locator(".slim")
    expect(slim).to_be_in_viewport()
    expect(slim).to_contain_text("8 GiB")
    context.close()


def test_targets_are_large_enough_to_hit(person: Person) -> None:
    small = person.page.evaluate(
        """() => [...document.querySelectorAll("main .card a, main .card button, input, select")]
          .filter((each) => each.checkVisibility() && !each.matches(".cite, dd a"))
          .map((each) => [each.id || each.textContent, each.getBoundingClientRect()])
          .filter(([, { width, height }]) => (width < 24 || height < 24))
          .map(([name]) => name)"""
    )
    assert [name for name in small if name not in CHECKBOXES] == []


# Their label, which is large enough, is the target.
CHECKBOXES = {
    "accelerator", "last-batch-held", "loaders-0-pin-memory", "loaders-0-persistent-workers",
    "loaders-1-pin-memory", "loaders-1-persistent-workers", "paste-file",
}  # fmt: skip
