"""Two jobs side by side, on the live page."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Locator, expect

from tests.browser.person import Person


def keep(person: Person) -> Locator:
    """Keep the job that stands in the form, and wait for the comparison."""
    person.page.locator("#compare-keep").click()
    section = person.page.locator("#compare")
    section.scroll_into_view_if_needed()
    expect(section.locator(".compare-words")).to_have_text(
        "Both jobs are the same; change something in the form."
    )
    return section


def row(section: Locator, name: str) -> Locator:
    return section.locator(".compared tr").filter(has=section.page.locator(f'th:text("{name}")'))


def stop(person: Person) -> None:
    person.page.locator("#compare-stop").click()
    expect(person.page.locator("#compare")).to_be_hidden()


def test_nothing_is_compared_until_something_is_kept(person: Person) -> None:
    expect(person.page.locator("#compare")).to_be_hidden()
    expect(person.page.locator("#compare-see")).to_be_hidden()


def test_what_changes_in_the_form_stands_beside_what_was_kept(person: Person) -> None:
    """Half the workers: 64 batches of 36.75 MiB fewer, and 8 x 12 pages."""
    section = keep(person)
    person.types("loaders.0.num_workers", "4")
    person.sees("4 GiB")
    section.scroll_into_view_if_needed()
    expect(row(section, "num_workers").locator("td")).to_have_text(["8", "4", ""])
    expect(row(section, "Recommended").locator("td")).to_have_text(["8 GiB", "4 GiB", "4 GiB less"])
    expect(row(section, "Queued batches").locator("td").nth(2)).to_have_text("2.3 GiB less")
    expect(section.locator(".compare-words")).to_have_text(
        "4 GiB now, 4 GiB less than the 8 GiB of the kept job."
    )
    stop(person)


def test_swapped_twice_is_as_before(person: Person) -> None:
    section = keep(person)
    person.types("ranks", "1")
    person.sees("1 GiB")
    for now, kept, size in (("8", "1", "8 GiB"), ("1", "8", "1 GiB")):
        person.page.locator("#compare-swap").click()
        person.sees(size)
        expect(person.input("ranks")).to_have_value(now)
        section.scroll_into_view_if_needed()
        expect(row(section, "Processes (GPUs)").locator("td")).to_have_text([kept, now, ""])
        assert person.focus() == "compare-swap"
    stop(person)


def test_another_job_is_kept_instead(person: Person) -> None:
    section = keep(person)
    person.types("ranks", "1")
    person.sees("1 GiB")
    section.scroll_into_view_if_needed()
    expect(row(section, "Processes (GPUs)")).to_be_visible()
    person.page.locator("#compare-again").click()
    expect(section.locator(".compare-words")).to_contain_text("Both jobs are the same")
    stop(person)


def test_a_preset_is_compared_with_and_the_kept_job_comes_back(person: Person) -> None:
    section = keep(person)
    choice = person.page.locator("#compare-preset")
    choice.select_option("llm-tokens")
    expect(row(section, "Recommended").locator("td")).to_have_text(["1 GiB", "8 GiB", "7 GiB more"])
    choice.select_option("")
    expect(section.locator(".compare-words")).to_contain_text("Both jobs are the same")
    stop(person)


def test_a_preset_picked_in_the_form_is_compared_too(person: Person) -> None:
    section = keep(person)
    person.pick("llm-tokens")
    person.sees("1 GiB")
    section.scroll_into_view_if_needed()
    expect(row(section, "Recommended").locator("td")).to_have_text(["8 GiB", "1 GiB", "7 GiB less"])
    stop(person)


def test_what_is_stopped_is_forgotten(person: Person) -> None:
    keep(person)
    stop(person)
    assert person.focus() == "compare-keep"
    expect(person.page.locator("#say")).to_have_text("No longer compared.")
    person.types("ranks", "4")
    person.sees("4 GiB")
    expect(person.page.locator("#compare")).to_be_hidden()


def test_a_link_brings_both_jobs_and_undo_both_as_they_were(
    person: Person, browser: Browser
) -> None:
    keep(person)
    person.types("loaders.0.num_workers", "4")
    person.sees("4 GiB")
    expect(person.page).to_have_url(re.compile(r"#1;w=4&1$"))
    person.page.locator("#compare-swap").click()
    person.sees("8 GiB")
    expect(person.page).to_have_url(re.compile(r"#1&1;w=4$"))
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    other = Person(context.new_page())
    other.open(person.page.url)
    other.wait_until_live()
    words = other.page.locator(".compare-words")
    expect(words).to_have_text("8 GiB now, 4 GiB more than the 4 GiB of the kept job.")
    assert other.page.url == person.page.url
    assert other.complaints == []
    context.close()
    person.page.locator("#undo").click()
    person.sees("4 GiB")
    expect(person.page).to_have_url(re.compile(r"#1;w=4&1$"))
    expect(person.page.locator(".compare-words")).to_contain_text("4 GiB less than the 8 GiB")
    stop(person)
    expect(person.page).to_have_url(re.compile(r"#1;w=4$"))


def test_a_mistake_in_the_form_leaves_the_comparison(person: Person) -> None:
    section = keep(person)
    person.types("ranks", "0")
    expect(person.page.locator("#ranks-error")).not_to_be_empty()
    expect(section).to_be_visible()
    person.types("ranks", "8")
    person.sees("8 GiB")
    stop(person)


def test_nothing_scrolls_sideways_on_the_narrowest_screen(person: Person) -> None:
    person.page.set_viewport_size({"width": 320, "height": 700})
    keep(person)
    wide = person.page.evaluate("document.documentElement.scrollWidth")
    stop(person)
    person.page.set_viewport_size({"width": 1280, "height": 800})
    assert wide == 320


def test_nothing_was_asked_elsewhere_and_nothing_complained(person: Person, address: str) -> None:
    assert [url for url in person.requests if not url.startswith(address)] == []
    assert person.complaints == []


def test_without_scripts_there_is_nothing_to_compare(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    bare = context.new_page()
    bare.goto(address)
    expect(bare.locator("#compare")).to_be_hidden()
    expect(bare.locator("#compare-keep")).to_be_hidden()
    context.close()
