"""Scripts and markup agree: what a script looks for is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"


def wanted() -> set[str]:
    """Return every id that a script names."""
    scripts = (path.read_text("utf-8") for path in (WEB / "js").glob("*.js"))
    return {name for text in scripts for name in re.findall(r'getElementById\("([\w-]+)"\)', text)}


@pytest.mark.parametrize("name", sorted(wanted()))
def test_id_that_a_script_names_is_on_the_page(dist: Path, name: str) -> None:
    html = (dist / "index.html").read_text("utf-8")
    assert html.count(f'id="{name}"') == 1


def test_ids_are_unique_on_every_page(dist: Path) -> None:
    for page in dist.rglob("*.html"):
        ids = re.findall(r'\sid="([^"]+)"', page.read_text("utf-8"))
        assert len(ids) == len(set(ids)), page.name


def test_pages_name_their_address_only_where_it_is_known(dist: Path) -> None:
    assert 'rel="canonical"' not in (dist / "index.html").read_text("utf-8")
