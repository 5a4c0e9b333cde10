"""Somebody who uses the page: what they do and what they see."""

from __future__ import annotations

from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page, expect

from calculator import report
from calculator.inputs import gather

START_MS = 120_000
"""A machine may be slow and busy; the start is not timed here."""


@dataclass
class Person:
    """One person before one page; what the browser asks for and complains about is noted."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.context.on("request", lambda request: self.requests.append(request.url))
        self.page.context.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def open(self, address: str) -> None:
        """Go to an address."""
        self.page.goto(address)

    def wait_until_live(self) -> None:
        """Wait until the engine has answered once."""
        expect(self.page.locator("#status")).to_have_text("Live", timeout=START_MS)

    def pick(self, preset: str) -> None:
        """Choose a workload."""
        choose_preset(self.page, preset)
        expect(self.page.locator(f"#preset-{preset}")).to_have_attribute("aria-current", "true")

    def types(self, path: str, text: str) -> None:
        """Type into an input, in place of what stands there."""
        self.unfolds(path)
        self.input(path).fill(text)

    def unfolds(self, path: str) -> None:
        """Open the fold that an input stands in, if it is closed."""
        closed = self.page.locator("details:not([open])", has=self.input(path))
        for _ in range(closed.count()):
            closed.first.locator("summary").first.click()

    def finds(self, target: str) -> None:
        """Find a platform by typing and choose it."""
        self.page.locator("#find").fill(target)
        self.page.locator(f'.platforms [data-target="{target}"]').click()
        self.page.locator("#find").fill("")

    def engines_block(self, target: str, changes: dict[str, str]) -> str:
        """Return what the engine writes for the default job with some changes."""
        return report.build(gather(None, None, changes), targets=[target]).targets[0].text

    def input(self, path: str) -> Locator:
        """Return the input of a path."""
        return self.page.locator(f'[name="{path}"]')

    def sees(self, size: str) -> None:
        """See this recommended size, and no mark that it is an old one."""
        expect(self.page.locator("#recommended")).to_have_text(size)
        expect(self.page.locator("#stale")).to_be_hidden()

    def focus(self) -> str:
        """Return the id of what has the focus."""
        return str(self.page.evaluate("document.activeElement.id"))

    def block(self) -> str:
        """Return the text of the block beside the form."""
        return self.page.locator("#chosen pre").text_content() or ""


def choose_preset(page: Page, preset: str) -> None:
    """Click on a workload, unfolding the list it stands in; nothing is searched for."""
    box = page.locator("#find-preset")
    if box.is_visible() and box.input_value():
        box.fill("")
    folded = page.locator("#more-presets:not([open])", has=page.locator(f"#preset-{preset}"))
    if folded.count():
        folded.locator("summary").click()
    page.locator(f"#preset-{preset}").click()
