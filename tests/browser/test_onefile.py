"""The single file, alone on a stick and without a network; and the site's pages opened as files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from calculator import presets, report
from calculator.units import size
from tests.browser.person import Person
from web.make import onefile

LOG = (
    "RuntimeError: DataLoader worker (pid 61) is killed by signal: Bus error. "
    "It is possible that dataloader's workers are out of shared memory.\n"
)
COMPOSE = "services:\n  trainer:  # the one\n    image: example/trainer:1\n"


@pytest.fixture(scope="module")
def stick(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of the file on a stick that holds nothing else, by another name."""
    folder = tmp_path_factory.mktemp("a stick, # 1")
    there = folder / "renamed (1).html"
    shutil.copyfile(dist / onefile.NAME, there)
    return there.as_uri()


@pytest.fixture(scope="module")
def offline(browser: Browser) -> Iterator[BrowserContext]:
    """Return a browser's memory, without a network."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    yield context
    context.close()


@pytest.fixture(scope="module")
def booted(offline: BrowserContext, stick: str) -> Person:
    """Open the file once and wait for the engine."""
    person = Person(offline.new_page())
    person.open(stick)
    person.wait_until_live()
    return person


@pytest.fixture
def person(booted: Person) -> Person:
    """Return somebody before the live file, with the default workload and platform."""
    booted.finds("docker-run")
    booted.page.evaluate("document.querySelector('#form fieldset').dataset.before = true")
    booted.pick("images-8gpu")
    expect(booted.page.locator("[data-before]")).to_have_count(0)
    booted.sees("8 GiB")
    return booted


NOTE_STATUS = """
window.said = [];
new MutationObserver(() => {
  const words = document.getElementById("status")?.textContent;
  if (words && words !== said.at(-1)) said.push(words);
}).observe(document, { subtree: true, childList: true, characterData: true });
"""


def test_it_shows_its_answer_before_python_is_there(offline: BrowserContext, stick: str) -> None:
    """It is the first page, right as it stands; it starts unasked and says what it does."""
    page = offline.new_page()
    page.add_init_script(NOTE_STATUS)
    page.goto(stick, wait_until="commit")
    expect(page.locator("#recommended")).to_have_text("8 GiB")
    Person(page).wait_until_live()
    words = ["Unpacking Python…", "Starting Python…", "Loading the engine…", "Live"]
    assert page.evaluate("said") == words
    page.close()


def test_what_is_done_before_python_is_there_is_answered(
    offline: BrowserContext, stick: str
) -> None:
    """No answers stand ready beside it: the engine answers them when it is up."""
    person = Person(offline.new_page())
    person.open(stick)
    person.pick("medical-3d")
    person.types("loaders.0.num_workers", "16")
    expect(person.page.locator("#stale")).to_contain_text("Waiting for Python")
    person.wait_until_live()
    workload = presets.load("medical-3d").workload
    loader = workload.loaders[0].model_copy(update={"num_workers": 16})
    edited = workload.model_copy(update={"loaders": (loader, *workload.loaders[1:])})
    person.sees(size(report.build(edited).shm.recommended_bytes))
    person.page.close()


@pytest.mark.parametrize("preset", ["medical-3d", "llm-tokens", "detr-coco"])
def test_a_workload_is_answered(person: Person, preset: str) -> None:
    found = report.build(presets.load(preset).workload)
    person.pick(preset)
    person.sees(size(found.shm.recommended_bytes))
    expect(person.page.locator("#answer")).to_contain_text(size(found.shm.need_bytes))
    assert found.targets[0].text == person.block()


def test_an_edit_is_answered(person: Person) -> None:
    person.types("loaders.0.num_workers", "16")
    person.sees("16 GiB")
    assert "--shm-size=16g" in person.block()


def test_a_mistake_is_said(person: Person) -> None:
    person.types("loaders.0.num_workers", "-1")
    error = person.page.locator("#loaders-0-num-workers-error")
    expect(error).to_have_text("Must be at least 0.")


def test_another_platform_is_shown(person: Person) -> None:
    person.finds("kubernetes-pod")
    expect(person.page.locator("#chosen pre")).to_contain_text("sizeLimit: 8Gi")


@pytest.mark.parametrize(("text", "said"), [(LOG, "killed by signal"), (COMPOSE, "shm_size: 8g")])
def test_a_pasted_text_is_read(person: Person, text: str, said: str) -> None:
    person.page.locator("#paste").fill(text)
    expect(person.page.locator("#paste-result")).to_contain_text(said)
    person.page.locator("#paste-result .clear").click()


def test_a_block_is_copied(person: Person) -> None:
    person.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    person.page.locator("#chosen .copy").click()
    expect(person.page.locator("#chosen .copy")).to_contain_text("Copied")
    assert person.page.evaluate("navigator.clipboard.readText()") == person.block()


def test_where_the_clipboard_is_refused_the_block_is_selected(person: Person) -> None:
    person.page.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }"
    )
    person.finds("podman-run")
    person.page.locator("#chosen .copy").click()
    expect(person.page.locator("#chosen .copy")).to_contain_text("Selected: press")
    assert str(person.page.evaluate("String(getSelection())")).strip() == person.block().strip()
    person.page.evaluate("() => { delete navigator.clipboard.writeText; }")


def test_a_block_is_saved(person: Person) -> None:
    person.finds("kubernetes-pod")
    with person.page.expect_download() as saved:
        person.page.locator("#chosen [data-download]").first.click()
    assert saved.value.path().read_text("utf-8") == person.block()


def test_steps_are_undone(person: Person) -> None:
    person.page.locator("#loaders-0-fields-add").click()
    expect(person.input("loaders.0.fields.1.name")).to_have_value("label")
    person.page.locator("#undo").click()
    expect(person.input("loaders.0.fields.1.name")).to_have_count(0)
    person.sees("8 GiB")


def test_a_link_brings_its_job(offline: BrowserContext, stick: str) -> None:
    another = Person(offline.new_page())
    another.open(f"{stick}#1;w=16;t=podman-run")
    another.wait_until_live()
    another.sees("16 GiB")
    expect(another.page.locator("#chosen pre")).to_contain_text("podman run")
    expect(another.input("loaders.0.num_workers")).to_have_value("16")
    another.page.close()


def test_a_workload_in_the_tables_is_shown_here(person: Person) -> None:
    """Where the site leads to the workload's page; the start of the page leads back."""
    title = presets.load("medical-3d").title
    person.page.locator("#defaults + * ~ * a, #defaults a").get_by_text(title).first.click()
    person.sees(size(report.build(presets.load("medical-3d").workload).shm.recommended_bytes))
    expect(person.page.locator("#preset-medical-3d")).to_have_attribute("aria-current", "true")
    person.page.locator(".brand").click()
    expect(person.page.locator("#preset-images-8gpu")).to_have_attribute("aria-current", "true")
    person.sees("8 GiB")


def test_the_theme_is_kept(offline: BrowserContext, stick: str) -> None:
    page = offline.new_page()
    page.goto(stick)
    page.locator("#theme").select_option("dark")
    page.reload(wait_until="commit")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(236, 234, 229)"
    page.locator("#theme").select_option("auto")
    page.close()


def test_a_start_that_failed_is_tried_again(offline: BrowserContext, stick: str) -> None:
    page = offline.new_page()
    page.add_init_script(
        """const Real = DecompressionStream;
        let broken = true;
        window.mend = () => (broken = false);
        window.DecompressionStream = function (kind) {
          if (broken) throw new Error("broken for the test");
          return new Real(kind);
        };"""
    )
    page.goto(stick)
    expect(page.locator("#failure-text")).to_contain_text("broken for the test")
    page.evaluate("mend()")
    page.locator("#retry").click()
    Person(page).wait_until_live()
    page.close()


def test_the_licences_are_unpacked_where_one_wants_to_see_them(person: Person) -> None:
    page = person.page
    expect(page.locator("#licences-inside")).to_be_hidden()
    page.locator("#licences > summary").click()
    page.locator("#licences td a").filter(has_text="PSF-2.0").first.click()
    expect(page.locator("details.licence[open] pre")).to_contain_text("Python Software Foundation")
    page.locator("#licences > summary").click()
    page.evaluate("scrollTo(0, 0)")


def test_nothing_was_asked_for_and_nothing_complained(booted: Person, stick: str) -> None:
    """Runs last: in all of the above nothing but the file itself was opened."""
    asked = {url.partition("#")[0] for url in booted.requests}
    assert {url for url in asked if not url.startswith(("blob:", "data:image/"))} == {stick}
    assert booted.complaints == []


# ---------------------------------------------------------------- the site's own pages as files


@pytest.mark.parametrize("path", ["index.html", "p/medical-3d.html"])
def test_a_page_opened_as_a_file_says_where_the_calculator_is(
    browser: Browser, dist: Path, path: str
) -> None:
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto((dist / path).as_uri())
    expect(page.locator("#local")).to_be_visible()
    expect(page.locator("#recommended")).to_have_text("8 GiB")
    shown = page.locator("#local")
    assert shown.evaluate("banner => getComputedStyle(banner).borderRadius") == "8px"  # styled
    page.locator("#local a").click()
    page.wait_for_url((dist / onefile.NAME).as_uri())
    Person(page).wait_until_live()
    context.close()


def test_a_page_that_is_served_says_nothing_of_files(
    booted: Person, browser: Browser, address: str
) -> None:
    expect(booted.page.locator("#local")).to_have_count(0)
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    expect(page.locator("html")).to_have_class("scripted")
    expect(page.locator("#local")).to_be_hidden()
    context.close()
