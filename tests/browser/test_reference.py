"""The folded reference: what an address or a link names is opened and in view."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import Person

LOG = "RuntimeError: received 0 items of ancdata\n"


@pytest.mark.parametrize("place", ["faq-exit-codes", "error-fd_limit", "step-kubernetes"])
def test_an_address_opens_its_entry(page: Page, address: str, place: str) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(f"{address}#{place}")
    inside = page.locator(f"#{place} .inside")
    expect(inside).to_be_visible()
    expect(page.locator(f"#{place} summary").first).to_be_in_viewport()
    expect(page.locator("#faq-measure .inside")).to_be_hidden()
    assert complaints == []


def test_an_address_inside_a_fold_opens_the_fold(page: Page, address: str) -> None:
    page.goto(f"{address}#runtime-azure-ml")
    expect(page.locator("#runtime-azure-ml")).to_be_in_viewport()


def test_a_link_within_the_page_opens_its_entry(person: Person) -> None:
    page = person.page
    page.locator("#faq-open-files summary").click()
    page.locator("#faq-open-files .answer a[href='#error-fd_limit']").click()
    expect(page.locator("#error-fd_limit .inside")).to_be_visible()
    expect(page.locator("#error-fd_limit summary")).to_be_in_viewport()
    page.locator("#error-fd_limit summary").click()
    expect(page.locator("#error-fd_limit .inside")).to_be_hidden()
    page.locator("#faq-open-files .answer a[href='#error-fd_limit']").click()
    expect(page.locator("#error-fd_limit .inside")).to_be_visible()


def test_back_leads_to_the_entry_before(person: Person) -> None:
    page = person.page
    page.evaluate("location.hash = 'faq-measure'")
    expect(page.locator("#faq-measure .inside")).to_be_visible()
    page.evaluate("location.hash = 'faq-tmpdir'")
    page.locator("#faq-measure summary").click()
    page.go_back()
    expect(page.locator("#faq-measure .inside")).to_be_visible()


def test_the_sign_beside_an_entry_is_its_address(person: Person) -> None:
    anchor = person.page.locator("#faq-leftovers .anchor")
    anchor.click()
    expect(person.page).to_have_url(re.compile("#faq-leftovers$"))
    expect(person.page.locator("#faq-leftovers .inside")).to_be_visible()
    box = anchor.bounding_box()
    assert box
    assert min(box["width"], box["height"]) >= 24


def test_what_a_log_says_leads_to_its_entry(person: Person) -> None:
    person.page.locator("#paste").fill(LOG)
    person.page.locator("#paste-result a[href='#error-fd_limit']").click()
    expect(person.page.locator("#error-fd_limit .inside")).to_be_visible()
    expect(person.page.locator("#error-fd_limit summary")).to_be_in_viewport()
    person.page.locator("#paste-result .clear").click()


def test_the_drawing_lies_where_there_is_room_and_stands_where_there_is_none(
    person: Person,
) -> None:
    """Its letters are never below 12 pixels."""
    page = person.page
    for width, shown, other in ((1280, "lying", "standing"), (320, "standing", "lying")):
        page.set_viewport_size({"width": width, "height": 800})
        expect(page.locator(f".flow .{shown}")).to_be_visible()
        expect(page.locator(f".flow .{other}")).to_be_hidden()
        smallest = page.evaluate(
            """name => { const svg = document.querySelector(`.flow .${name}`);
              const scale = svg.getScreenCTM().a;
              return Math.min(...[...svg.querySelectorAll("text")]
                .map((each) => scale * parseFloat(getComputedStyle(each).fontSize))); }""",
            shown,
        )
        assert smallest >= 12
    page.set_viewport_size({"width": 1280, "height": 800})


def test_with_everything_open_nothing_leaves_a_narrow_page(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


STOP_THREAD = "window.Worker = class { postMessage() {} terminate() {} };"
"""The engine stays under way for as long as the page is open."""


def test_what_is_far_arrives_as_text_and_is_there_when_one_comes_near(
    page: Page, address: str
) -> None:
    page.add_init_script(STOP_THREAD)
    page.goto(address)
    assert page.evaluate("document.getElementById('faq-tmpdir')") is None
    assert page.evaluate("document.querySelectorAll('.prose noscript').length") == 9
    page.locator("#faq").scroll_into_view_if_needed()
    page.locator("#faq-tmpdir summary").click()
    expect(page.locator("#faq-tmpdir .inside")).to_be_visible()


@pytest.mark.parametrize("place", ["fit", "notices-title", "measure", "faq", "faq-tmpdir"])
def test_what_is_below_is_there_for_whom_a_link_leads_there(
    page: Page, address: str, place: str
) -> None:
    """Also while Python is under way, which all else waits for."""
    page.add_init_script(STOP_THREAD)
    page.goto(address)
    page.evaluate(
        """(place) => {
          const link = Object.assign(document.createElement("a"), { href: `#${place}` });
          document.querySelector(".top nav").append(link);
          link.click();
        }""",
        place,
    )
    expect(page.locator(f"#{place}")).to_be_in_viewport()
    page.goto("about:blank")
    page.goto(f"{address}#{place}")
    expect(page.locator(f"#{place}")).to_be_in_viewport()


def test_without_the_engine_all_of_it_is_there_before_long(page: Page, address: str) -> None:
    page.add_init_script(STOP_THREAD)
    page.goto(address)
    expect(page.locator(".prose noscript")).to_have_count(0)
    expect(page.locator("#faq-tmpdir")).to_be_attached()


def test_what_one_reads_stays_where_it_is_while_the_rest_arrives(page: Page, address: str) -> None:
    """Opened by its address, in other colours, and by a hash that comes before the rest does."""
    page.add_init_script(STOP_THREAD)
    entry = page.locator("#error-fd_limit")
    page.goto(f"{address}#error-fd_limit")
    expect(entry).to_be_in_viewport()
    before = entry.bounding_box()
    page.wait_for_timeout(5000)
    assert entry.bounding_box() == before
    page.locator("#theme").evaluate(
        """(theme) => {
          theme.value = "dark";
          theme.dispatchEvent(new Event("change", { bubbles: true }));
        }"""
    )
    page.wait_for_timeout(3000)
    assert entry.bounding_box() == before
    page.goto(address)
    page.evaluate("location.hash = 'error-fd_limit'")
    expect(entry).to_be_in_viewport()


def test_scripts_that_take_long_leave_the_page_whole(page: Page, address: str) -> None:
    page.route("**/js/main.js", lambda _: None)  # it never arrives
    page.goto(address, wait_until="commit")
    expect(page.locator("#fit")).to_be_visible()
    expect(page.locator("#faq-tmpdir")).to_be_visible()


def test_a_page_that_is_loaded_anew_keeps_its_place(page: Page, address: str) -> None:
    page.goto(address)
    entry = page.locator("#faq-tmpdir summary")
    expect(entry).to_be_attached()
    entry.scroll_into_view_if_needed()
    page.wait_for_timeout(500)  # the browser notes the place a while after it was scrolled to
    assert page.evaluate("scrollY") > 2000
    page.reload()
    expect(entry).to_be_in_viewport()
