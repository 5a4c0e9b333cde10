"""Pages that know where they will live lead back there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from web.make import pages


@pytest.mark.parametrize("base_url", ["https://example.org/shm", "https://example.org/shm/"])
def test_every_block_leads_back_to_where_the_site_will_live(base_url: str, tmp_path: Path) -> None:
    """The page tells the engine the same, so that the live page shows the same blocks."""
    base = "https://example.org/shm/"
    pages.write(tmp_path, base_url=base_url)
    for name, link in (("index.html", "1"), ("p/resnet50-imagenet.html", "1;r=1;b=128")):
        html = (tmp_path / name).read_text("utf-8")
        assert f", {base}#{link};t=docker-run</i>" in html
        (start,) = re.findall(r'<script[^>]* id="start"[^>]*>(.*?)</script>', html, re.DOTALL)
        assert json.loads(start)["base"] == base
    answer = json.loads((tmp_path / "p" / "llm-tokens.json").read_text("utf-8"))
    assert f"{base}#{answer['link']};t=compose" in answer["blocks"]["compose"]
