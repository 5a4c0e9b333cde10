"""The box for what people have: a log, df, code, a manifest; pasted, opened, dropped."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.person import Person

SHM = "/dev/shm"  # noqa: S108 - a word
LOG = """\
[rank1]: step 10
[rank1]: RuntimeError: DataLoader worker (pid 61) is killed by signal: Bus error. It is possible \
that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.
"""
DF = """\
Filesystem      Size  Used Avail Use% Mounted on
shm             2.0G  1.9G   40M  98% /dev/shm
"""
CODE = """\
loader = DataLoader(data, batch_size=16, num_workers=4, prefetch_factor=3)
"""
COMPOSE = """\
services:
  trainer:  # the one
    image: example/trainer:1
"""


@pytest.fixture
def box(person: Person) -> Locator:
    """Return the empty box."""
    for button in person.page.locator("#paste-result .clear").all():
        button.click()
    expect(person.page.locator("#paste-result")).to_be_hidden()
    return person.page.locator("#paste")


@pytest.fixture
def result(person: Person) -> Locator:
    """Return what the page says of the text."""
    return person.page.locator("#paste-result")


def test_a_log_is_explained(box: Locator, result: Locator) -> None:
    box.fill(LOG)
    expect(result.locator("h3")).to_contain_text(SHM)
    expect(result.locator(".evidence")).to_contain_text("killed by signal: Bus error")
    expect(result).to_contain_text("8g")


def test_df_goes_into_the_form_and_out_again(person: Person, box: Locator, result: Locator) -> None:
    box.fill(DF)
    expect(person.input("current_shm")).to_have_value("2 GiB")
    expect(result).to_contain_text("below the 5.42 GiB that this job needs")
    result.locator(".undo").click()
    expect(person.input("current_shm")).to_have_value("64 MiB")


def test_code_goes_into_the_form_and_what_it_does_not_say_is_asked(
    person: Person, box: Locator, result: Locator
) -> None:
    box.fill(CODE)
    expect(person.input("loaders.0.prefetch_factor")).to_have_value("3")
    expect(person.input("loaders.0.batch_size")).to_have_value("16")
    expect(result).to_contain_text("shape")
    result.locator("[data-reach]").first.click()
    assert person.focus().startswith("loaders-0-fields-0")
    result.locator("summary").click()
    expect(result.locator(".origins")).to_contain_text("line 1")


def test_a_manifest_is_mended_and_follows_the_form(
    person: Person, box: Locator, result: Locator
) -> None:
    box.fill(COMPOSE)
    mended = result.locator("figure pre")
    expect(mended).to_have_text(f"{COMPOSE}    shm_size: 8g\n")
    expect(result.locator(".diff ins")).to_have_text("+    shm_size: 8g")
    person.types("ranks", "1")
    expect(mended).to_contain_text("shm_size: 1g")
    with person.page.expect_download() as download:
        result.locator("[data-download]").click()
    assert download.value.suggested_filename == "compose.yaml"
    written = Path(download.value.path()).read_text(encoding="utf-8")
    assert written == f"{COMPOSE}    shm_size: 1g\n"
    result.locator(".copy", has_text="Copy").click()
    assert person.page.evaluate("navigator.clipboard.readText()") == written


def test_a_file_is_opened_and_dropped(person: Person, result: Locator, tmp_path: Path) -> None:
    file = tmp_path / "train.log"
    file.write_text(LOG, encoding="utf-8")
    person.page.locator("#paste-file").set_input_files(file)
    expect(result.locator("h3")).to_contain_text(SHM)
    expect(person.page.locator("#paste")).to_have_value(LOG)
    dropped = person.page.evaluate_handle(
        """text => { const data = new DataTransfer();
          data.items.add(new File([text], "df.txt", { type: "text/plain" })); return data; }""",
        DF,
    )
    person.page.dispatch_event("main", "drop", {"dataTransfer": dropped})
    expect(person.input("current_shm")).to_have_value("2 GiB")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_a_file_is_read_in_its_own_encoding(
    person: Person, result: Locator, tmp_path: Path, encoding: str
) -> None:
    file = tmp_path / "compose.yaml"
    file.write_bytes(f"{COMPOSE}    hostname: größe\n".encode(encoding))
    person.page.locator("#paste-file").set_input_files(file)
    expect(result.locator("figure pre")).to_contain_text("    shm_size: 8g\n    hostname: größe")


def test_a_long_log_never_keeps_an_edit_waiting_and_can_be_stopped(
    person: Person, result: Locator, tmp_path: Path
) -> None:
    file = tmp_path / "long.log"
    file.write_text(f"{'step 1 loss 2.0 and so on' * 4}\n" * 120_000 + LOG, encoding="utf-8")
    person.page.locator("#paste-file").set_input_files(file)
    expect(person.page.locator("#paste-progress")).to_be_visible()
    person.types("ranks", "4")
    person.sees("4 GiB")
    expect(person.page.locator("#paste-progress")).to_be_visible()
    person.page.locator("#paste-cancel").click()
    expect(person.page.locator("#paste-progress")).to_be_hidden()
    person.page.locator("#paste-file").set_input_files(file)
    expect(result.locator("h3")).to_contain_text(SHM, timeout=60_000)
    expect(result.locator(".evidence b").first).to_have_text("120002")


def test_a_kind_that_was_not_meant_is_corrected(box: Locator, result: Locator) -> None:
    box.fill(CODE)
    expect(result).to_contain_text("Read as code")
    result.locator("button", has_text="a log").click()
    expect(result).to_contain_text("Read as a log")


def test_no_character_is_torn_between_two_pieces(box: Locator, result: Locator) -> None:
    """The first half of the face is the last character of the first piece."""
    box.fill(f"services:\n  trainer:\n    image: a  # {'x' * (2**17 - 38)}😀 kept\n")
    expect(result.locator("figure pre")).to_contain_text("😀 kept")


def test_markup_in_a_log_is_text(person: Person, box: Locator, result: Locator) -> None:
    box.fill(f"<img src=x onerror=document.title='gone'> {LOG}")
    expect(result.locator("h3")).to_contain_text(SHM)
    assert result.locator("img").count() == 0
    assert person.page.title() != "gone"


def test_nothing_complained(person: Person, address: str) -> None:
    assert [url for url in person.requests if not url.startswith((address, "blob:"))] == []
    assert person.complaints == []
