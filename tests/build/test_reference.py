"""The reference: every error has a place, every link leads somewhere, numbers are computed."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.support.markup import Element, read

ROOT = Path(__file__).parents[2]
FACTS = ROOT / "calculator" / "facts"
MIB = 1024 * 1024


def facts(name: str) -> dict[str, Any]:
    """Read one of the facts' files."""
    return tomllib.loads((FACTS / f"{name}.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def page(dist: Path) -> Element:
    """Return the default page."""
    return read(dist / "index.html")


# ---------------------------------------------------------------- links


def pages(dist: Path) -> Iterator[tuple[str, Element]]:
    """Yield the default page and three others; all are made by the same templates."""
    for path in [dist / "index.html", *sorted((dist / "p").glob("*.html"))[::12]]:
        yield path.name, read(path)


def test_every_anchor_leads_to_a_place_of_its_page(dist: Path) -> None:
    for name, root in pages(dist):
        ids = {each.attributes.get("id") for each in root.all()}
        anchors = {each.attributes.get("href", "") for each in root.all("a")}
        named = {unquote(each[1:]) for each in anchors if each.startswith("#")}
        assert len(named) > 100, name
        assert named - ids == set(), name


@pytest.mark.parametrize("name", ["index.html", "p/medical-3d.html", "licenses/index.html"])
def test_every_link_within_the_site_leads_to_a_file(dist: Path, name: str) -> None:
    page = dist / name
    named = [
        each.attributes.get(key, "").partition("#")[0]
        for each in read(page).all()
        for key in ("href", "src")
    ]
    own = {each for each in named if each and not re.match(r"[a-z]+:", each)}
    files = {each: (page.parent / each).resolve() for each in own}
    assert files
    lost = [each for each, file in files.items() if not (file.is_file() or file.is_dir())]
    assert lost == []


def test_every_entry_has_a_heading_and_a_link_to_itself(page: Element) -> None:
    entries = page.all("div", "entry")
    assert len(entries) > 70
    for entry in entries:
        (summary,) = entry.all("details")[0].all("summary")[:1]
        assert summary.all("h3") or summary.all("h4")
        (anchor,) = entry.all("a", "anchor")
        assert anchor.attributes["href"] == f"#{entry.attributes['id']}"
        assert (summary.all("h3") + summary.all("h4"))[0].text in anchor.text


def test_no_two_sources_are_called_alike(page: Element) -> None:
    """A list of the page's links tells them apart."""
    called: dict[str, set[str]] = {}
    for link in page.all("a", "cite"):
        called.setdefault(link.text, set()).add(link.attributes["href"])
    assert len(called) > 100
    assert "source" not in called
    assert {name: urls for name, urls in called.items() if len(urls) > 1} == {}


# ---------------------------------------------------------------- errors


def test_every_message_stands_in_the_entry_of_its_diagnosis(page: Element) -> None:
    count = 0
    for row in facts("signatures")["signature"]:
        shown = row.get("shown", [])
        entry = page.by_id(f"error-{row.get('diagnosis', 'none')}").text if shown else ""
        for text in [shown] if isinstance(shown, str) else shown:
            assert " ".join(text.split()) in entry, row["id"]
            count += 1
    assert f"{count} messages" in page.by_id("messages-lead").text


@pytest.mark.parametrize("name", facts("diagnoses"))
def test_every_diagnosis_stands_under_its_verdict(page: Element, name: str) -> None:
    """The headings of the index say whether a larger /dev/shm is the cure."""
    verdict = facts("diagnoses")[name]["larger_shm"]
    assert f"error-{name}" in [
        each.attributes["id"] for each in page.by_id(f"entries-{verdict}").all("div", "entry")
    ]


def test_every_version_has_its_row(page: Element) -> None:
    rows = [row for row in facts("crashes")["crash"] if row["collate"] != "none"]
    assert rows
    for row in rows:
        assert " ".join(row["text"].split()) in page.by_id(f"version-{row['id']}").text


# ---------------------------------------------------------------- defaults and workloads


@pytest.mark.parametrize("row", facts("runtimes")["runtime"], ids=lambda row: row["id"])
def test_every_runtime_has_its_row_and_a_known_source(page: Element, row: dict[str, Any]) -> None:
    shown = page.by_id(f"runtime-{row['id']}")
    assert row["name"] in shown.text
    if "bytes" in row:
        assert f"{row['bytes']:,} bytes" in shown.text
    assert shown.all("a", "cite")[0].attributes["href"] == row["source"]
    assert row["source"] in {each["url"] for each in facts("sources").values()}


def test_every_workload_has_one_row(page: Element) -> None:
    there = [
        each.attributes["id"]
        for each in page.all("tr")
        if each.attributes.get("id", "").startswith("workload-")
    ]
    wanted = {f"workload-{path.stem}" for path in (ROOT / "presets").glob("*.toml")}
    assert set(there) == wanted
    assert len(there) == len(wanted)


# ---------------------------------------------------------------- rules of thumb


MEASURED = json.loads((ROOT / "tests" / "measured.json").read_text("utf-8"))["cases"]


def needed(row: dict[str, Any]) -> int:
    """Return what a run needed: the smallest size that survived, or else the most it used."""
    return int(row["smallest_surviving_bytes"] or row["peak_bytes"])


def rules(page: Element) -> dict[str, list[str]]:
    """Return the rows of the table by rule."""
    (table,) = page.all("table", "thumb")
    return {
        row.all("th")[0].text: [cell.text for cell in row.all("td")]
        for row in table.all("tr")
        if row.all("td")
    }


def test_rules_are_held_against_what_was_measured(page: Element) -> None:
    """By hand: ImageNet is 8 workers, 2 prefetched, 128 images of 3 x 224 x 224 float32."""
    queue = 8 * 2 * 128 * 3 * 224 * 224 * 4
    (images,) = [row for row in MEASURED if row["name"] == "q14a-imagenet"]
    table = rules(page)
    assert table["Needed"][0] == f"{needed(images) / MIB / 1024:.2f} GiB"
    for name, size in {
        "workers × prefetch × 1.35": queue * 1.35,
        "workers × (prefetch + 1) × 1.5": queue / 2 * 3 * 1.5,
    }.items():
        assert needed(images) <= size
        assert table[name][0] == f"{size / MIB / 1024:.2f} GiBenough"
    assert table["The 64 MiB default"][0] == "64 MiBtoo small"
    assert table["The 64 MiB default"][3] == "64 MiBenough"


def test_the_tally_counts_every_run(page: Element) -> None:
    """The default is too small wherever more was needed, and our bound nowhere."""
    table = rules(page)
    too_small = sum(needed(row) > 64 * MIB for row in MEASURED)
    assert table["The 64 MiB default"][-1] == f"{too_small} of {len(MEASURED)}"
    ours = next(cells for name, cells in table.items() if name.startswith("This page"))
    assert ours[-1] == f"0 of {len(MEASURED)}"


# ---------------------------------------------------------------- questions

FAQ = tomllib.loads((ROOT / "web" / "content" / "faq.toml").read_text("utf-8"))["question"]
ASKED = {
    "bus-error", "default-size", "docker-increase", "kubernetes-mount", "pin-and-persistent",
}  # fmt: skip
"""What everybody asks first."""


def test_questions_are_there_once_and_have_sources(page: Element) -> None:
    ids = [row["id"] for row in FAQ]
    assert [name for name, times in Counter(ids).items() if times > 1] == []
    assert set(ids) >= ASKED
    for row in FAQ:
        entry = page.by_id(f"faq-{row['id']}")
        assert row["q"] in entry.text
        assert row["sources"]
        cited = {each.attributes["href"] for each in entry.all("p", "sources")[0].all("a")}
        assert cited == {facts("sources")[name]["url"] for name in row["sources"]}


@pytest.mark.parametrize("row", FAQ, ids=lambda row: row["id"])
def test_no_size_is_written_into_an_answer(row: dict[str, Any]) -> None:
    """Sizes are rendered from the engine and the facts."""
    written = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "", row["a"], flags=re.DOTALL)
    assert re.findall(r"\d[\d.,]*\s?(?:[KMGT]i?B|bytes)\b", written) == []


def test_sizes_in_answers_are_the_engines(page: Element) -> None:
    """By hand: 18 batches of 64 images and 32 pages of semaphores, in each of 8 processes."""
    one = 18 * 64 * 3 * 224 * 224 * 4 + 32 * 4096
    answer = page.by_id("faq-more-gpus").text
    assert f"{one / MIB:.1f} MiB" in answer
    assert f"{8 * one / MIB / 1024:.2f} GiB" in answer
    assert "67,108,864 bytes" in page.by_id("faq-default-size").text
    assert "62.5 MiB" in page.by_id("faq-default-size").text
