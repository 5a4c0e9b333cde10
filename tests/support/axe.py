"""axe-core: what keeps people with disabilities out of a page, as far as a program can tell."""

from __future__ import annotations

from functools import cache

from playwright.sync_api import Page

from tests.support.components import HOME, missing

STANDARDS = [
    *("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"),
    "best-practice",
]


WHOLE = """async () => {
  const waits = () => document.querySelector(".scripted:not(.arrived), .scripted .prose noscript");
  while (waits()) await new Promise((go) => setTimeout(go, 50));
  for (const each of document.querySelectorAll("main section, main section > *")) {
    each.style.contentVisibility = "visible";
  }
}"""
"""All of the page is there, and laid out: axe measures nothing else."""


@cache
def source() -> str:
    """Return axe's own script."""
    script = HOME / "node_modules" / "axe-core" / "axe.min.js"
    if not script.is_file():
        missing("axe-core is not there: build.py test fetches it")
    return script.read_text("utf-8")


def violations(page: Page, *rules: str) -> list[str]:
    """Return what breaks a rule, or one of these, on the page as it stands: the rule, and where."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(source())
    page.evaluate(WHOLE)
    found = page.evaluate(
        """async ([type, values]) => (await axe.run(document, {
          runOnly: { type, values },
          resultTypes: ["violations"],
        })).violations.flatMap(({ id, nodes }) => nodes.map(
          (node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary.split("\\n")[1]}`,
        ))""",
        ["rule", list(rules)] if rules else ["tag", STANDARDS],
    )
    return [str(each) for each in found]
