"""Fit what you have, on the live page: say the size, take an option, get what it promised."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Locator, expect

from calculator.inputs import gather
from calculator.sizing import size_job
from calculator.units import size
from tests.browser.person import Person


def section(person: Person) -> Locator:
    found = person.page.locator("#fit")
    found.scroll_into_view_if_needed()
    return found


def have(person: Person, there_is: str) -> Locator:
    """Say how much there is, and wait until the section answers that."""
    person.types("current_shm", there_is)
    found = section(person)
    expect(found.locator(".fit-now b").first).to_have_text(there_is)
    return found


def test_it_says_first_whether_the_job_fits(person: Person) -> None:
    found = have(person, "2 GiB")
    expect(found.locator(".fit-now")).to_contain_text("the job needs 5.42 GiB: it does not fit.")
    found = have(person, "8 GiB")
    expect(found.locator(".fit-now")).to_contain_text("it fits.")


def test_what_is_taken_gives_what_was_promised(person: Person) -> None:
    """Eight GPUs, 2 GiB: pixels as uint8 are 18 batches of 9.19 MiB each, and NCCL."""
    found = have(person, "2 GiB")
    button = found.locator("#fit-samples-1")
    expect(button).to_have_text("Take it, Send uint8: 1.54 GiB")
    button.click()
    expect(person.input("loaders.0.fields.0.dtype")).to_have_value("uint8")
    person.sees("2 GiB")
    expect(person.page.locator("#answer")).to_contain_text("1.54 GiB")
    expect(found.locator(".fit-now")).to_contain_text("the job needs 1.54 GiB: it fits.")
    assert person.focus() == "fit-title"


def test_two_changes_are_taken_with_one_click(person: Person) -> None:
    found = have(person, "1 GiB")
    found.locator("#fit-together-1").click()
    expect(person.input("loaders.0.fields.0.dtype")).to_have_value("uint8")
    expect(person.input("loaders.0.prefetch_factor")).to_have_value("1")
    need = size_job(
        gather(
            "images-8gpu",
            None,
            {"loaders.0.fields.0.dtype": "uint8", "loaders.0.prefetch_factor": 1},
        )
    ).need_bytes
    expect(found.locator(".fit-now")).to_contain_text(f"the job needs {size(need)}: it fits.")


@pytest.mark.parametrize(
    ("button", "there_is"),
    [("fit-size-2", "1 GiB"), ("fit-size-3", "2 GiB"), ("fit-size-4", "8 GiB")],
)
def test_usual_sizes_are_a_click_away(person: Person, button: str, there_is: str) -> None:
    found = section(person)
    found.locator(f"#{button}").click()
    expect(person.input("current_shm")).to_have_value(there_is)
    expect(found.locator(f"#{button}")).to_have_attribute("aria-pressed", "true")
    expect(found.locator("[aria-pressed=true]")).to_have_count(1)


def test_half_of_the_machines_memory_is_offered_once_that_is_known(person: Person) -> None:
    expect(section(person).locator(".fit-sizes button")).to_have_count(4)
    person.types("machine_memory", "12g")
    found = section(person)
    expect(found.locator("#fit-size-5")).to_have_text("Half of the RAM, 6 GiB")


def test_a_fold_stays_open_while_one_types(person: Person) -> None:
    person.pick("yolo-train-val")
    found = have(person, "2 GiB")
    fold = found.locator("#fit-more-flight")
    fold.locator("summary").click()
    expect(fold).to_have_attribute("open", "")
    found = have(person, "1.9 GiB")
    expect(fold).to_have_attribute("open", "")


def test_the_way_to_the_input_and_to_the_block(person: Person) -> None:
    found = have(person, "2 GiB")
    expect(found.get_by_role("link", name="set 8 GiB")).to_have_attribute("href", "#place")
    found.get_by_role("link", name="Change what you have").click()
    assert person.focus() == "current-shm"


def test_where_nothing_helps_that_is_said(person: Person) -> None:
    found = have(person, "64 MiB")
    expect(found).to_contain_text("what else uses /dev/shm needs 252 MiB without them")
    expect(found.locator(".ways")).to_have_count(0)


def test_by_keyboard(person: Person) -> None:
    found = have(person, "2 GiB")
    found.locator("#fit-flight-1").focus()
    person.page.keyboard.press("Enter")
    expect(person.input("loaders.0.num_workers")).to_have_value("2")


def test_nothing_was_asked_elsewhere_and_nothing_complained(person: Person, address: str) -> None:
    assert [url for url in person.requests if not url.startswith(address)] == []
    assert person.complaints == []


def test_nothing_scrolls_sideways_on_the_narrowest_screen(person: Person) -> None:
    person.page.set_viewport_size({"width": 320, "height": 700})
    have(person, "1 GiB")
    wide = person.page.evaluate("document.documentElement.scrollWidth")
    person.page.set_viewport_size({"width": 1280, "height": 800})
    assert wide == 320


def test_the_words_stand_without_scripts(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    bare = context.new_page()
    bare.goto(address)
    expect(bare.locator("#fit")).to_contain_text("You have 64 MiB, the job needs 5.42 GiB")
    expect(bare.locator("#fit button:visible")).to_have_count(0)
    context.close()
