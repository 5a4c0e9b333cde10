"""The two drawings on the live page: to scale, and every value of a curve can be taken over."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, FloatRect, Locator, Page, expect

from calculator import presets
from calculator.curves import curves
from calculator.inputs import gather
from calculator.staircase import staircase
from tests.browser.person import Person

BATCH = 64 * 3 * 224 * 224 * 4
NCCL = 33_030_528


def need(ranks: int = 8, workers: int = 8, prefetch: int = 2) -> int:
    """Return the need of the default job, by hand."""
    batches = (prefetch * workers + 2) * BATCH
    return ranks * (batches + (8 + 3 * workers) * 4096 + (NCCL if ranks > 1 else 0))


def in_gib(value: int) -> str:
    return f"{value / 2**30:.2f} GiB"


def box(locator: Locator) -> FloatRect:
    found = locator.bounding_box()
    assert found is not None
    return found


def looks_at(page: Page, part: str) -> Locator:
    """Scroll to a drawing, and return its part of the page."""
    page.locator(f"#{part}-title").scroll_into_view_if_needed()
    return page.locator(f"[data-part={part}]")


@pytest.fixture
def charts(person: Person) -> Person:
    """Return somebody who looks at the charts."""
    looks_at(person.page, "curves")
    expect(person.page.locator("#curve-ranks-8")).to_have_attribute("aria-pressed", "true")
    expect(person.page.locator("#curve-num-workers-8")).to_have_attribute("aria-pressed", "true")
    return person


# ---------------------------------------------------------------- what if


def test_click_on_a_value_takes_it_over_and_the_focus_stays(charts: Person) -> None:
    button = charts.page.locator("#curve-num-workers-12")
    name = re.compile(rf"^12 workers: {in_gib(need(workers=12))}, more than today's 64 MiB")
    expect(button).to_have_accessible_name(name)
    button.click()
    expect(charts.input("loaders.0.num_workers")).to_have_value("12")
    charts.sees("16 GiB")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(charts.page.locator("#curve-num-workers-8")).to_have_attribute("aria-pressed", "false")
    assert charts.focus() == "curve-num-workers-12"
    expect(charts.page.locator("#answer")).to_contain_text(in_gib(need(workers=12)))


def test_click_into_the_drawing_takes_over_the_value_under_it(charts: Person) -> None:
    drawing = charts.page.locator("#curve-prefetch-factor .drawing")
    drawing.scroll_into_view_if_needed()
    area = box(drawing)
    charts.page.mouse.click(area["x"] + area["width"] * 3.5 / 8, area["y"] + area["height"] / 2)
    expect(charts.input("loaders.0.prefetch_factor")).to_have_value("4")
    expect(charts.page.locator("#curve-prefetch-factor-4")).to_have_attribute(
        "aria-pressed", "true"
    )
    expect(charts.page.locator("#answer")).to_contain_text(in_gib(need(prefetch=4)))


def test_keys_reach_every_value_and_take_it_over(charts: Person) -> None:
    keyboard = charts.page.keyboard
    charts.page.locator("#curve-ranks-1").focus()
    keyboard.press("Tab")
    assert charts.focus() == "curve-ranks-2"
    keyboard.press("Shift+Tab")
    keyboard.press("Enter")
    expect(charts.input("ranks")).to_have_value("1")
    expect(charts.page.locator("#curve-ranks-1")).to_have_attribute("aria-pressed", "true")
    charts.sees("1 GiB")
    assert charts.focus() == "curve-ranks-1"
    keyboard.press("Tab")
    keyboard.press("Space")
    expect(charts.input("ranks")).to_have_value("2")
    assert charts.focus() == "curve-ranks-2"


def test_points_and_lines_are_to_scale(charts: Person) -> None:
    charts.types("current_shm", "3g")
    looks_at(charts.page, "curves")
    expect(charts.page.locator("#curve-num-workers circle.fits")).to_have_count(2)
    field = box(charts.page.locator("#curve-num-workers .edge"))["y"]
    top = box(charts.page.locator("#curve-num-workers .grid").first)["y"]
    whole = 24 * 2**30
    values = [2, 3, 4, 6, 8, 12, 16, 24]
    points = charts.page.locator("#curve-num-workers .area circle").all()
    assert len(points) == len(values)
    for value, point in zip(values, points, strict=True):
        place = box(point)
        expected = field - (field - top) * need(workers=value) / whole
        assert place["y"] + place["height"] / 2 == pytest.approx(expected, abs=1)
        middle = box(charts.page.locator(f"#curve-num-workers-{value}"))
        assert place["x"] + place["width"] / 2 == pytest.approx(
            middle["x"] + middle["width"] / 2, abs=1
        )
    line = box(charts.page.locator("#curve-num-workers .area .today"))["y"]
    assert line == pytest.approx(field - (field - top) * 3 / 24, abs=1)


def test_what_does_nothing_is_not_drawn_and_it_is_said_why(charts: Person) -> None:
    charts.types("loaders.0.batch_size", "")
    part = looks_at(charts.page, "curves")
    expect(part).to_contain_text("batch_size is left out: batch_size=None gives single samples.")
    expect(charts.page.locator("#curve-batch-size")).to_have_count(0)


# ---------------------------------------------------------------- when it fills up


def test_columns_are_to_scale_and_hollow_where_it_does_not_fit(person: Person) -> None:
    person.types("current_shm", "3g")
    part = looks_at(person.page, "filling")
    expect(part.locator(".outcome")).to_contain_text(
        "Batch 2 of worker 2 in process 5 of 8 does not fit"
    )
    bottom = box(part.locator(".steps .edge"))["y"]
    top = box(part.locator(".steps .ours"))["y"]
    scale = (bottom - top) / (8 * 2**30)
    drawn = part.locator(".steps rect.column, .steps rect.hollow")
    before = 8 * (32 * 4096 + NCCL)
    ends = [before + 8 * BATCH * turn for turn in range(19)]
    solid = [*ends[:10], before + 76 * BATCH]
    for locator, expected in (
        (part.locator(".steps rect.column"), solid),
        (part.locator(".steps rect.hollow"), ends[10:]),
    ):
        for rect, end in zip(locator.all(), expected, strict=True):
            assert box(rect)["height"] == pytest.approx(end * scale, abs=1)
            assert box(rect)["y"] == pytest.approx(bottom - end * scale, abs=1)
    assert drawn.count() == 20
    line = box(part.locator(".steps line.today"))["y"]
    assert line == pytest.approx(bottom - 3 * 2**30 * scale, abs=1)
    sign = box(part.locator(".steps line.broken"))["x"]
    tenth = box(part.locator(".steps rect.hollow").first)
    assert sign == pytest.approx(tenth["x"] + tenth["width"] / 2, abs=1)


def test_steps_stand_in_a_table_that_stays_open(person: Person) -> None:
    person.types("current_shm", "3g")
    fold = looks_at(person.page, "filling").locator("#filling-steps")
    fold.locator("summary").click()
    rows = fold.locator("tbody tr")
    expect(rows).to_have_count(19)
    expect(rows.last).to_contain_text(in_gib(need()))
    expect(rows.nth(10)).to_contain_text("partly")
    person.types("loaders.0.num_workers", "4")
    looks_at(person.page, "filling")
    expect(rows.last).to_contain_text(in_gib(need(workers=4)))
    expect(fold).to_have_attribute("open", "")
    expect(fold.get_by_role("region", name="The steps")).to_be_visible()
    fold.locator("summary").click()


def test_drawing_says_in_words_what_it_shows(person: Person) -> None:
    person.types("current_shm", "8g")
    part = looks_at(person.page, "filling")
    expect(part.locator(".outcome")).to_have_text(
        f"It never fills: at most {in_gib(need())} of 8 GiB."
    )
    expect(part.get_by_role("img", name="144 batches fill /dev/shm step by step")).to_be_visible()
    expect(part.locator(".broken, .hollow")).to_have_count(0)


def test_message_is_where_the_link_leads(person: Person) -> None:
    person.types("ranks", "1")
    part = looks_at(person.page, "filling")
    link = part.get_by_role("link", name="The message")
    expect(link).to_have_attribute("href", "#version-no-space-left")
    assert person.page.locator("#version-no-space-left").count() == 1


# ---------------------------------------------------------------- small screens, no scripts


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """Return a page of a small phone."""
    context = browser.new_context(viewport={"width": 320, "height": 700})
    yield context.new_page()
    context.close()


TOO_SMALL = """() => [...document.querySelectorAll(".values")].flatMap((row) => {
  const buttons = [...row.querySelectorAll("button")];
  const places = buttons.map((each) => each.getBoundingClientRect());
  const fits = (each, { width, height, right }, next) => width >= 24 && height >= 24
    && each.scrollWidth <= each.clientWidth + 1 && (!next || right <= next.left + 0.5);
  return buttons.filter((each, i) => !fits(each, places[i], places[i + 1])).map(({ id }) => id);
})"""


def test_values_can_be_hit_on_a_small_phone(phone: Page, address: str) -> None:
    """None is below 24 pixels or over another, nor is its text wider than itself."""
    person = Person(phone)
    person.open(address)
    person.wait_until_live()
    for batch in ("64", "6400", "123456"):
        person.types("loaders.0.batch_size", batch)
        looks_at(phone, "curves")
        expect(phone.locator(f"#curve-batch-size-{batch}")).to_be_visible()
        small = phone.evaluate(TOO_SMALL)
        assert small == []
        assert phone.evaluate("document.documentElement.scrollWidth") <= 320


def test_drawings_stand_without_scripts_and_their_values_as_text(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for preset in ("medical-3d", "nnunet-3d"):
        page.goto(f"{address}p/{preset}.html")
        workload = presets.load(preset).workload
        for chart in curves(workload).charts:
            values = page.locator(f"#curve-{chart.id} .value span")
            assert values.all_text_contents() == [str(point.value) for point in chart.points]
            expect(values.first).to_be_visible()
            expect(page.locator(f"#curve-{chart.id} button").first).to_be_hidden()
            expect(page.locator(f"#curve-{chart.id} .area circle").first).to_be_visible()
        columns = page.locator(".steps rect.column, .steps rect.hollow:not(:has(+ .column))")
        assert columns.count() == len(staircase(workload).columns)
    context.close()


def test_charts_agree_with_the_engine_after_several_clicks(charts: Person) -> None:
    for button in ("num-workers-16", "batch-size-32", "prefetch-factor-3"):
        charts.page.locator(f"#curve-{button}").click()
        expect(charts.page.locator(f"#curve-{button}")).to_have_attribute("aria-pressed", "true")
    changes = {
        "loaders.0.num_workers": 16,
        "loaders.0.batch_size": 32,
        "loaders.0.prefetch_factor": 3,
    }
    for chart in curves(gather(None, None, changes)).charts:
        expect(charts.page.locator(f"#curve-{chart.id} button")).to_have_text(
            [str(point.value) for point in chart.points]
        )
