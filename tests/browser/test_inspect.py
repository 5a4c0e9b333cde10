"""The batch inspector in the browser: copied from the page, its answer pasted back into it."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.person import Person
from web.make import versions

SOURCE = Path(__file__).parents[2] / "calculator" / "inspector" / "batch_inspector.py"


def test_copy_gives_the_file_that_is_in_the_package(person: Person) -> None:
    fold = person.page.locator("#inspect details")
    fold.locator("summary").click()
    fold.locator(".copy").click()
    expect(fold.locator(".copy")).to_contain_text("Copied")
    copied = person.page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == SOURCE.read_text("utf-8").strip()
    fold.locator("summary").click()


def test_what_it_printed_of_a_real_loader_fills_the_form_when_pasted(person: Person) -> None:
    rows = [row for row in versions.rows() if row["case"] == "four-workers" and row["inspected"]]
    box = person.page.locator("#paste")
    box.fill(json.dumps(rows[-1]["inspected"], indent=1))
    expect(person.input("loaders.0.num_workers")).to_have_value("4")
    expect(person.input("loaders.0.prefetch_factor")).to_have_value("3")
    expect(person.input("loaders.0.batch_size")).to_have_value("4")
    person.page.locator("#paste-result .undo").click()
    expect(person.input("loaders.0.prefetch_factor")).to_have_value("2")
