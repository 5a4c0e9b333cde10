"""The unit of sizes and the theme: chosen once, kept, and in force everywhere."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.person import Person

INK = {"light": "rgb(29, 29, 27)", "dark": "rgb(236, 234, 229)"}
"""The colour of text by day and by night, from the tokens of base.css."""

LATER = {
    "why": "5,545 MiB",  # 5,814,356,992 bytes, the sum of the terms
    "notices": "Use uint8: 2,048 MiB",
    "sum": "8,192 MiB",
    "fit": "set 8,192 MiB",
}


@pytest.fixture
def automatic(person: Person) -> Iterator[Person]:
    """Leave the tastes as they were."""
    yield person
    person.page.locator("#unit").select_option("auto")
    person.page.locator("#theme").select_option("auto")


def ink(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).color"))


def test_every_size_on_the_page_follows_the_unit(automatic: Person) -> None:
    page = automatic.page
    page.locator("#unit").select_option("MiB")
    automatic.sees("8,192 MiB")
    expect(page.locator("#answer")).to_contain_text("With full queues the job keeps 5,251 MiB")
    expect(page.locator("#answer")).to_contain_text("--shm-size=8g")
    assert "--shm-size=8g" in automatic.block()
    for part, text in LATER.items():  # these come in a pause
        expect(page.locator(f"[data-part={part}]")).to_contain_text(text)
    page.locator("#unit").select_option("GiB")
    automatic.sees("8 GiB")
    expect(page.locator(".figures")).to_contain_text("0.0718 GiB")  # 77,070,336 bytes


def test_a_unit_leaves_the_workload_chosen(automatic: Person) -> None:
    automatic.page.locator("#unit").select_option("MiB")
    automatic.sees("8,192 MiB")
    chip = automatic.page.locator("#preset-images-8gpu")
    expect(chip).to_have_attribute("aria-current", "true")


def test_tastes_are_kept_until_the_next_visit(browser: Browser, address: str) -> None:
    context = browser.new_context(color_scheme="light")
    person = Person(context.new_page())
    person.open(address)
    person.page.locator("#unit").select_option("MiB")
    person.page.locator("#theme").select_option("dark")
    person.page.reload()
    expect(person.page.locator("#unit")).to_have_value("MiB")
    expect(person.page.locator("#theme")).to_have_value("dark")
    assert ink(person.page) == INK["dark"]
    person.wait_until_live()
    person.sees("8,192 MiB")
    assert person.complaints == []
    context.close()


@pytest.mark.parametrize("system", ["light", "dark"])
def test_a_theme_wins_over_the_systems(automatic: Person, system: str) -> None:
    page = automatic.page
    page.emulate_media(color_scheme="dark" if system == "dark" else "light")
    assert ink(page) == INK[system]
    for theme in ("dark", "light"):
        page.locator("#theme").select_option(theme)
        assert ink(page) == INK[theme]
    page.locator("#theme").select_option("auto")
    assert ink(page) == INK[system]
    page.emulate_media(color_scheme="light")


def test_the_theme_is_there_before_the_first_paint(browser: Browser, address: str) -> None:
    """The script stands before the styles, and is no module: those run when all is parsed."""
    context = browser.new_context(color_scheme="light")
    context.add_init_script("localStorage.setItem('shm-sizer-theme', 'dark')")
    page = context.new_page()
    context.route("**/js/main.js", lambda route: route.abort())
    page.goto(address)
    assert ink(page) == INK["dark"]
    theme = page.locator("head > script[src$='theme.js']:not([type], [defer], [async])")
    styles = page.locator("head > link[rel=stylesheet]").first.element_handle()
    follows = "(theme, styles) => theme.compareDocumentPosition(styles) & 4"
    assert theme.evaluate(follows, styles) == 4  # Node.DOCUMENT_POSITION_FOLLOWING
    context.close()


def test_what_is_remembered_is_not_trusted(browser: Browser, address: str) -> None:
    context = browser.new_context(color_scheme="light")
    context.add_init_script(
        "localStorage.setItem('shm-sizer-theme', 'x'); localStorage.setItem('shm-sizer-unit', 'x')"
    )
    person = Person(context.new_page())
    person.open(address)
    person.wait_until_live()
    expect(person.page.locator("#unit")).to_have_value("auto")
    expect(person.page.locator("#theme")).to_have_value("auto")
    person.sees("8 GiB")
    assert person.complaints == []
    context.close()


def test_without_scripts_there_is_nothing_to_choose(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    expect(page.locator("#unit")).to_be_hidden()
    expect(page.locator("#theme")).to_be_hidden()
    expect(page.locator("#print")).to_be_hidden()
    context.close()
