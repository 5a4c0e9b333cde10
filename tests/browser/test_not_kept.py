"""Broken downloads, a full storage, no service workers: the page works, and is kept later."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.host import Host
from tests.browser.keeping import (
    CACHES,
    STATE,
    VERSION,
    cut_off,
    keep,
    notice,
    until,
    until_sent,
    visit,
)
from tests.browser.person import START_MS, Person
from tests.browser.test_paste import LOG, SHM
from web.make import browser as chromium
from web.make import bundle, hashed


def test_a_broken_download_is_taken_up_again(context: BrowserContext, host: Host) -> None:
    """The page does without; the next visit fetches what is missing, and only that."""
    page = f"{host.address}p/medical-3d.html"
    host.cut.add("/")
    person = visit(context, page)
    until(person.page, STATE, lambda state: state is None)
    person.types("ranks", "2")
    expect(person.page.locator("#stale")).to_be_hidden()
    host.cut.clear()
    host.forget()
    person.page.reload()
    person.wait_until_live()
    keep(person)
    assert [path for path in host.sent if path.startswith(("/py/", "/a/"))] == []
    cut_off(context, host)
    visit(context, host.address)


def test_a_broken_upgrade_leaves_the_version_that_works(
    context: BrowserContext, host: Host, second: Path
) -> None:
    person = visit(context, host.address)
    keep(person)
    script = f"/a/{hashed.folder(second, hashed.ASSETS).name}/js/main.js"
    host.cut.add(script)
    host.site = second
    person.page.reload()
    person.wait_until_live()
    until_sent(person, host, script)
    until(person.page, f"{ONGOING}", lambda ongoing: not ongoing)
    host.is_down = True
    person.page.reload()
    person.wait_until_live()
    assert person.page.evaluate(VERSION) == "first"
    host.is_down = False
    host.cut.clear()
    person.page.reload()
    expect(notice(person)).to_be_visible(timeout=START_MS)


def test_something_else_in_a_files_place_is_not_kept(context: BrowserContext, host: Host) -> None:
    """What is pasted cannot be read then, and can be read as soon as the file is there."""
    later = f"/{hashed.PYTHON}/{hashed.folder(host.site, hashed.PYTHON).name}/{bundle.LATER}"
    host.wrong.add(later)
    person = visit(context, host.address)
    until_sent(person, host, later)
    person.page.locator("#paste").fill(LOG)
    expect(person.page.locator("#paste-result")).to_contain_text("could not be fetched")
    host.wrong.clear()
    person.page.reload()
    person.wait_until_live()
    person.page.locator("#paste").fill(LOG)
    expect(person.page.locator("#paste-result h3")).to_contain_text(SHM)


def test_retry_does_not_trust_what_the_browser_keeps(context: BrowserContext, host: Host) -> None:
    """It was told to keep something else for good, under the name of Python's compiled module."""
    folder = hashed.folder(host.site, hashed.PYTHON).name
    host.wrong.add(f"/{hashed.PYTHON}/{folder}/{bundle.CORE}")
    person = Person(context.new_page())
    person.open(host.address)
    expect(person.page.locator("#failure")).to_be_visible(timeout=START_MS)
    host.wrong.clear()
    person.page.locator("#retry").click()
    person.wait_until_live()
    expect(person.page.locator("#failure")).to_be_hidden()


def test_an_upgrade_of_something_else_leaves_the_version_that_works(
    context: BrowserContext, host: Host, second: Path
) -> None:
    person = visit(context, host.address)
    keep(person)
    script = f"/{hashed.ASSETS}/{hashed.folder(second, hashed.ASSETS).name}/js/main.js"
    host.wrong.add(script)
    host.site = second
    person.page.reload()
    person.wait_until_live()
    until_sent(person, host, script, times=2)
    until(person.page, f"{ONGOING}", lambda ongoing: not ongoing)
    expect(notice(person)).to_be_hidden()
    host.wrong.clear()
    person.page.reload()
    expect(notice(person)).to_be_visible(timeout=START_MS)
    person.page.locator("#update-reload").click()
    until(person.page, VERSION, lambda version: version == "second")
    person.wait_until_live()


ONGOING = """navigator.serviceWorker.getRegistration().then(
  ({ installing, waiting }) => Boolean(installing ?? waiting))"""


def limit(page: Page, origin: str, size: int | None) -> None:
    """Let the browser keep so many bytes for the site, or as many as it usually would."""
    asked = {"origin": origin.rstrip("/"), **({} if size is None else {"quotaSize": size})}
    page.context.new_cdp_session(page).send("Storage.overrideQuotaForOrigin", asked)


def test_a_full_storage_leaves_a_page_that_works(context: BrowserContext, host: Host) -> None:
    page = context.new_page()
    limit(page, host.address, 1_000_000)
    person = Person(page)
    person.open(host.address)
    person.wait_until_live()
    until(page, STATE, lambda state: state is None)
    until(page, CACHES, lambda names: names == [])
    person.types("loaders.0.num_workers", "16")
    person.sees("16 GiB")
    limit(page, host.address, None)
    page.reload()
    person.wait_until_live()
    keep(person)
    cut_off(context, host)
    page.reload()
    person.wait_until_live()


WAITING = "navigator.serviceWorker.getRegistration().then(({ waiting }) => waiting)"
USED = "navigator.storage.estimate().then(({ usage }) => usage)"


def test_no_room_for_the_next_version_beside_this_one(
    context: BrowserContext, host: Host, second: Path
) -> None:
    """What is kept is given up for it, once the person agrees."""
    person = visit(context, host.address)
    keep(person)
    limit(person.page, host.address, int(person.page.evaluate(USED)) + 1000)
    host.site = second
    person.page.reload()
    person.wait_until_live()
    assert person.page.evaluate(VERSION) == "first"
    expect(notice(person)).to_be_visible(timeout=START_MS)
    assert person.page.evaluate(WAITING) is None
    person.page.locator("#update-reload").click()
    until(person.page, VERSION, lambda version: version == "second")
    person.wait_until_live()


def test_a_host_without_encryption_has_a_page_that_works(browser: Browser, host: Host) -> None:
    """There browsers offer no service worker: the page is as good as the network."""
    mapped = "--host-resolver-rules=MAP sizer.example 127.0.0.1"
    launched = browser.browser_type.launch(
        executable_path=chromium.ensure(), args=[*chromium.arguments(), mapped]
    )
    person = visit(launched.new_context(), host.address.replace("127.0.0.1", "sizer.example"))
    assert person.page.evaluate("navigator.serviceWorker === undefined")
    assert person.complaints == []
    launched.close()
    assert host.sent["/sw.js"] == 0
