"""Browsers on a good line, as most have it: without a screen they believe to be on a thin one."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, BrowserContext

GOOD_LINE = """{
  const chosen = (name) => (name?.startsWith(" ") ? `resumed${name}` : name); // web/js/ahead.js
  const Plain = globalThis.Worker;
  if (Plain) globalThis.Worker = class Worker extends Plain {
    constructor(address, { name, ...more } = {}) {
      super(address, { ...more, name: chosen(name) });
    }
  };
}"""
"""What a thread on a good line chooses is chosen for it, unless the page names a start."""


def good(browser: Browser) -> Browser:
    """Put every context of a browser on a good line, and return the browser."""
    plain = browser.new_context

    def new_context(**how: Any) -> BrowserContext:
        context = plain(**how)
        context.add_init_script(GOOD_LINE)
        return context

    browser.new_context = new_context  # type: ignore[method-assign]
    return browser
