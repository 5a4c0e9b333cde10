"""The batch inspector on the page: the very file, to copy and keep, and its answer to paste."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from calculator.__main__ import main
from calculator.footprint import footprint
from calculator.workload import parse
from tests.support.markup import Element, read
from web.make import versions

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "calculator" / "inspector" / "batch_inspector.py"
PROBE = ROOT / "calculator" / "probe" / "shm_probe.py"


def section(path: Path, name: str) -> Element:
    (found,) = [each for each in read(path).all() if each.attributes.get("id") == name]
    return found


def described() -> list[Mapping[str, Any]]:
    """Return the jobs that the inspector found in the newest version, one a case."""
    rows = [row for row in versions.rows() if row.get("inspected")]
    return list({row["case"]: row for row in rows}.values())


@pytest.mark.parametrize("page", ["index.html", "shm-sizer.html"])
def test_page_has_the_whole_file_unchanged_with_copy_and_download(dist: Path, page: str) -> None:
    inspect = section(dist / page, "inspect")
    figures = inspect.all("figure")
    texts = ["".join(figure.all("pre")[0]._pieces()) for figure in figures]
    assert SOURCE.read_text("utf-8").strip() == texts[-1].strip()
    assert "describe(train_loader, val_loader).show()" in texts[0]
    assert all(figure.all("button", "copy") for figure in figures)
    (save,) = figures[-1].all("button", "save")
    assert save.attributes["data-download"] == SOURCE.name


@pytest.mark.parametrize("place", ["inspect", "measure"])
def test_a_presets_page_leads_to_the_file_and_does_not_carry_it(dist: Path, place: str) -> None:
    found = section(dist / "p" / "llm-tokens.html", place)
    (link,) = [each for each in found.all("a") if "download" in each.attributes]
    there = (dist / "p" / link.attributes["href"]).resolve()
    assert there.parent == dist.resolve()
    assert there.read_bytes() == {"inspect": SOURCE, "measure": PROBE}[place].read_bytes()
    assert "import argparse" not in found.text


@pytest.mark.parametrize("name", ["start.zip", "later.zip"])
def test_the_browsers_python_has_neither_the_probe_nor_the_inspector(dist: Path, name: str) -> None:
    (archive,) = dist.glob(f"py/*/{name}")
    inside = ZipFile(archive).namelist()
    assert any(each.startswith("calculator/") for each in inside)
    for file in (SOURCE, PROBE):
        assert not [each for each in inside if file.stem in each]


@pytest.mark.parametrize("row", described(), ids=lambda row: row["case"])
def test_what_it_prints_is_recognised_when_pasted_and_is_that_job(row, tmp_path, capsys) -> None:
    file = tmp_path / "paste.txt"
    file.write_text(json.dumps(row["inspected"], indent=1), "utf-8")
    assert main(["read", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["kind"] == "config"
    pasted, meant = (footprint(parse(each)) for each in (found["workload"], row["inspected"]))
    assert pasted.peak_bytes == meant.peak_bytes > 0


def test_every_case_of_the_lab_is_a_row_of_the_table(dist: Path) -> None:
    entry = section(dist / "index.html", "measured-versions-table")
    rows = [row for row in entry.all("tr") if row.all("td")]
    assert [row.all("th")[0].text for row in rows] == [case["what"] for case in versions.cases()]
    heads = entry.all("thead")[0].all("th")
    for row in rows:
        assert len(row.all("td")) + 1 == len(heads)
    assert "ABOVE" not in entry.text
