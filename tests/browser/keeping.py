"""A page that a browser keeps: how to get there, and how to take the network away."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from playwright.sync_api import BrowserContext, Error, Locator, Page

from tests.browser.host import Host
from tests.browser.person import START_MS, Person

KEPT = "navigator.serviceWorker.ready.then(({ active }) => active.state)"
STATE = "navigator.serviceWorker.getRegistration().then((it) => it ? Boolean(it.active) : null)"
"""Whether a service worker is there and has finished; null where there is none."""

CACHES = "caches.keys()"
VERSION = "document.documentElement.dataset.version ?? 'first'"
"""Which of the versions that tests/browser/host.py makes."""

STEP_MS = 100


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


def until_sent(person: Person, host: Host, path: str, times: int = 1) -> None:
    """Wait until the host has sent a file that often."""
    for _ in range(START_MS // STEP_MS):
        if host.sent[path] >= times:
            return
        person.page.wait_for_timeout(STEP_MS)
    raise AssertionError(f"{path} was sent {host.sent[path]} times, not {times}")


def cut_off(context: BrowserContext, host: Host) -> None:
    """Take the network away: the host is gone, and the browser knows that it is offline."""
    host.is_down = True
    context.set_offline(True)


def notice(person: Person) -> Locator:
    """Return what tells of a new version."""
    return person.page.locator("#update")
