"""Where things are: what one sees first, and that nothing is cut off."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect

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


def lay_out_everything(page: Page) -> None:
    """Have what is far from view laid out, and nothing clipped where its section ends."""
    page.evaluate(
        """document.querySelectorAll("main section")
          .forEach((each) => (each.style.contentVisibility = "visible"))"""
    )


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
    lay_out_everything(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_a_link_to_the_blocks_leads_to_where_they_are_seen(person: Person) -> None:
    """From far below, where the answer stands above the card that holds them."""
    page = person.page
    page.set_viewport_size({"width": 1280, "height": 900})
    for link in ("#measure a[href='#block-probe']", ".top a[href='#place']"):
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        page.evaluate("(link) => document.querySelector(link).click()", link)
        answer, place = box(page.locator("#answer")), box(page.locator("#place"))
        assert answer["y"] >= 0
        assert answer["y"] + answer["height"] <= place["y"]
        assert place["y"] + 200 <= 900


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


def test_answer_stays_in_view_while_one_edits_the_lowest_input(person: Person) -> None:
    page = person.page
    page.evaluate("document.querySelectorAll('#form details').forEach((e) => (e.open = true))")
    lowest = page.locator("#form [name]").last
    lowest.focus()
    lowest.scroll_into_view_if_needed()
    expect(lowest).to_be_in_viewport()
    for part in ("#answer .badge", "#recommended"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    page.evaluate("document.querySelectorAll('#form details').forEach((e) => (e.open = false))")


def test_first_screen_has_room_to_spare(person: Person) -> None:
    """What others add to the answer and to the block must not push it out of sight."""
    person.pick("images-8gpu")
    person.page.evaluate("scrollTo(0, 0)")
    block = box(person.page.locator("#chosen figure"))
    assert block["y"] + block["height"] <= 760


# ---------------------------------------------------------------- help


@pytest.mark.parametrize(("width", "touch"), [(1280, False), (390, True), (320, True)])
def test_help_is_there_for_whoever_is_in_an_input_and_moves_nothing(
    browser: Browser, address: str, width: int, touch: bool
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, has_touch=touch)
    page = context.new_page()
    page.goto(address)
    expect(page.locator("#find-preset")).to_be_visible()  # scripts run
    tops = "[...document.querySelectorAll('#form [name]')].map((each) => each.offsetTop)"
    before = page.evaluate(tops)
    for name in ("ranks", "loaders.0.batch_size", "loaders.0.fields.0.dtype", "current_shm"):
        field = page.locator(f'[name="{name}"]')
        described = (field.get_attribute("aria-describedby") or "").split()
        text = page.locator(f"#{described[0]}")
        expect(text).to_be_hidden()
        field.tap() if touch else field.focus()
        expect(text).to_be_visible()
        expect(text).not_to_be_empty()
        assert page.evaluate(HIDDEN_BY, described[0]) == []
        assert page.evaluate(tops) == before
    context.close()


HIDDEN_BY = """(id) => {
  const help = document.getElementById(id).getBoundingClientRect();
  if (help.left < 0 || help.right > innerWidth) return ["the edge of the screen"];
  const near = "#form :is(input, select, button), .presets :is(a, summary)";
  return [...document.querySelectorAll(near)]
    .filter((each) => each.checkVisibility())
    .filter((each) => {
      const { left, right, top, bottom } = each.getBoundingClientRect();
      return left < help.right && right > help.left && top < help.bottom && bottom > help.top;
    }).map((each) => each.id || each.textContent);
}"""
"""What somebody may want to hit while the help with this id is shown, and cannot see."""


# ---------------------------------------------------------------- folds


def test_a_closed_fold_says_how_much_in_it_was_changed(person: Person) -> None:
    page = person.page
    state = page.locator("#more-memory .fold-state")
    expect(state).to_be_empty()
    person.types("headroom", "25%")
    expect(state).to_have_text("1 changed")
    person.types("machine_memory", "512g")
    expect(state).to_have_text("2 changed")
    page.locator("#more-memory > summary").click()
    expect(state).to_be_visible()
    page.locator("#loaders-0-fields-add").click()  # the form is rendered anew
    expect(person.input("loaders.0.fields.1.name")).to_have_value("label")
    expect(state).to_have_text("2 changed")
    person.types("headroom", "10%")
    expect(state).to_have_text("1 changed")
    for untouched in ("#more", "#more-processes", "#more-others", "#deployment"):
        expect(page.locator(f"{untouched} .fold-state")).to_be_empty()


def test_a_workload_shows_what_it_sets_in_a_closed_fold(person: Person) -> None:
    person.pick("openclip")  # pin_memory is all it sets there
    expect(person.page.locator("#more .fold-state")).to_have_text("1 changed")


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


RENDERED = (
    """(id) => document.getElementById(id).checkVisibility({ contentVisibilityAuto: true })"""
)


def test_the_page_is_laid_out_in_slices_and_soon_all_of_it(browser: Browser, address: str) -> None:
    """What is far from view waits at first; readers are told of it only once it is laid out."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.route("**/js/main.js", lambda route: route.abort())
    page.goto(address)
    assert page.evaluate(RENDERED, "notices-title")
    assert not page.evaluate(RENDERED, "faq")
    page.unroute("**/js/main.js")
    page.goto(address)
    page.wait_for_function(RENDERED, arg="faq")
    assert page.evaluate("scrollY") == 0
    session = context.new_cdp_session(page)
    names = {
        node["name"]["value"]
        for node in session.send("Accessibility.getFullAXTree")["nodes"]
        if node["role"]["value"] == "heading" and not node["ignored"]
    }
    assert {"Questions", "Step by step", "Measured"} <= names
    context.close()
