"""axe-core: what keeps people with disabilities out of a page, as far as a program can tell."""

from __future__ import annotations

from functools import cache

from playwright.sync_api import Page

from tests.support.components import HOME, missing

STANDARDS = [
    *("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"),
    "best-practice",
]


@cache
def source() -> str:
    """Return axe's own script."""
    script = HOME / "node_modules" / "axe-core" / "axe.min.js"
    if not script.is_file():
        missing("axe-core is not there: build.py test fetches it")
    return script.read_text("utf-8")


def violations(page: Page) -> list[str]:
    """Return what breaks a rule on the page as it stands: the rule, and where."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(source())
    page.evaluate(  # axe measures what a browser has laid out
        """document.querySelectorAll("main section")
          .forEach((each) => (each.style.contentVisibility = "visible"))"""
    )
    found = page.evaluate(
        """async (standards) => (await axe.run(document, {
          runOnly: { type: "tag", values: standards },
          resultTypes: ["violations"],
        })).violations.flatMap(({ id, nodes }) => nodes.map(
          (node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary.split("\\n")[1]}`,
        ))""",
        STANDARDS,
    )
    return [str(each) for each in found]
