"""Measure it in your job: the probe is handed out, and its line comes back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.person import Person
from tests.support.probing import FILE, ROOT

LINE = (ROOT / "tests" / "probe" / "record.txt").read_text(encoding="utf-8")
WIDE = {"path": "loaders.0.fields.0.shape", "text": "1000000"}


@pytest.fixture
def place(person: Person) -> Locator:
    """Return the fold that holds the probe, opened."""
    fold = person.page.locator("#probe-file")
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()
    return fold


def test_the_probe_is_copied_and_saved_as_the_file_that_it_is(
    person: Person, place: Locator
) -> None:
    whole = FILE.read_text(encoding="utf-8")
    place.locator(".copy").click()
    assert person.page.evaluate("navigator.clipboard.readText()") == whole
    with person.page.expect_download() as download:
        place.locator("[data-download]").click()
    assert download.value.suggested_filename == "shm_probe.py"
    assert Path(download.value.path()).read_bytes() == FILE.read_bytes()


def test_what_was_saved_runs(person: Person, place: Locator, tmp_path: Path) -> None:
    with person.page.expect_download() as download:
        place.locator("[data-download]").click()
    saved = tmp_path / "shm_probe.py"
    download.value.save_as(saved)
    words = [sys.executable, str(saved), "--", "sh", "-c", "exit 7"]
    assert subprocess.run(words, capture_output=True, check=False, timeout=60).returncode == 7


def test_a_presets_page_leads_to_the_same_file(page: Page, address: str) -> None:
    page.goto(f"{address}p/resnet50-imagenet.html")
    with page.expect_download() as download:
        page.locator("#measure a[download]").click()
    assert download.value.suggested_filename == "shm_probe.py"
    assert Path(download.value.path()).read_bytes() == FILE.read_bytes()


def test_its_line_is_pasted_compared_and_corrects_the_form_and_can_be_taken_back(
    person: Person,
) -> None:
    person.page.locator("#paste").fill(f"epoch 3 done\n{LINE}")
    result = person.page.locator("#paste-result")
    expect(result.locator("h3")).to_have_text("The job used less than the model's usual level.")
    expect(result).to_contain_text("76.36 MiB")
    expect(person.input("ranks")).to_have_value("1")
    expect(person.input("loaders.0.num_workers")).to_have_value("2")
    expect(person.input("current_shm")).to_have_value("1 GiB")
    result.locator(".undo").click()
    expect(person.input("ranks")).to_have_value("8")


@pytest.mark.parametrize("how", ["typed over", "pasted over"])
def test_taken_back_the_text_before_it_still_stands_in_the_form(person: Person, how: str) -> None:
    page, result = person.page, person.page.locator("#paste-result")
    page.locator("#paste").fill(json.dumps({"ranks": 3, "loaders": [{"num_workers": 5}]}))
    expect(person.input("ranks")).to_have_value("3")
    if how == "typed over":
        page.locator("#paste").fill(LINE)
    else:
        page.evaluate("text => navigator.clipboard.writeText(text)", LINE)
        page.locator("#paste").focus()
        page.keyboard.press("Control+A")
        page.keyboard.press("Control+V")
    expect(person.input("ranks")).to_have_value("1")
    expect(person.input("loaders.0.num_workers")).to_have_value("2")
    expect(result).to_contain_text("put into the form")
    result.locator(".undo").click()
    expect(person.input("ranks")).to_have_value("3")
    expect(person.input("loaders.0.num_workers")).to_have_value("5")
    expect(result).not_to_contain_text("put into the form")


def test_one_job_pasted_over_another_like_it_is_taken_back_alone(person: Person) -> None:
    page = person.page
    for count in ("3", "4"):
        job = json.dumps({"ranks": int(count), "loaders": [{"num_workers": 5}]})
        page.evaluate("text => navigator.clipboard.writeText(text)", job)
        page.locator("#paste").focus()
        page.keyboard.press("Control+A")
        page.keyboard.press("Control+V")
        expect(person.input("ranks")).to_have_value(count)
    page.locator("#paste-result .undo").click()
    expect(person.input("ranks")).to_have_value("3")


def test_a_text_that_is_edited_is_taken_back_as_a_whole(person: Person) -> None:
    for count in ("3", "4"):
        job = json.dumps({"ranks": int(count), "loaders": [{"num_workers": 5}]})
        person.page.locator("#paste").fill(job)
        expect(person.input("ranks")).to_have_value(count)
    person.page.locator("#paste-result .undo").click()
    expect(person.input("ranks")).to_have_value("8")


def test_the_sample_corrected_the_verdict_follows_and_what_was_seen_stays_said(
    person: Person,
) -> None:
    person.page.locator("#paste").fill(LINE)
    result = person.page.locator("#paste-result")
    expect(result).to_contain_text("Seen in the job, and put into the form")
    person.types("loaders.0.batch_size", "4")
    person.types(WIDE["path"], WIDE["text"])
    expect(result.locator("h3")).to_have_text("The job used exactly what the model says.")
    expect(result).to_contain_text("Seen in the job, and put into the form")
    expect(result.locator(".undo")).to_be_visible()


def test_a_line_that_was_cut_is_said_to_be_incomplete(person: Person) -> None:
    person.page.locator("#paste").fill(LINE[:700])
    result = person.page.locator("#paste-result")
    expect(result.locator(".error")).to_contain_text("incomplete")
    result.get_by_role("button", name="Clear").click()
    expect(result).to_be_hidden()
    expect(person.page.locator("#paste")).to_have_value("")


def test_a_job_without_workers_is_taken_into_the_form_as_another_user(person: Person) -> None:
    record = json.loads(LINE.removeprefix("SHM-PROBE "))
    record["job"] |= {"workers": 0, "owners": 0, "ranks": []}
    person.page.locator("#paste").fill(f"SHM-PROBE {json.dumps(record)}")
    result = person.page.locator("#paste-result")
    expect(result.locator("h3")).to_contain_text("No DataLoader workers were seen")
    expect(result).not_to_contain_text("Right for this job")
    result.get_by_role("button", name="Other use of /dev/shm: 77 MiB").click()
    expect(person.input("other_shm_bytes")).to_have_value("77 MiB")
    expect(result).to_contain_text("The form counts 77 MiB for other users")
    expect(person.input("ranks")).to_have_value("8")


def test_what_was_put_into_the_form_has_the_forms_names(person: Person) -> None:
    person.page.locator("#paste").fill(LINE)
    rows = person.page.locator("#paste-result .origins").nth(1).locator("th[scope=row]")
    expect(rows.get_by_text("Processes (GPUs)")).to_be_visible()
    expect(rows.get_by_text("num_workers", exact=True)).to_be_visible()
    expect(rows.get_by_text("Open files allowed")).to_be_visible()


def test_the_lines_that_run_it_follow_the_form(person: Person) -> None:
    person.finds("probe")
    block = person.page.locator("#chosen pre")
    expect(block).to_contain_text("python3 shm_probe.py -- torchrun --nproc-per-node=8 train.py")
    person.types("ranks", "2")
    expect(block).to_contain_text("--nproc-per-node=2")
    assert json.loads(LINE.removeprefix("SHM-PROBE "))["version"] == 1


def test_a_log_too_large_for_the_box_is_searched_and_its_line_follows_the_form(
    person: Person, tmp_path: Path
) -> None:
    file = tmp_path / "train.log"
    epoch = "epoch 3: loss 0.1234, 640 images/s\n"
    file.write_text(epoch * (2_100_000 // len(epoch)) + LINE + "$ exit\n", encoding="utf-8")
    person.page.locator("#paste-file").set_input_files(file)
    result = person.page.locator("#paste-result")
    expect(result.locator("h3")).to_have_text("The job used less than the model's usual level.")
    expect(person.input("ranks")).to_have_value("1")
    person.types("loaders.0.batch_size", "4")
    person.types(WIDE["path"], WIDE["text"])
    expect(result.locator("h3")).to_have_text("The job used exactly what the model says.")
    expect(result).to_contain_text("Seen in the job, and put into the form")
