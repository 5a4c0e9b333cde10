"""Options and fixtures shared by all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, sync_playwright

from tests.support import line
from web.make import browser as chromium
from web.make import checks, serve, site
from web.make.places import Places

HERE = Path(__file__).parent

# A shell has what it starts in its background ignore interrupts; what tests start is to hear them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

if os.environ.get("CI") != "true":  # there hypothesis has a profile of its own
    settings.register_profile("patient", deadline=None)  # a machine may be busy
    settings.load_profile("patient")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let files from outside be held against the engine."""
    parser.addoption(
        "--measured",
        type=Path,
        default=HERE / "measured.json",
        help="measured rows to hold the memory model against",
    )
    parser.addoption(
        "--cases",
        type=Path,
        default=HERE / "cases.json",
        help="pasted texts to hold readers, triage and mending against",
    )


@pytest.fixture(scope="session")
def places() -> Places:
    """Return the folders of this checkout."""
    return Places(HERE.parent)


@pytest.fixture(scope="session")
def dist(places: Places) -> Path:
    """Return the built site, built again if anything has changed since it was."""
    if checks.SITE in os.environ:
        return Path(os.environ[checks.SITE])
    site.build(places)
    return places.dist


@pytest.fixture(scope="session")
def address(dist: Path) -> Iterator[str]:
    """Serve the built site and return its address."""
    with serve.running(dist) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start a real browser."""
    program = chromium.ensure()
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=chromium.arguments())
        yield line.good(launched)
        launched.close()
