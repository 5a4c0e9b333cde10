"""After one visit the page needs no network, and it outlives its own next versions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from tests.browser.host import Host, newer, serving
from tests.browser.person import START_MS, Person
from web.make import browser as chromium
from web.make import hashed

LOG = "RuntimeError: DataLoader worker (pid 61) is killed by signal: Bus error."
KEPT = "navigator.serviceWorker.ready.then(({ active }) => active.state)"
CACHES = "caches.keys()"
STATE = "navigator.serviceWorker.getRegistration().then((it) => it ? Boolean(it.active) : null)"
VERSION = "document.documentElement.dataset.version ?? 'first'"
STEP_MS = 100


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Return a browser that has never been here, and in which service workers are allowed."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context
    context.close()


@pytest.fixture
def host(dist: Path) -> Iterator[Host]:
    """Serve the built site."""
    with serving(dist) as host:
        yield host


def visit(context: BrowserContext, address: str) -> Person:
    """Open a page and wait until it is live."""
    person = Person(context.new_page())
    person.open(address)
    person.wait_until_live()
    return person


def keep(person: Person) -> None:
    """Wait until this browser keeps the page."""
    until(person.page, STATE, lambda state: state is True)
    assert person.page.evaluate(KEPT) in {"activating", "activated"}
    until(person.page, "Boolean(navigator.serviceWorker.controller)", bool)
    until(person.page, KEPT, lambda state: state == "activated")


def until(page: Page, question: str, is_right: Callable[[Any], bool]) -> None:
    """Ask until the answer is right; the page's policy does not let Playwright wait there."""
    answer = None
    for _ in range(START_MS // STEP_MS):
        with suppress(Error):  # the page is being left
            answer = page.evaluate(question)
            if is_right(answer):
                return
        page.wait_for_timeout(STEP_MS)
    raise AssertionError(f"{question}: {answer}")


def cut_off(context: BrowserContext, host: Host) -> None:
    """Take the network away: the host is gone, and the browser knows that it is offline."""
    host.is_down = True
    context.set_offline(True)


# ---------------------------------------------------------------- without a network


def test_after_one_visit_everything_works_without_a_network(
    context: BrowserContext, host: Host
) -> None:
    person = visit(context, host.address)
    keep(person)
    cut_off(context, host)
    person.page.reload()
    person.wait_until_live()
    person.types("loaders.0.num_workers", "16")
    person.sees("16 GiB")
    person.page.locator("#paste").fill(LOG)
    expect(person.page.locator("#paste-result .evidence")).to_contain_text("Bus error")
    person.pick("medical-3d")
    expect(person.input("ranks")).to_have_value("4")
    assert person.complaints == []


@pytest.mark.parametrize("address", ["index.html", "?from=somewhere", "#1;r=1;b=128"])
def test_every_address_of_the_first_page_works(
    context: BrowserContext, host: Host, address: str
) -> None:
    keep(visit(context, host.address))
    cut_off(context, host)
    person = visit(context, host.address + address)
    if address.startswith("#"):
        person.sees("2 GiB")
        expect(person.input("ranks")).to_have_value("1")


def test_a_presets_page_works_whether_visited_or_not(context: BrowserContext, host: Host) -> None:
    """One that was visited is there as it is; any other is shown by the first page."""
    keep(visit(context, f"{host.address}p/resnet50-imagenet.html"))
    cut_off(context, host)
    there = visit(context, f"{host.address}p/resnet50-imagenet.html")
    there.sees("2 GiB")
    assert there.page.url == f"{host.address}p/resnet50-imagenet.html"
    other = visit(context, f"{host.address}p/medical-3d.html")
    expect(other.input("ranks")).to_have_value("4")
    assert urlsplit(other.page.url).path == "/"


def test_a_preset_chosen_while_python_starts_is_answered_by_it(
    context: BrowserContext, host: Host
) -> None:
    """Its ready-made answer is not kept: there are many, and they are large."""
    keep(visit(context, host.address))
    cut_off(context, host)
    page = context.new_page()
    person = Person(page)
    person.open(host.address)
    person.pick("medical-3d")
    person.wait_until_live()
    expect(person.input("ranks")).to_have_value("4")
    assert urlsplit(page.url).path == "/"


# ---------------------------------------------------------------- what is fetched


def test_nothing_is_fetched_twice(context: BrowserContext, host: Host) -> None:
    """The first visit keeps what it has; all it fetches for later is what it did not need yet."""
    keep(visit(context, host.address))
    assert {path: count for path, count in host.sent.items() if count > 1} == {}
    for kind in (hashed.ASSETS, hashed.PYTHON):
        asked_again = [path for path in host.checked if path.startswith(f"/{kind}/")]
        assert asked_again == []
    assert host.checked["/"] == 0


def test_the_second_visit_asks_only_whether_there_is_a_new_version(
    context: BrowserContext, host: Host
) -> None:
    person = visit(context, host.address)
    keep(person)
    host.forget()
    person.page.reload()
    person.wait_until_live()
    person.page.wait_for_timeout(1500)
    assert {*host.sent, *host.checked} <= {"/sw.js"}


# ---------------------------------------------------------------- the next version


@pytest.fixture
def second(dist: Path, tmp_path: Path) -> Path:
    """Return the site's next version."""
    return newer(dist, tmp_path / "second", "second")


def notice(person: Person) -> Any:
    return person.page.locator("#update")


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


# ---------------------------------------------------------------- what goes wrong


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
    for _ in range(START_MS // STEP_MS):
        if host.sent[script]:
            break
        person.page.wait_for_timeout(STEP_MS)
    assert host.sent[script]
    until(person.page, f"{ONGOING}", lambda ongoing: not ongoing)
    host.is_down = True
    person.page.reload()
    person.wait_until_live()
    assert person.page.evaluate(VERSION) == "first"
    host.is_down = False
    host.cut.clear()
    person.page.reload()
    expect(notice(person)).to_be_visible(timeout=START_MS)


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


# ---------------------------------------------------------------- an app


def test_it_can_be_installed(context: BrowserContext, host: Host) -> None:
    person = visit(context, host.address)
    keep(person)
    session = context.new_cdp_session(person.page)
    found = session.send("Page.getAppManifest")
    assert found["errors"] == []
    assert found["url"] == f"{host.address}manifest.webmanifest"
    assert json.loads(found["data"])["start_url"] == "./"
    assert session.send("Page.getInstallabilityErrors")["installabilityErrors"] == []


def test_icons_are_what_the_manifest_says(dist: Path, browser: Browser) -> None:
    """Each has its size, and one is made to be cut into another shape."""
    told = json.loads((dist / "manifest.webmanifest").read_text("utf-8"))
    context = browser.new_context()
    page = context.new_page()
    for icon in told["icons"]:
        if icon["type"] == "image/png":
            page.goto((dist / icon["src"]).as_uri())
            size = "({ naturalWidth, naturalHeight }) => `${naturalWidth}x${naturalHeight}`"
            assert page.locator("img").evaluate(size) == icon["sizes"]
    assert {icon.get("purpose") for icon in told["icons"]} >= {"any", "maskable"}
    context.close()
