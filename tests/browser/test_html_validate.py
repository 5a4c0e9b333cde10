"""Every page is valid HTML, as the build writes it."""

from __future__ import annotations

from pathlib import Path

from tests.support import html_validate
from web.make import onefile


def test_every_page_is_valid(dist: Path) -> None:
    pages = sorted(path for path in dist.rglob("*.html") if path.name != onefile.NAME)
    assert len(pages) > 1
    assert html_validate.errors(pages) == []


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    """The rules that are switched off do not switch off the rest."""
    page = tmp_path / "wrong.html"
    wrong = '<!doctype html>\n<p id="a"><div>x</div></p><img src="x"><b id="a">y</b>\n'
    page.write_text(wrong, "utf-8")
    found = html_validate.errors([page])
    for rule in ("close-order", "wcag/h37", "no-dup-id"):
        assert any(f" {rule}:" in each for each in found), (rule, found)
