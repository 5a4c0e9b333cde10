"""Everyone can use the page: by keyboard, by ear, large, in any colours, without motion."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.person import START_MS, Person
from tests.support import axe

THEMES = ("light", "dark")
WIDTHS = (1280, 390)

LOG = (
    "RuntimeError: DataLoader worker (pid 123) is killed by signal: Bus error. It is possible that "
    "dataloader's workers are out of shared memory. Please try to raise your shared memory limit."
)
COMPOSE = "services:\n  trainer:\n    image: pytorch/pytorch\n    deploy: {}\n"


def open_folds(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Return a context that lets axe into the page, past its policy."""
    made = browser.new_context(
        viewport={"width": 1280, "height": 800}, bypass_csp=True, accept_downloads=True
    )
    yield made
    made.close()


@pytest.fixture(scope="module")
def started(context: BrowserContext, address: str) -> Person:
    """Open the page once a module and wait for the engine."""
    person = Person(context.new_page())
    person.open(address)
    person.wait_until_live()
    return person


@pytest.fixture
def live(started: Person) -> Iterator[Person]:
    """Return the live page with the default workload, wide and light; and leave it so."""
    yield started
    page = started.page
    page.emulate_media(
        media="null", color_scheme="light", forced_colors="none", reduced_motion="no-preference"
    )
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("#unit").select_option("auto")
    page.locator("#theme").select_option("auto")
    if page.locator("#paste-result").is_visible():
        page.locator("#paste-result .clear").click()
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = false; })")
    started.pick("images-8gpu")
    started.sees("8 GiB")
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")


# ---------------------------------------------------------------- axe


@pytest.mark.parametrize(("theme", "width"), list(itertools.product(THEMES, WIDTHS)))
def test_no_rule_of_accessibility_is_broken(live: Person, theme: Any, width: int) -> None:
    """As it opens, with every fold open, with mistakes, with a log and a file read.

    In the dark only the colours are others.
    """
    rules = ("color-contrast",) if theme == "dark" else ()
    page = live.page
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 800})
    found = {"as it opens": axe.violations(page, *rules)}
    open_folds(page)
    found["folds open"] = axe.violations(page, *rules)
    live.types("ranks", "none")
    live.types("current_shm", "lots")
    expect(page.locator("#current-shm-error")).to_be_visible()
    page.locator("#paste").fill(LOG)
    expect(page.locator("#paste-result h3")).to_be_visible(timeout=START_MS)
    found["mistakes, and a log"] = axe.violations(page, *rules)
    live.types("ranks", "8")
    live.types("current_shm", "64m")
    page.locator("#paste").fill(COMPOSE)
    expect(page.locator("#paste-result [data-download]")).to_be_visible(timeout=START_MS)
    found["a file"] = axe.violations(page, *rules)
    assert {state: each for state, each in found.items() if each} == {}


def test_axe_finds_what_is_wrong(live: Person) -> None:
    """A page without a fault and a test without eyes look the same."""
    page = live.page
    page.evaluate(
        """document.querySelector("main").insertAdjacentHTML("afterbegin",
          '<div id="wrong"><img src="favicon.svg"><button></button></div>')"""
    )
    found = axe.violations(page)
    page.evaluate("document.getElementById('wrong').remove()")
    assert {each.partition(":")[0] for each in found} == {"image-alt", "button-name"}


@pytest.mark.parametrize("theme", THEMES)
def test_a_workloads_page_that_cannot_start_breaks_none(
    browser: Browser, address: str, theme: Any
) -> None:
    context = browser.new_context(bypass_csp=True, color_scheme=theme)
    page = context.new_page()
    context.route("**/*.wasm", lambda route: route.abort())
    page.goto(f"{address}p/medical-3d.html")
    expect(page.locator("#failure")).to_be_visible(timeout=START_MS)
    open_folds(page)
    assert axe.violations(page) == []
    context.close()


def test_a_page_without_scripts_breaks_none(browser: Browser, address: str) -> None:
    """Every block of every platform stands in it, unfolded."""
    context = browser.new_context(bypass_csp=True)
    context.route("**/js/main.js", lambda route: route.abort())
    page = context.new_page()
    page.goto(address)
    open_folds(page)
    assert axe.violations(page) == []
    context.close()


# ---------------------------------------------------------------- by ear

NAMED = {"button", "textbox", "combobox", "checkbox", "link", "tab", "searchbox", "img", "region"}


def test_every_control_has_a_name(live: Person) -> None:
    """As the browser tells it to a screen reader."""
    page = live.page
    open_folds(page)
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    roles = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node["ignored"] and node["role"]["value"] in NAMED
    ]
    assert len(roles) > 100
    assert [role for role, name in roles if not name.strip()] == []
    session.detach()


CHANGES = {
    "a workload": ("#preset-llm-tokens", "1 GiB of /dev/shm. Critical: it will not survive."),
    "a fix": ("#fix-wide_images", "2 GiB of /dev/shm. Critical: it will not survive."),
}


@pytest.mark.parametrize(("button", "sentence"), CHANGES.values(), ids=CHANGES)
def test_a_change_is_said_once(live: Person, button: str, sentence: str) -> None:
    said = listen(live.page)
    live.page.locator(button).click()
    live.page.wait_for_timeout(2500)
    assert said() == [sentence]


def test_typing_is_said_once_it_rests(live: Person) -> None:
    said = listen(live.page)
    workers = live.input("loaders.0.num_workers")
    workers.fill("")
    workers.press_sequentially("16", delay=60)
    live.sees("16 GiB")
    live.page.wait_for_timeout(1500)
    assert said() == ["16 GiB of /dev/shm. Critical: it will not survive."]
    workers.fill("-1")
    live.page.wait_for_timeout(1500)
    assert said()[1:] == ["num_workers must be at least 0."]


def listen(page: Page) -> Any:
    """Return what gives the sentences that the live region has had since."""
    page.wait_for_timeout(1000)  # what came before has been said by then
    page.evaluate(
        """() => { window.sentences = [];
          window.listener?.disconnect();
          window.listener = new MutationObserver(() => {
            const text = document.getElementById("say").textContent.trim();
            if (text) window.sentences.push(text);
          });
          window.listener.observe(document.getElementById("say"), { childList: true }); }"""
    )
    assert page.locator("#say").get_attribute("aria-live") == "polite"
    return lambda: page.evaluate("window.sentences")


# ---------------------------------------------------------------- by keyboard

STOP = """() => {
  const it = document.activeElement;
  if (it === document.body) return null;
  const all = [...document.querySelectorAll("*")];
  const style = getComputedStyle(it.matches("#paste-file") ? it.previousElementSibling : it);
  const box = it.getBoundingClientRect();
  const [from, to] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
  const points = [0.1, 0.3, 0.5, 0.7, 0.9].map((share) => document.elementFromPoint(
    box.x + Math.min(box.width, 20) / 2, from + share * (to - from)));
  const shown = points.some((point) => point && (it.contains(point) || point.contains(it)));
  return {
    name: it.id || it.textContent.trim().slice(0, 40),
    at: all.indexOf(it),
    outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
      && style.outlineColor !== "rgba(0, 0, 0, 0)",
    covered: !it.matches(".unseen") && !shown,
    y: Math.round(box.y + scrollY),
  };
}"""


def stops(page: Page) -> list[dict[str, Any]]:
    """Press Tab from the top to the end and return where the focus stood."""
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    page.locator(".skip").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")  # a focus that a key brought is drawn
    found = [page.evaluate(STOP)]
    for _ in range(1200):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is None or stop["at"] <= found[0]["at"]:
            return found
        found.append(stop)
    pytest.fail("Tab comes to no end")


def test_tab_follows_the_page_and_is_always_seen(live: Person) -> None:
    page = live.page
    page.emulate_media(reduced_motion="reduce")
    open_folds(page)
    found = stops(page)
    assert len(found) > 100
    assert [each["at"] for each in found] == sorted(each["at"] for each in found)
    assert [each["name"] for each in found if not each["outlined"]] == []
    assert [each["name"] for each in found if each["covered"]] == []


def test_a_phone_is_led_through_the_form_before_the_configuration(live: Person) -> None:
    """The answer stands above both there; a link to it stays in view."""
    page = live.page
    page.set_viewport_size({"width": 390, "height": 800})
    page.locator(".slim a").focus()
    cards = []
    for _ in range(60):
        page.keyboard.press("Tab")
        cards.append(page.evaluate("document.activeElement.closest('#job, #place, .slim')?.id"))
    assert [card for card, _ in itertools.groupby(filter(None, cards))] == ["job", "place"]


@pytest.mark.parametrize(
    ("number", "name", "lands"),
    [(0, "Skip to the workloads", "paste"), (1, "Skip to the form", "ranks")],
)
def test_a_skip_link_passes_the_header_and_is_not_in_the_way(
    live: Person, number: int, name: str, lands: str
) -> None:
    page = live.page
    skip = page.locator(".skip").nth(number)
    box = skip.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 0, "seen only while it has the focus"
    expect(skip).to_have_text(name)
    page.locator(".skip").first.focus()
    for _ in range(number):
        page.keyboard.press("Tab")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport(ratio=1)
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert live.focus() == lands


def test_keyboard_alone_chooses_a_unit_a_theme_a_fix_and_a_file(
    live: Person, tmp_path: Path
) -> None:
    page, keyboard = live.page, live.page.keyboard
    page.emulate_media(reduced_motion="reduce")
    page.locator(".brand").focus()
    tab_to(live, "unit")
    keyboard.press("ArrowDown")
    live.sees("8,192 MiB")
    keyboard.press("ArrowDown")
    live.sees("8 GiB")
    tab_to(live, "theme")
    keyboard.press("d")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    tab_to(live, "paste")
    keyboard.insert_text(COMPOSE)
    expect(page.locator("#paste-result [data-download]")).to_be_visible(timeout=START_MS)
    for _ in range(12):
        keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('[data-download]')"):
            break
    with page.expect_download() as waited:
        keyboard.press("Enter")
    waited.value.save_as(tmp_path / "compose.yaml")
    assert "shm_size: 8g" in (tmp_path / "compose.yaml").read_text("utf-8")
    tab_to(live, "fix-wide_images")
    keyboard.press("Enter")
    live.sees("2 GiB")
    assert live.focus() == "notices-title"


def tab_to(person: Person, wanted: str) -> None:
    """Press Tab until the focus is where it is wanted."""
    for _ in range(120):
        person.page.keyboard.press("Tab")
        if person.focus() == wanted:
            return
    pytest.fail(f"Tab does not lead to {wanted}")


# ---------------------------------------------------------------- by hand


def test_leaving_the_empty_box_moves_nothing_away_under_the_pointer(live: Person) -> None:
    live.page.locator("#paste").click()
    chip = live.page.locator("#preset-llm-tokens")
    before = chip.bounding_box()
    live.page.locator("#title").click()
    assert chip.bounding_box() == before


# ---------------------------------------------------------------- large

CUT = """(width) => {
  const scrolls = (each) => ["auto", "scroll"].includes(getComputedStyle(each).overflowX);
  const hides = (each) => ["hidden", "clip"].includes(getComputedStyle(each).overflowX);
  const inScroll = (each) => each && (scrolls(each) || inScroll(each.parentElement));
  const seen = [...document.querySelectorAll("body *")].filter((each) => each.checkVisibility()
    && !each.closest(".unseen, .skip, svg, label") && each.getBoundingClientRect().width > 1);
  const out = seen.filter((each) => {
    const { left, right } = each.getBoundingClientRect();
    return (left < -1 || right > width + 1) && !inScroll(each.parentElement);
  });
  const cut = seen.filter((each) => hides(each) && !each.matches("input, select, textarea")
    && each.scrollWidth > each.clientWidth + 1);
  return [...out, ...cut].map((each) => `${each.tagName} ${each.className} ${each.id}`);
}"""


@pytest.mark.parametrize("height", [800, 256], ids=["a narrow window", "1280 px at 400 %"])
def test_at_320_pixels_nothing_is_lost_and_nothing_scrolls_sideways(
    live: Person, height: int
) -> None:
    page = live.page
    page.set_viewport_size({"width": 320, "height": height})
    open_folds(page)
    live.types("ranks", "none")
    page.locator("#paste").fill(COMPOSE)
    expect(page.locator("#paste-result [data-download]")).to_be_visible(timeout=START_MS)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert page.evaluate(CUT, 320) == []
    live.types("ranks", "8")


def test_at_400_percent_the_focus_is_never_under_the_bar(live: Person) -> None:
    page = live.page
    page.set_viewport_size({"width": 320, "height": 256})
    page.emulate_media(reduced_motion="reduce")
    found = stops(page)
    assert len(found) > 60
    assert [each["name"] for each in found if each["covered"]] == []


# ---------------------------------------------------------------- in any colours


def style(page: Page, selector: str, *names: str) -> list[str]:
    found = page.locator(selector).first.evaluate(
        "(each, names) => names.map((name) => getComputedStyle(each)[name])", list(names)
    )
    return [str(each) for each in found]


def test_forced_colours_keep_what_colour_says(live: Person) -> None:
    page = live.page
    page.emulate_media(forced_colors="active")
    assert page.evaluate("matchMedia('(forced-colors: active)').matches")
    canvas = style(page, "body", "backgroundColor")[0]
    for selector in (".badge", ".notices li", "#chosen .block", ".chip"):
        kind, width, color = style(
            page, selector, "borderTopStyle", "borderTopWidth", "borderTopColor"
        )
        assert (kind, width) == ("solid", "1px"), selector
        assert color != canvas, selector
    fills = {kind: style(page, f".bar {kind}", "fill")[0] for kind in PARTS}
    assert len(set(fills.values())) == len(PARTS), fills
    assert canvas not in fills.values()
    for selector in (".bar .mark.ours", ".bar text.ours", ".bar text.today", ".badge .icon path"):
        assert style(page, selector, "fill")[0] != canvas, selector
    for some in ("#preset-{}", '.targets [data-target="{}"]'):
        chosen, other = (
            style(page, some.format(name), "backgroundColor")[0] for name in PAIRS[some]
        )
        assert chosen != other, some
    chosen, other = (
        style(page, f".groups a{state}", "borderBottomColor")[0]
        for state in ('[aria-selected="true"]', '[aria-selected="false"]')
    )
    assert chosen != other


PARTS = (".free", ".part.queued", ".part.held", ".part.handover", ".part.nccl")
PAIRS = {
    "#preset-{}": ("images-8gpu", "medical-3d"),
    '.targets [data-target="{}"]': ("docker-run", "compose"),
}

CONTRAST = 3.0
"""What WCAG 1.4.11 asks of parts of a drawing that one has to tell from what they lie on."""


@pytest.mark.parametrize("theme", THEMES)
def test_marks_of_the_drawing_stand_out(live: Person, theme: Any) -> None:
    page = live.page
    page.emulate_media(color_scheme=theme)
    card = style(page, "#answer", "backgroundColor")[0]
    for selector in (".mark.ours", ".mark.today", "text.ours", "text.today", ".part.queued"):
        fill = style(page, f".bar {selector}", "fill")[0]
        assert contrast(fill, card) >= CONTRAST, selector


def contrast(one: str, other: str) -> float:
    """Compute WCAG's contrast of two colours `rgb(r, g, b)`."""
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def luminance(color: str) -> float:
    channels = [int(each) / 255 for each in re.findall(r"\d+", color)[:3]]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


# ---------------------------------------------------------------- without motion

RUNNING = """() => document.getAnimations()
  .filter((each) => each.playState === "running").map((each) => each.animationName)"""


@pytest.mark.parametrize(
    ("wish", "animations", "scrolling"),
    [("no-preference", ["breathe"], "auto"), ("reduce", [], "auto")],
)
def test_nothing_moves_for_who_does_not_want_it(
    browser: Browser, address: str, wish: Any, animations: list[str], scrolling: str
) -> None:
    """While Python loads a dot breathes, but not then."""
    context = browser.new_context(reduced_motion=wish)
    page = context.new_page()
    context.route("**/pyodide.asm.wasm", lambda _: None)  # held back for ever
    page.goto(address)
    expect(page.locator("#status")).to_have_attribute("data-state", "loading")
    assert page.evaluate(RUNNING) == animations
    assert style(page, "html", "scrollBehavior") == [scrolling]
    context.close()
