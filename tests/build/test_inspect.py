"""The batch inspector on the page: the very file, to copy and keep, and its answer to paste."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from calculator.__main__ import main
from calculator.footprint import footprint
from calculator.workload import parse
from tests.support.markup import Element, read
from web.make import versions

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "calculator" / "inspector" / "batch_inspector.py"


def section(path: Path, name: str) -> Element:
    (found,) = [each for each in read(path).all() if each.attributes.get("id") == name]
    return found


def described() -> list[Mapping[str, Any]]:
    """Return the jobs that the inspector found in the newest version, one a case."""
    rows = [row for row in versions.rows() if row.get("inspected")]
    return list({row["case"]: row for row in rows}.values())


@pytest.mark.parametrize("page", ["index.html", "p/llm-tokens.html", "shm-sizer.html"])
def test_page_has_the_whole_file_unchanged_with_copy_and_download(dist: Path, page: str) -> None:
    inspect = section(dist / page, "inspect")
    figures = inspect.all("figure")
    texts = ["".join(figure.all("pre")[0]._pieces()) for figure in figures]
    assert SOURCE.read_text("utf-8").strip() == texts[-1].strip()
    assert "describe(train_loader, val_loader).show()" in texts[0]
    assert all(figure.all("button", "copy") for figure in figures)
    (save,) = figures[-1].all("button", "save")
    assert save.attributes["data-download"] == SOURCE.name


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
