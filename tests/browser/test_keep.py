"""What is kept and shared: the address, copies and files, undo, the last workload."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.person import Person

# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("docker-run", "train.sh"),
        ("compose", "compose.yaml"),
        ("kubernetes-pod", "pod.yaml"),
        ("kustomize-component", "kustomization.yaml"),
    ],
)
def test_a_block_is_saved_under_its_own_name(person: Person, target: str, name: str) -> None:
    person.types("deployment.image", "mine:2")
    person.finds(target)
    wanted = person.engines_block(target, {"deployment.image": "mine:2"})
    expect(person.page.locator("#chosen pre")).to_have_text(wanted)
    save = person.page.locator("#chosen .save")
    with person.page.expect_download() as download:
        save.click()
    assert download.value.suggested_filename == name
    assert Path(download.value.path()).read_text(encoding="utf-8") == wanted
    expect(save).to_contain_text("Saved")
    expect(person.page.locator("#say")).to_have_text("Saved")


def test_what_is_taken_from_an_earlier_answer_says_so(person: Person) -> None:
    before = person.block()
    person.types("ranks", "many")
    expect(person.page.locator("#stale")).to_be_visible()
    for button, words in [(".copy", "Copied the earlier answer"), (".save", "Saved the earlier")]:
        person.page.locator(f"#chosen {button}").click()
        expect(person.page.locator(f"#chosen {button}")).to_contain_text(words)
    assert person.page.evaluate("navigator.clipboard.readText()") == before


# ---------------------------------------------------------------- what has changed


def test_changed_lines_are_marked_for_a_moment(person: Person) -> None:
    marked = person.page.locator("#chosen .changed")
    expect(marked).to_have_count(0)
    person.types("loaders.0.num_workers", "16")
    expect(marked).to_have_count(1)
    expect(marked).to_have_text("  --shm-size=16g \\")
    person.types("loaders.0.num_workers", "17")
    assert person.block() == person.engines_block("docker-run", {"loaders.0.num_workers": "17"})
    expect(marked).to_have_count(0, timeout=4000)
    assert person.block() == person.engines_block("docker-run", {"loaders.0.num_workers": "17"})


def test_another_platform_is_no_change(person: Person) -> None:
    person.finds("compose")
    expect(person.page.locator("#chosen pre")).to_contain_text("shm_size: 8g")
    expect(person.page.locator("#chosen .changed")).to_have_count(0)


# ---------------------------------------------------------------- and all the while


def test_nothing_was_asked_elsewhere_and_nothing_complained(person: Person, address: str) -> None:
    assert [url for url in person.requests if not url.startswith((address, "blob:"))] == []
    assert person.complaints == []
