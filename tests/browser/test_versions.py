"""The next version: it is told of, and pages of the one before live on."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import BrowserContext, expect

from tests.browser.host import Host
from tests.browser.keeping import (
    CACHES,
    VERSION,
    cut_off,
    keep,
    notice,
    until,
    visit,
)
from tests.browser.person import START_MS
from web.make import hashed


def test_a_new_version_is_told_and_old_pages_live_on(
    context: BrowserContext, host: Host, second: Path
) -> None:
    """Two pages are open: one changes over when told to, the other works until it does."""
    one, two = visit(context, host.address), visit(context, host.address)
    keep(one)
    keep(two)
    old = hashed.folder(host.site, hashed.ASSETS).name
    one.types("loaders.0.num_workers", "16")
    one.sees("16 GiB")
    host.site = second
    three = visit(context, host.address)
    assert three.page.evaluate(VERSION) == "first"
    for person in (one, two, three):
        expect(notice(person)).to_be_visible(timeout=START_MS)
        expect(notice(person)).to_contain_text("new version")
    expect(three.page.locator("#say")).to_have_text("A new version of this page is ready.")
    three.page.close()
    one.page.locator("#update-reload").click()
    until(one.page, VERSION, lambda version: version == "second")
    one.wait_until_live()
    one.sees("16 GiB")
    expect(notice(one)).to_be_hidden()
    cut_off(context, host)
    assert two.page.evaluate(VERSION) == "first"
    fetched = f"fetch('a/{old}/js/theme.js').then((response) => response.status)"
    assert two.page.evaluate(fetched) == 200
    two.types("loaders.0.batch_size", "128")
    two.sees("16 GiB")
    two.page.locator("#update-reload").click()
    until(two.page, VERSION, lambda version: version == "second")
    two.wait_until_live()
    one.page.reload()
    one.wait_until_live()
    until(one.page, CACHES, lambda names: not any(old in name for name in names))
    assert len(one.page.evaluate(CACHES)) == 3
    assert one.complaints == two.complaints == []


def test_only_what_has_changed_is_fetched(
    context: BrowserContext, host: Host, second: Path
) -> None:
    person = visit(context, host.address)
    keep(person)
    host.forget()
    host.site = second
    person.page.reload()
    person.wait_until_live()
    expect(notice(person)).to_be_visible(timeout=START_MS)
    assert [path for path in host.sent if path.startswith("/py/")] == []
    assert any(path.startswith("/a/") for path in host.sent)


def test_closing_all_pages_changes_over_too(
    context: BrowserContext, host: Host, second: Path
) -> None:
    person = visit(context, host.address)
    keep(person)
    host.site = second
    person.page.reload()
    expect(notice(person)).to_be_visible(timeout=START_MS)
    person.page.goto("about:blank")
    person.page.wait_for_timeout(500)
    cut_off(context, host)
    assert visit(context, host.address).page.evaluate(VERSION) == "second"


def test_a_presets_page_that_was_visited_is_kept_in_the_next_version(
    context: BrowserContext, host: Host, second: Path
) -> None:
    person = visit(context, f"{host.address}p/medical-3d.html")
    keep(person)
    host.site = second
    person.page.reload()
    expect(notice(person)).to_be_visible(timeout=START_MS)
    person.page.locator("#update-reload").click()
    until(person.page, VERSION, lambda version: version == "second")
    cut_off(context, host)
    again = visit(context, f"{host.address}p/medical-3d.html")
    assert again.page.url == f"{host.address}p/medical-3d.html"
    assert again.page.evaluate(VERSION) == "second"
