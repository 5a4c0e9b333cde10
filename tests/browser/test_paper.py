"""The page on paper: what is asked for, why, and how; in full, up to date, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import Person

AT_MOST_PAGES = 2


@pytest.fixture
def paper(person: Person) -> Iterator[Page]:
    """Return the live page as a printer sees it."""
    person.page.emulate_media(media="print")
    yield person.page
    person.page.emulate_media(media="null", color_scheme="light")


SEEN = {
    "the job": "[data-part=job]",
    "each input": ".told dt",
    "the size": "#recommended",
    "the badge": ".badge",
    "the bar": ".bar .part",
    "the configuration": "#chosen pre",
    "how to see it in effect": "#chosen .advice",
    "warnings": "#notice-existing_smaller",
    "the sum": ".to-size",
    "container memory": "#memory",
    "version": "footer",
    "address": "#here",
}

UNSEEN = {
    "header": "header.top",
    "title of the calculator": "#title",
    "form": "#form",
    "presets": ".presets",
    "paste": "#paste",
    "platforms": ".platforms",
    "tools": "#print",
    "copy": ".copy",
    "crash": "[data-part=crash]",
    "reference": ".reference",
    "rules of thumb": "section[aria-labelledby=rules]",
}


@pytest.mark.parametrize("selector", SEEN.values(), ids=SEEN)
def test_is_printed(paper: Page, selector: str) -> None:
    expect(paper.locator(selector).first).to_be_visible()


@pytest.mark.parametrize("selector", UNSEEN.values(), ids=UNSEEN)
def test_is_not_printed(paper: Page, selector: str) -> None:
    expect(paper.locator(selector).first).to_be_hidden()


def test_on_the_screen_nothing_of_the_paper_is_seen(person: Person) -> None:
    for each in person.page.locator(".paper").all():
        expect(each).to_be_hidden()


def test_what_is_asked_for_stands_in_one_sentence(paper: Page) -> None:
    text = " ".join((paper.locator(".request").text_content() or "").split())
    assert text == (
        "Please give the container in which 8 training processes share /dev/shm 8 GiB of it, and "
        "at least 72 GiB of memory where that is limited. Today /dev/shm has 64 MiB there."
    )


def printing(person: Person) -> str:
    """Press Print and return what would be printed at that moment."""
    body = person.page.locator("body")
    body.evaluate(
        """body => { delete body.dataset.printed;
          window.print = () => {
            body.dataset.printed = document.querySelector("main").textContent;
          }; }"""
    )
    person.page.locator("#print").click()
    expect(body).to_have_attribute("data-printed", re.compile("."))
    return " ".join((body.get_attribute("data-printed") or "").split())


def test_the_button_prints_what_was_typed_last(person: Person) -> None:
    """The parts out of view are asked for first; the last edit may not even be answered yet."""
    person.page.evaluate("scrollTo(0, 0)")
    person.page.evaluate(
        """() => {
          const workers = document.getElementById("loaders-0-num-workers");
          workers.value = "16";
          workers.dispatchEvent(new Event("input", { bubbles: true }));
        }"""
    )
    text = printing(person)
    assert "share /dev/shm 16 GiB of it" in text
    assert "num_workers16" in text
    assert "8 ranks × 16 workers × 2 prefetched" in text


def test_the_paper_says_where_it_was_computed_and_opens_its_folds(person: Person) -> None:
    page = person.page
    page.evaluate(
        """() => { const fold = document.createElement("details");
          fold.id = "a-fold"; fold.innerHTML = "<summary>x</summary>y";
          document.getElementById("chosen").append(fold);
          dispatchEvent(new Event("beforeprint")); }"""
    )
    assert page.locator("#here").text_content() == page.url
    assert page.locator("#here").get_attribute("href") == page.url
    fold = page.locator("#a-fold")
    expect(fold).to_have_attribute("open", "")
    assert page.locator("#more").get_attribute("open") is None, "what is not printed stays as it is"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(fold).not_to_have_attribute("open", "")
    fold.evaluate("each => each.remove()")


def test_what_answers_an_earlier_input_is_left_out_and_said(person: Person) -> None:
    """A browser's own Print does not wait."""
    page = person.page
    page.evaluate("scrollTo(0, 0)")
    page.emulate_media(media="print")
    expect(page.locator("#partly")).to_be_hidden()
    page.locator("[data-part=why]").evaluate("each => each.toggleAttribute('data-old', true)")
    expect(page.locator(".to-size")).to_be_hidden()
    expect(page.locator("#partly")).to_be_visible()
    page.locator("[data-part=why]").evaluate("each => each.toggleAttribute('data-old', false)")
    page.emulate_media(media="null")
    page.wait_for_timeout(200)  # until the browser has seen that it is out of view again
    old = page.evaluate(
        """async () => {
          const workers = document.getElementById("loaders-0-num-workers");
          const place = document.querySelector("[data-part=job]");
          workers.value = "16";
          workers.dispatchEvent(new Event("input", { bubbles: true }));
          await new Promise((done) => new MutationObserver(done)
            .observe(document.getElementById("answer"), { childList: true, subtree: true }));
          return [place.hasAttribute("data-old"), place.textContent.includes("16 GiB")];
        }"""
    )
    assert old == [True, False], "it comes in a pause, and says so until then"
    expect(page.locator("[data-part=job]:not([data-old])")).to_contain_text("16 GiB")


def test_an_answer_to_an_earlier_input_says_so(person: Person) -> None:
    person.types("ranks", "none")
    expect(person.page.locator("#stale")).to_be_visible()
    person.page.emulate_media(media="print")
    expect(person.page.locator("#stale")).to_be_visible()
    person.page.emulate_media(media="null")


def test_paper_is_light_whatever_the_theme(paper: Page) -> None:
    paper.emulate_media(media="print", color_scheme="dark")
    paper.evaluate("document.documentElement.dataset.theme = 'dark'")
    try:
        for selector in ("body", "#chosen pre", ".to-size dd"):
            color = paper.locator(selector).first.evaluate("each => getComputedStyle(each).color")
            assert max(map(int, re.findall(r"\d+", color))) < 128, (selector, color)
    finally:
        paper.evaluate("delete document.documentElement.dataset.theme")


@pytest.mark.parametrize(
    ("preset", "target"),
    [
        ("images-8gpu", "docker-run"),
        ("vision-language-8gpu", "kubernetes-pod"),
        ("llm-tokens", "compose"),
    ],
)
def test_it_fits_on_two_sheets(person: Person, preset: str, target: str) -> None:
    person.pick(preset)
    person.finds(target)
    printing(person)
    pdf = person.page.pdf(prefer_css_page_size=True)
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= AT_MOST_PAGES


def test_nothing_complained(person: Person) -> None:
    assert person.complaints == []
