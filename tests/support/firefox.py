"""Somebody who uses the page in Firefox, driven over WebDriver BiDi by firefox.mjs beside this."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.browser.person import START_MS
from tests.support.components import HOME, component, missing
from web.make.node import node

SCRIPT = Path(__file__).with_suffix(".mjs")
VARIABLE = "FIREFOX_PATH"
"""Names the Firefox to use, where it is not one of Debian's or on the path."""


class Firefox:
    """A running Firefox with one page in it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def begin(self) -> None:
        """Go on as somebody who was never here."""
        self._ask("begin")

    def has_page(self) -> bool:
        """Tell whether anybody has begun."""
        return bool(self._ask("has_page"))

    def open(self, address: str) -> None:
        """Go to an address."""
        self._ask("open", address=address)

    def back(self) -> None:
        """Press Back."""
        self._ask("back")

    def evaluate(self, script: str) -> Any:
        """Return what an expression comes to in the page."""
        return self._ask("evaluate", script=script)

    def click(self, selector: str) -> None:
        """Click as a person does: it must be in sight and enabled."""
        self._ask("click", selector=selector)

    def press(self, selector: str, keys: str) -> None:
        """Press a key, or two as in Control+V, where the focus is put first."""
        self._ask("press", selector=selector, keys=keys)

    def types(self, selector: str, text: str) -> None:
        """Type into an input, in place of what stands there."""
        self._ask("type", selector=selector, text=text)

    def text(self, selector: str) -> str:
        """Return an element's text, or nothing."""
        found = self.evaluate(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''")
        return str(found).strip()

    def sees(self, selector: str, text: str, within_ms: int = START_MS) -> None:
        """Wait until an element says this."""
        self.waits(lambda: text in self.text(selector), f"{selector}: {text}", within_ms)

    def waits(self, done: Any, what: str, within_ms: int = START_MS) -> None:
        """Wait until something holds.

        Raises:
            AssertionError: it did not come to that.
        """
        end = time.monotonic() + within_ms / 1000
        while not done():
            if time.monotonic() > end:
                shown = self.text("main")[:300]
                raise AssertionError(f"{what} has not come; {self.complaints()}; {shown}")
            time.sleep(0.1)

    def complaints(self) -> list[str]:
        """Return what the console was told since `begin`."""
        return list(self._ask("complaints"))

    def requests(self) -> list[str]:
        """Return the addresses that the page has asked for since `begin`."""
        return list(self._ask("requests"))

    def version(self) -> str:
        """Return the browser's name and version."""
        return str(self._ask("version"))

    def _ask(self, name: str, **given: Any) -> Any:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("the driver was started without pipes")
        stdin.write(json.dumps({"do": name, **given}) + "\n")
        stdin.flush()
        answer = json.loads(stdout.readline() or '{"error": "the driver has ended"}')
        if "error" in answer:
            raise AssertionError(f"{name} {given}: {answer['error']}")
        return answer["value"]


@contextmanager
def running() -> Iterator[Firefox]:
    """Start Firefox; without one skip, or fail where CI=true."""
    packages = HOME / "node_modules"
    if not (packages / "puppeteer-core").is_dir():
        missing("puppeteer-core is not there: build.py test fetches it")
    command = [str(node()), str(SCRIPT), str(packages), program()]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        yield Firefox(process)


def program() -> str:
    """Return the path of Firefox."""
    return os.environ.get(VARIABLE) or component("firefox-esr" if debians() else "firefox")


def debians() -> bool:
    """Tell whether Debian's Firefox is here, which has a name of its own."""
    return Path("/usr/bin/firefox-esr").exists()
