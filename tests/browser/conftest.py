"""A page of the built site in a real browser, with the real engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.person import Person

expect.set_options(timeout=20_000)  # a machine may be slow and busy; nothing is timed here


@pytest.fixture(scope="module")
def booted(browser: Browser, address: str) -> Iterator[Person]:
    """Open the default page once a module and wait for the engine: a start takes seconds."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
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
    yield context.new_page()
    context.close()
