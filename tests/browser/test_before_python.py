"""While the engine loads, and when it cannot: the page stays right and useful."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, Route, expect

from tests.browser.person import START_MS, Person

STARTING = re.compile("^(Fetching|Starting) Python…$")
"""While a file is held back others still arrive: either may be what it says last."""


def held(page: Page, pattern: str) -> Callable[[], None]:
    """Hold back files until what is returned is called."""
    waiting: list[Route] = []
    released: list[bool] = []

    def hold(route: Route) -> None:
        if released:
            route.continue_()
        else:
            waiting.append(route)

    def release() -> None:
        released.append(True)
        for route in waiting:
            route.continue_()

    page.context.route(pattern, hold)
    return release


def test_edits_are_kept_and_answered_when_it_is_up(page: Page, address: str) -> None:
    release = held(page, "**/pyodide.asm.wasm")
    person = Person(page)
    person.open(address)
    expect(page.locator("#status")).to_have_text(STARTING)
    person.types("loaders.0.num_workers", "16")
    page.locator("#loaders-0-fields-add").click()
    expect(page.locator("#stale")).to_be_visible()
    expect(page.locator("#recommended")).to_have_text("8 GiB")
    release()
    person.wait_until_live()
    person.sees("16 GiB")
    expect(person.input("loaders.0.num_workers")).to_have_value("16")
    expect(person.input("loaders.0.fields.1.name")).to_have_value("label")
    assert person.complaints == []


def test_a_preset_that_comes_late_does_not_undo_what_was_done_since(
    page: Page, address: str
) -> None:
    release = held(page, "**/p/llm-tokens.json")
    held(page, "**/pyodide.asm.wasm")
    person = Person(page)
    person.open(address)
    page.locator("#preset-llm-tokens").click()
    person.pick("medical-3d")
    expect(person.input("ranks")).to_have_value("4")
    with page.expect_response("**/p/llm-tokens.json"):
        release()
    page.wait_for_timeout(200)
    expect(person.input("ranks")).to_have_value("4")
    expect(page.locator("#preset-medical-3d")).to_have_attribute("aria-current", "true")


def test_a_damaged_module_is_said_at_once(page: Page, address: str) -> None:
    wrong = b"<html>not it</html>"
    page.context.route("**/pydantic_core.so", lambda route: route.fulfill(body=wrong))
    Person(page).open(address)
    expect(page.locator("#failure")).to_be_visible(timeout=START_MS / 4)


def test_presets_switch_at_once(page: Page, address: str) -> None:
    release = held(page, "**/pyodide.asm.wasm")
    person = Person(page)
    person.open(address)
    person.types("loaders.0.num_workers", "16")
    person.pick("resnet50-imagenet")
    person.sees("2 GiB")
    expect(person.input("ranks")).to_have_value("1")
    assert "--shm-size=2g" in person.block()
    expect(page.locator("#status")).not_to_have_text("Live")
    release()
    person.wait_until_live()
    person.sees("2 GiB")


def test_failed_start_says_so_and_can_be_retried(page: Page, address: str) -> None:
    page.context.route("**/*.wasm", lambda route: route.abort())
    person = Person(page)
    person.open(address)
    expect(page.locator("#failure")).to_be_visible(timeout=START_MS)
    expect(page.locator("#failure")).to_contain_text("could not start")
    expect(page.locator("#recommended")).to_have_text("8 GiB")
    person.pick("llm-tokens")
    person.sees("1 GiB")
    person.types("loaders.0.batch_size", "8000")
    page.context.unroute("**/*.wasm")
    page.locator("#retry").click()
    person.wait_until_live()
    expect(page.locator("#failure")).to_be_hidden()
    person.sees("48 GiB")


def test_first_live_answer_changes_nothing(page: Page, address: str) -> None:
    release = held(page, "**/pyodide.asm.wasm")
    person = Person(page)
    person.open(address)
    expect(page.locator("#chosen .copy")).to_be_visible()
    content = "[...document.querySelectorAll('[data-part]')].map((each) => each.innerHTML)"
    page.evaluate("getSelection().selectAllChildren(document.getElementById('recommended'))")
    before = page.evaluate(content)
    release()
    person.wait_until_live()
    assert page.evaluate(content) == before
    assert page.evaluate("String(getSelection())") == "8 GiB"


ASKED = """
const { postMessage } = Worker.prototype;
window.asked = [];
Worker.prototype.postMessage = function (message, ...more) {
  window.asked.push(message.request);
  return postMessage.call(this, message, ...more);
};
"""


def test_what_stands_on_the_page_is_not_asked_for_again(page: Page, address: str) -> None:
    """The first live answer is about what the page came with; an edit makes all else old."""
    page.add_init_script(ASKED)
    person = Person(page)
    person.open(address)
    person.wait_until_live()
    page.wait_for_timeout(1500)
    assert len(page.evaluate("asked")) == 1
    far = page.locator("[data-part=why]")
    before = far.text_content() or ""
    person.types("loaders.0.num_workers", "16")
    person.sees("16 GiB")
    expect(page.locator("[data-old]")).to_have_count(0)
    assert len(page.evaluate("asked")) > 5
    expect(far).not_to_have_text(before)
    person.types("loaders.0.num_workers", "8")
    person.sees("8 GiB")
    expect(page.locator("[data-old]")).to_have_count(0)
    expect(far).to_have_text(before)


def test_a_part_of_the_page_that_has_not_arrived_is_said(page: Page, address: str) -> None:
    page.context.route("**/js/main.js", lambda route: route.fulfill(status=404))
    Person(page).open(address)
    expect(page.locator("#failure")).to_contain_text("has not arrived")
    expect(page.locator("#faq-tmpdir")).to_be_attached()
    for _ in range(100):
        page.wait_for_timeout(100)
        if not page.workers:
            break
    assert page.workers == []
    page.context.unroute("**/js/main.js")
    page.locator("#retry").click()
    Person(page).wait_until_live()
    expect(page.locator("#failure")).to_be_hidden()
