"""The workloads people start from: found by words, told apart by summary and source."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from calculator import presets
from tests.browser.person import Person


def seen(page: Page) -> set[str]:
    """Return the presets that are in sight."""
    links = page.locator(".presets [data-preset]").all()
    return {link.get_attribute("data-preset") or "" for link in links if link.is_visible()}


def box(person: Person) -> Locator:
    """Return the box to search in."""
    return person.page.locator("#find-preset")


@pytest.fixture
def searching(person: Person) -> Person:
    """Return somebody before an empty box and a closed panel."""
    box(person).fill("")
    person.page.evaluate("document.getElementById('more-presets').open = false")
    return person


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("whisper", {"whisper-finetune"}),  # a title
        ("RESNET-50", {"resnet50-imagenet"}),  # of a featured one, in capitals
        ("facebookresearch slowfast", {"slowfast-8x8", "mvit-b-32x3"}),  # whose library it is
        ("16.7 s", {"nemo-fastconformer"}),  # a summary
        ("3d mmdetection", {"nuscenes-lidar"}),  # a field and a title
    ],
)
def test_words_find_a_workload(searching: Person, words: str, found: set[str]) -> None:
    box(searching).fill(words)
    assert seen(searching.page) == found


def test_the_panel_is_open_while_one_searches(searching: Person) -> None:
    panel = searching.page.locator("#more-presets")
    box(searching).fill("detr")
    expect(panel).to_have_attribute("open", "")
    box(searching).fill("")
    expect(panel).not_to_have_attribute("open", "")
    assert len(seen(searching.page)) == sum(
        presets.load(name).featured for name in presets.preset_ids()
    )


def test_words_that_find_nothing_say_so(searching: Person) -> None:
    none = searching.page.locator("#no-preset")
    expect(none).to_be_hidden()
    box(searching).fill("knitting")
    expect(none).to_contain_text("No workload of that name")
    box(searching).press("Escape")
    expect(none).to_be_hidden()
    expect(box(searching)).to_have_value("")


def test_tab_and_enter_choose_what_was_found(searching: Person) -> None:
    box(searching).fill("nnunet")
    box(searching).focus()
    for _ in range(4):
        searching.page.keyboard.press("Tab")
        if searching.focus() == "preset-nnunet-3d":
            break
    searching.page.keyboard.press("Enter")
    expect(searching.page.locator("#preset-nnunet-3d")).to_have_attribute("aria-current", "true")
    batch = presets.load("nnunet-3d").workload.loaders[0].batch_size
    expect(searching.input("loaders.0.batch_size")).to_have_value(str(batch))


def test_enter_in_the_box_chooses_the_first(searching: Person) -> None:
    box(searching).fill("timm")
    box(searching).press("Enter")
    expect(searching.page.locator("#preset-timm-imagenet")).to_have_attribute(
        "aria-current", "true"
    )


def test_the_chosen_one_is_named_though_its_panel_is_closed(searching: Person) -> None:
    searching.pick("detr-coco")
    searching.page.locator("#more-presets > summary").click()
    summary = searching.page.locator("#more-presets > summary")
    expect(summary).to_contain_text("DETR, 8 GPUs")
    about = searching.page.locator("#preset-about")
    expect(about).to_contain_text("padded to 3x1333x1333")
    expect(about.locator("a")).to_have_text("detr: main.py")
    searching.pick("medical-3d")
    expect(summary).not_to_contain_text("DETR")
    expect(about).to_contain_text("Typical numbers, no single source.")


def test_an_edit_leaves_the_workload_and_moves_nothing(searching: Person) -> None:
    workers = searching.input("loaders.0.num_workers")
    before = workers.bounding_box()
    searching.types("loaders.0.num_workers", "9")
    expect(searching.page.locator("#preset-about")).to_have_text("Your own numbers.")
    assert workers.bounding_box() == before


def test_every_row_says_what_it_is_and_where_it_stands(browser: Browser, address: str) -> None:
    """Without scripts too."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    expect(page.locator("#find-preset")).to_be_hidden()
    page.locator("#more-presets > summary").click()
    for name in presets.preset_ids():
        preset = presets.load(name)
        if preset.featured:
            continue
        row = page.locator(".panel li", has=page.locator(f"#preset-{name}"))
        expect(row).to_contain_text(preset.title)
        expect(row).to_contain_text(preset.summary)
        expect(row.locator(".cite")).to_have_attribute("href", re.compile("^https://"))
        assert preset.source == row.locator(".cite").get_attribute("href")
    context.close()


def test_chips_of_a_phone_stand_in_one_row_that_shows_there_is_more(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(address)
    tops = page.evaluate(
        """() => [...document.querySelectorAll(".chips > :not([hidden]) .chip")]
          .map((chip) => chip.getBoundingClientRect().top)"""
    )
    assert len(set(tops)) == 1
    edges = page.evaluate(
        """() => { const end = document.querySelector(".chips").getBoundingClientRect().right;
          return [...document.querySelectorAll(".chips .chip")]
            .map((chip) => chip.getBoundingClientRect())
            .filter(({ left, right }) => left < end - 20 && right > end).length; }"""
    )
    assert edges == 1  # one is cut off by the edge: the row goes on
    context.close()
