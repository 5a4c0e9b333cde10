"""One visit of a page in a browser that has never seen it, from its address to a live answer."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

from web.bench import line
from web.bench.variants import Variant
from web.make import browser as chromium
from web.make.failure import BuildError

HERE = Path(__file__).parent
WATCH = HERE / "watch.js"
START_MS = 180_000
SETTLE_MS = 500
QUIET_S = 2.0
PATIENCE_S = 60.0
_VIEW = {"width": 1280, "height": 800}


@dataclass(frozen=True, slots=True)
class Task:
    """Something that kept the page's thread busy for 50 ms or more."""

    start_ms: float
    ms: float


@dataclass(frozen=True, slots=True)
class Visit:
    """What one visit took; times since the navigation began."""

    live_ms: float
    paint_ms: float
    bytes: int
    """Over the wire before the first answer, headers included."""
    tasks: tuple[Task, ...]
    paths: tuple[str, ...]
    """What was asked for before the first answer."""
    repeated: tuple[str, ...]
    request: str
    """What the page asked its engine first."""


@dataclass(slots=True)
class Visitor:
    """A browser, which can start another with a memory of its own."""

    browser: Browser

    def visit(self, folder: Path, variant: Variant) -> list[Visit]:
        """Open the page anew; for a second visit return the first one, too."""
        with line.running(folder, variant.line) as server:
            if not variant.again:
                with self.fresh() as context:
                    return [see(context.new_page(), server, variant.path)]
            with self.remembering() as context:
                first = see(context.new_page(), server, variant.path, until_quiet=True)
                for page in context.pages[1:]:  # the browser's own empty one keeps it running
                    page.close()
                server.log.transfers.clear()
                return [first, see(context.new_page(), server, variant.path)]

    @contextmanager
    def fresh(self) -> Iterator[BrowserContext]:
        """Make a context with nothing in its cache."""
        context = self.browser.new_context(viewport=_VIEW)  # type: ignore[arg-type]
        try:
            context.add_init_script(path=WATCH)
            yield context
        finally:
            context.close()

    @contextmanager
    def remembering(self) -> Iterator[BrowserContext]:
        """Start a browser with a profile on disk, as people have: a cache in memory is small."""
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            context = self.browser.browser_type.launch_persistent_context(
                profile,
                executable_path=chromium.ensure(),
                args=chromium.arguments(),
                viewport=_VIEW,  # type: ignore[arg-type]
            )
            try:
                context.add_init_script(path=WATCH)
                time.sleep(1)  # a browser that has just been started is still busy with itself
                yield context
            finally:
                context.close()


def see(page: Page, server: line.Server, path: str, *, until_quiet: bool = False) -> Visit:
    """Open a page and wait for its first answer, or until nothing more is fetched."""
    open_live(page, server.address + path)
    page.wait_for_timeout(SETTLE_MS)
    found = numbers(page)
    if until_quiet:
        wait_until_quiet(page, server)
    sent = server.log.before(found["origin"] + found["live"])
    return Visit(
        live_ms=found["live"],
        paint_ms=found["paint"] or 0.0,
        bytes=sum(each.bytes for each in sent),
        tasks=tuple(Task(each["start"], each["ms"]) for each in found["busy"]),
        paths=tuple(each.path for each in sent),
        repeated=tuple(server.log.repeated()),
        request=found["first"] or "",
    )


def open_live(page: Page, address: str) -> None:
    """Go to an address and wait until the page has an answer of its engine.

    Raises:
        BuildError: it says that it cannot have one.
    """
    page.wait_for_timeout(SETTLE_MS)  # a browser that has just opened a page is busy with itself
    page.goto(address, wait_until="commit")
    either = '#status[data-state="live"], #status[data-state="failed"]'
    status = page.wait_for_selector(either, state="attached", timeout=START_MS)
    if status is None or status.get_attribute("data-state") != "live":
        raise BuildError(f"{address} did not come alive")


def numbers(page: Page) -> dict[str, Any]:
    """Return what watch.js has noted."""
    noted: dict[str, Any] = page.evaluate("bench.numbers()")
    return noted


def wait_until_quiet(page: Page, server: line.Server) -> None:
    """Wait until a service worker, if there is one, has what it wants."""
    deadline = time.monotonic() + PATIENCE_S
    count, since = 0, time.monotonic()
    while time.monotonic() < min(deadline, since + QUIET_S):
        page.wait_for_timeout(100)
        sent = len(server.log.transfers)
        if sent != count or server.log.open:
            count, since = sent, time.monotonic()
