"""Every page is valid HTML, as the build writes it."""

from __future__ import annotations

from pathlib import Path

from tests.support import html_validate
from web.make import onefile

SHARED = '<section class="wide" id="all-blocks"'
"""Where that begins which the same templates fill with each workload's numbers."""


def test_every_page_is_valid(dist: Path, tmp_path: Path) -> None:
    """The first page whole, those of the workloads as far as they have something of their own."""
    workloads = sorted((dist / "p").glob("*.html"))
    others = {path for path in dist.rglob("*.html") if path.name != onefile.NAME}
    whole = sorted(others.difference(workloads[1:]))
    own = [tmp_path / path.name for path in workloads[1:]]
    for path, page in zip(own, workloads[1:], strict=True):
        before, shared, _ = page.read_text("utf-8").partition(SHARED)
        assert shared
        path.write_text(f"{before}</main></body></html>\n", "utf-8")
    assert {dist / "index.html", workloads[0]} <= set(whole)
    assert len(own) > 20
    assert html_validate.errors([*whole, *own]) == []


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    """The rules that are switched off do not switch off the rest."""
    page = tmp_path / "wrong.html"
    wrong = '<!doctype html>\n<p id="a"><div>x</div></p><img src="x"><b id="a">y</b>\n'
    page.write_text(wrong, "utf-8")
    found = html_validate.errors([page])
    for rule in ("close-order", "wcag/h37", "no-dup-id"):
        assert any(f" {rule}:" in each for each in found), (rule, found)
