"""Being found: structured data says what is visible, pages have names, the picture is right."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from calculator import __version__, presets, report
from tests.support.markup import Element, parsed, read
from web.make import onefile, pages, preview

BASE = "https://sizer.example/tools"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the pages of a site whose address is known."""
    folder = tmp_path_factory.mktemp("published")
    pages.write(folder, base_url=f"{BASE}/")
    return folder


def data(page: Element) -> dict[str, dict[str, Any]]:
    """Return a page's structured data by type."""
    found = [
        json.loads("".join(str(child) for child in each.children))
        for each in page.all("script")
        if each.attributes.get("type") == "application/ld+json"
    ]
    return {each["@type"]: each for each in found}


def meta(page: Element) -> dict[str, str]:
    """Return a page's <meta> by name or property."""
    return {
        each.attributes.get("name") or each.attributes.get("property", ""): each.attributes[
            "content"
        ]
        for each in page.all("meta")
        if "content" in each.attributes
    }


def test_questions_say_what_the_page_says(dist: Path) -> None:
    """Question and answer are the visible ones, word for word and in their order."""
    page = read(dist / "index.html")
    told = [
        (each["name"], each["acceptedAnswer"]["text"])
        for each in data(page)["FAQPage"]["mainEntity"]
    ]
    seen = [
        (entry.all("h4")[0].text, entry.all("div", "answer")[0].text)
        for entry in page.all("div", "question")
    ]
    assert len(seen) > 30
    assert told == seen


def test_the_tool_is_described_on_every_page(dist: Path) -> None:
    for path in [dist / "index.html", dist / "p" / "images-8gpu.html"]:
        page = read(path)
        told = data(page)["SoftwareApplication"]
        assert told["softwareVersion"] == __version__
        assert told["description"] == meta(page)["description"]
        assert "url" not in told
        assert "image" not in told


def test_every_page_has_a_title_and_a_description_of_its_own(dist: Path) -> None:
    found = [dist / "index.html", *(dist / "p").glob("*.html")]
    heads = [parsed(path.read_text("utf-8").partition("<body>")[0]) for path in found]
    named = [(head.all("title")[0].text, meta(head)["description"]) for head in heads]
    assert all(title and told for title, told in named)
    assert len({title for title, _ in named}) == len(found)
    assert len({told for _, told in named}) == len(found)


def test_where_the_address_is_unknown_nothing_absolute_is_said(dist: Path) -> None:
    told = meta(read(dist / "index.html"))
    assert told["og:title"]
    assert not {"og:url", "og:image"} & told.keys()
    assert not (dist / "sitemap.xml").exists()
    assert not (dist / "robots.txt").exists()


def test_where_it_is_known_every_page_names_itself(published: Path) -> None:
    for path, address in {
        "index.html": f"{BASE}/",
        "p/detr-coco.html": f"{BASE}/p/detr-coco.html",
    }.items():
        page = read(published / path)
        (canonical,) = [e for e in page.all("link") if e.attributes["rel"] == "canonical"]
        assert canonical.attributes["href"] == address
        assert meta(page)["og:url"] == address
        assert meta(page)["og:image"] == f"{BASE}/preview.png"
        assert data(page)["SoftwareApplication"]["url"] == address


def test_the_sitemap_lists_each_page_once(published: Path) -> None:
    root = ET.fromstring((published / "sitemap.xml").read_text("utf-8"))  # noqa: S314 - our own
    listed = [each.text for each in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    made = {path.relative_to(published).as_posix() for path in published.rglob("*.html")}
    made.discard(onefile.NAME)  # the first page once more
    assert sorted(filter(None, listed)) == sorted(
        f"{BASE}/{name.removesuffix('index.html')}" for name in made
    )
    assert f"Sitemap: {BASE}/sitemap.xml" in (published / "robots.txt").read_text("utf-8")


def test_the_picture_has_the_size_that_previews_take(dist: Path) -> None:
    content = (dist / "preview.png").read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", content[16:24]) == (1200, 630)
    assert len(content) < 100_000


def test_the_picture_shows_the_answer() -> None:
    """The same job gives the same bytes, another answer gives others."""
    styles = pages.WEB / "css" / "base.css"
    job = presets.load(presets.DEFAULT_PRESET)
    once, again = (preview.draw(report.build(job.workload), job.title, styles) for _ in range(2))
    assert once == again
    other = presets.load("detr-coco")
    assert preview.draw(report.build(other.workload), job.title, styles) != once


def test_the_picture_takes_the_pages_colours(tmp_path: Path) -> None:
    """The light theme's, which stand first in each."""
    styles = tmp_path / "base.css"
    styles.write_text(
        ":root { --bg: light-dark(#fff, #000); --ink: light-dark(#123456, #eee); }", "utf-8"
    )
    assert preview.tokens(styles) == {"bg": "#fff", "ink": "#123456"}
