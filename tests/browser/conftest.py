"""A page of the built site in a real browser, with the real engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.host import Host, newer, serving
from tests.browser.person import Person

expect.set_options(timeout=20_000)  # a machine may be slow and busy; nothing is timed here

REFUSE = """
if (self.ServiceWorkerContainer) {
  const refusal = () => Promise.reject(new DOMException("not allowed here", "SecurityError"));
  ServiceWorkerContainer.prototype.register = refusal;
}
"""
"""As in a private window: each page here has an empty cache and lives for one test."""


@pytest.fixture(scope="module")
def booted(browser: Browser, address: str) -> Iterator[Person]:
    """Open the default page once a module and wait for the engine: a start takes seconds."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(REFUSE)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    person = Person(context.new_page())
    person.open(address)
    person.wait_until_live()
    yield person
    context.close()


@pytest.fixture
def person(booted: Person) -> Person:
    """Return somebody before the live page, with the default workload and platform.

    The answer may look like that already: that the form is another one says that it has come.
    """
    booted.finds("docker-run")
    booted.page.evaluate("document.querySelector('#form fieldset').dataset.before = true")
    booted.pick("images-8gpu")
    expect(booted.page.locator("[data-before]")).to_have_count(0)
    booted.sees("8 GiB")
    return booted


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Return a page of its own, with an empty cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(REFUSE)
    yield context.new_page()
    context.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Return a browser that has never been here, and in which service workers are allowed."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    yield context
    context.close()


@pytest.fixture
def host(dist: Path) -> Iterator[Host]:
    """Serve the built site from a host that can be changed."""
    with serving(dist) as host:
        yield host


@pytest.fixture
def second(dist: Path, tmp_path: Path) -> Path:
    """Return the site's next version."""
    return newer(dist, tmp_path / "second", "second")
