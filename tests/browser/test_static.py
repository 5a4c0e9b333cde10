"""What is in the files themselves: without scripts, under any path, for every preset."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from calculator import api, blocks, presets, report
from calculator.units import size
from tests.browser.person import Person, choose_preset
from web.make import serve


@pytest.fixture
def plain(browser: Browser) -> Iterator[Page]:
    """Return a page without JavaScript."""
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


def test_default_page_is_useful_without_scripts(plain: Page, address: str) -> None:
    plain.goto(address)
    found = report.build(presets.load(presets.DEFAULT_PRESET).workload)
    expect(plain.locator("#recommended")).to_be_visible()
    for block in found.targets:
        shown = plain.locator(f"#block-{block.id} pre")
        expect(shown).to_be_hidden()
        plain.locator(f"[data-block='{block.id}'] summary").click()
        expect(shown).to_be_visible()
        assert shown.text_content() == block.text
    for button in plain.locator("main button, #find").all():
        expect(button).to_be_hidden()
    expect(plain.locator("#faq")).to_be_visible()


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_preset_has_a_page_of_its_own(plain: Page, address: str, preset: str) -> None:
    shown = presets.load(preset)
    plain.goto(address)
    choose_preset(plain, preset)
    plain.wait_for_url(f"{address}p/{preset}.html")
    expect(plain.locator("#recommended")).to_have_text(
        size(report.build(shown.workload).shm.recommended_bytes)
    )
    assert shown.title in plain.title()
    plain.locator(".brand").click()
    plain.wait_for_url(f"{address}index.html")


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_ready_made_answer_is_the_engines(dist: Path, preset: str) -> None:
    answer = api.answer(json.dumps({"preset": preset}))
    assert (dist / "p" / f"{preset}.json").read_bytes() == answer.encode()


def test_works_under_a_path(page: Page, dist: Path) -> None:
    """A page in a folder of a site in a folder: engine, presets and styles are found."""
    with serve.running(dist.parent) as root:
        person = Person(page)
        person.open(f"{root}{dist.name}/p/medical-3d.html")
        person.wait_until_live()
        person.pick("video-diffusion")
        person.sees("16 GiB")
        assert [url for url in person.requests if not url.startswith(f"{root}{dist.name}/")] == []
        assert person.complaints == []


def test_links_on_the_page_lead_somewhere(plain: Page, address: str) -> None:
    plain.goto(address)
    targets = plain.locator('a[href^="#"]').all()
    assert targets
    for target in {link.get_attribute("href") or "" for link in targets}:
        assert plain.locator(f'[id="{target[1:]}"]').count() == 1, target


def test_every_platform_has_a_tab(plain: Page, address: str) -> None:
    plain.goto(address)
    shown = [tab.get_attribute("data-target") for tab in plain.locator("[data-target]").all()]
    assert sorted(filter(None, shown)) == sorted(blocks.target_ids())
