"""After one visit the page needs no network, and can be installed."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.host import Host
from tests.browser.keeping import (
    cut_off,
    keep,
    until,
    until_sent,
    visit,
)
from tests.browser.person import Person
from web.make import browser as chromium
from web.make import hashed

LOG = "RuntimeError: DataLoader worker (pid 61) is killed by signal: Bus error."


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


def test_after_a_direct_start_the_next_one_is_resumed(
    browser: Browser, host: Host, dist: Path
) -> None:
    """What makes it short is fetched once nobody waits, and counts only when all of it is there."""
    plain = browser.browser_type.launch(
        executable_path=chromium.ensure(), args=chromium.arguments()
    )  # which believes to be on a thin line, and so starts directly
    context = plain.new_context()
    python = f"py/{hashed.folder(dist, hashed.PYTHON).name}/"
    host.held.add(f"/{python}snapshot.bin")
    person = visit(context, host.address)
    assert host.sent[f"/{python}start.zip"] == 1
    keep(person)
    visit(context, host.address).page.close()  # nobody has to wait for it
    host.held.clear()
    for name in ("snapshot.bin", "snapshot.json"):
        until_sent(person, host, f"/{python}{name}")
        until(person.page, f"caches.match('{python}{name}').then(Boolean)", bool)
    cut_off(context, host)
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url.rpartition("/")[2]))
    person.page.reload()
    person.wait_until_live()
    assert "snapshot.bin" in asked
    assert "start.zip" not in asked
    assert person.complaints == []
    plain.close()


# ---------------------------------------------------------------- an app


def test_it_can_be_installed(browser: Browser, host: Host, tmp_path: Path) -> None:
    """In a browser that keeps what it learns: a private window installs nothing."""
    context = browser.browser_type.launch_persistent_context(
        tmp_path, executable_path=chromium.ensure(), args=chromium.arguments()
    )
    person = visit(context, host.address)
    keep(person)
    session = context.new_cdp_session(person.page)
    found = session.send("Page.getAppManifest")
    assert found["errors"] == []
    assert found["url"] == f"{host.address}manifest.webmanifest"
    assert json.loads(found["data"])["start_url"] == "./"
    assert session.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
    context.close()


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
