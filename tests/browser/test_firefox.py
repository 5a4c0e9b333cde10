"""The main job in Firefox: size, edits, copies, paste, links, and starting again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from calculator import presets, report
from calculator.inputs import gather
from tests.browser.test_paste import COMPOSE, DF, LOG, SHM
from tests.support import firefox
from tests.support.firefox import Firefox

MARKED = "document.querySelector('[data-before]') !== null"


@pytest.fixture(scope="module")
def started() -> Iterator[Firefox]:
    """Start Firefox once."""
    with firefox.running() as browser:
        yield browser


@pytest.fixture
def person(started: Firefox, address: str) -> Firefox:
    """Return somebody before the live page with the default job; one start does for all.

    The answer may look like that already: that the form is another one says that it has come.
    """
    if not is_live(started, address):
        started.begin()
        started.open(address)
        started.sees("#status", "Live")
    started.evaluate("document.querySelector('#form fieldset').dataset.before = true")
    started.click("#preset-images-8gpu")
    started.waits(lambda: not started.evaluate(MARKED), "the default job")
    started.sees("#recommended", "8 GiB")
    return started


def is_live(browser: Firefox, address: str) -> bool:
    """Tell whether the page of this address is open and live."""
    at = f"location.href.startsWith({address!r}) && document.getElementById('status')?.textContent"
    return bool(browser.has_page() and browser.evaluate(at) == "Live")


def named(path: str) -> str:
    """Return the selector of an input."""
    return f'[name="{path}"]'


def value(person: Firefox, path: str) -> str:
    """Return what stands in an input."""
    return str(person.evaluate(f"document.querySelector('{named(path)}').value"))


def test_it_is_firefox(started: Firefox) -> None:
    assert started.version().lower().startswith("firefox/")


@pytest.mark.parametrize(
    ("preset", "size"), [("llm-tokens", "1 GiB"), ("video-diffusion", "16 GiB")]
)
def test_a_preset_gives_the_engines_size_and_block(person: Firefox, preset: str, size: str) -> None:
    person.click(f"#preset-{preset}")
    person.sees("#recommended", size)
    first = report.build(presets.load(preset).workload).targets[0].text
    person.waits(lambda: person.text("#chosen pre") == first.strip(), "the block")


def test_every_edit_is_answered(person: Firefox) -> None:
    person.types(named("loaders.0.num_workers"), "16")
    person.sees("#recommended", "16 GiB")
    person.sees("#chosen pre", "--shm-size=16g")
    person.types(named("ranks"), "1")
    person.sees("#recommended", "2 GiB")


def test_a_mistake_is_said_where_it_is(person: Firefox) -> None:
    person.types(named("loaders.0.batch_size"), "many")
    person.sees('[data-error-for="loaders.0.batch_size"]', "a whole number")
    person.types(named("loaders.0.batch_size"), "32")
    person.sees("#recommended", "4 GiB")


def test_a_copied_block_can_be_pasted(person: Firefox) -> None:
    """What the button put on the clipboard is what comes back out of it."""
    block = report.build(gather(None, None, {}), targets=["docker-run"]).targets[0].text
    person.click("#chosen .copy")
    person.sees("#chosen .copy", "Copied")
    person.press("#paste", "Control+V")
    pasted = person.evaluate("document.getElementById('paste').value")
    assert str(pasted).strip() == block.strip()


def test_a_log_is_explained(person: Firefox) -> None:
    fill(person, LOG)
    person.sees("#paste-result h3", SHM)
    person.sees("#paste-result .evidence", "killed by signal: Bus error")


def test_df_goes_into_the_form_and_out_again(person: Firefox) -> None:
    fill(person, DF)
    person.waits(lambda: value(person, "current_shm") == "2 GiB", "the size in the form")
    person.click("#paste-result .undo")
    person.waits(lambda: value(person, "current_shm") == "64 MiB", "the size as it was")


def test_a_manifest_is_mended(person: Firefox) -> None:
    fill(person, COMPOSE)
    person.sees("#paste-result figure pre", "shm_size: 8g")


def fill(person: Firefox, text: str) -> None:
    """Put a text into the box, as pasting does."""
    person.evaluate(
        f"""(() => {{ const box = document.getElementById("paste");
          box.value = {text!r};
          box.dispatchEvent(new Event("input", {{ bubbles: true }})); }})()"""
    )


def test_a_click_on_what_if_takes_it_over(person: Firefox) -> None:
    person.evaluate("document.querySelector('[data-part=curves]').scrollIntoView()")
    person.waits(
        lambda: person.evaluate("document.querySelectorAll('[data-part=curves] svg').length > 0"),
        "the drawings",
    )


def test_dark_is_dark(person: Firefox) -> None:
    background = "getComputedStyle(document.documentElement).backgroundColor"
    person.evaluate(
        """(() => { const theme = document.getElementById("theme"); theme.value = "dark";
          theme.dispatchEvent(new Event("change", { bubbles: true })); })()"""
    )
    dark = person.evaluate(background)
    person.evaluate(
        """(() => { const theme = document.getElementById("theme"); theme.value = "light";
          theme.dispatchEvent(new Event("change", { bubbles: true })); })()"""
    )
    assert dark != person.evaluate(background)
    assert sum(map(int, str(dark)[4:-1].split(","))) < 3 * 64


def test_nothing_complained_and_nothing_else_was_asked_for(person: Firefox, address: str) -> None:
    assert person.complaints() == []
    asked = person.requests()
    assert any(url.startswith(address) for url in asked)
    assert [url for url in asked if not url.startswith((address, "blob:", "data:"))] == []


def in_address(person: Firefox, *words: str) -> bool:
    """Tell whether the address has all of these behind its #."""
    fragment = person.evaluate("location.hash")
    return all(word in fragment for word in words)


def test_a_link_brings_the_job_to_another_browser(person: Firefox) -> None:
    person.types(named("ranks"), "4")
    person.types(named("loaders.0.num_workers"), "16")
    person.sees("#recommended", "8 GiB")
    person.waits(lambda: in_address(person, "r=4", "w=16"), "the address")
    link = person.evaluate("location.href")
    person.begin()
    person.open(link)
    person.sees("#status", "Live")
    person.waits(lambda: value(person, "ranks") == "4", "the ranks of the link")
    assert value(person, "loaders.0.num_workers") == "16"


def test_the_answer_is_there_before_python_is(started: Firefox, address: str) -> None:
    started.begin()
    started.open(f"{address}p/medical-3d.html")
    assert started.text("#recommended") == "8 GiB"
    assert "Live" not in started.text("#status")
    started.sees("#status", "Live")
    assert started.complaints() == []
