"""Input that cannot be read, at every input the page has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.person import Person
from tests.support.bad_input import STORAGE, TEXTS, refusal

WALKER = Path(__file__).with_name("walker.js").read_text("utf-8")
NAMES = "[...document.querySelectorAll('#form [name]')].map((each) => [each.name, each.type])"


@pytest.fixture
def rich(person: Person) -> Iterator[Person]:
    """Return somebody before a form with every kind of input: two loaders, a number beside."""
    person.page.locator("#loaders-0-fields-add").click()
    expect(person.input("loaders.0.fields.1.kind")).to_have_value("int")
    add_loader(person)
    expect(person.input("loaders.1.batch_size")).to_have_value("64")
    yield person
    assert person.complaints == []


def add_loader(person: Person) -> None:
    person.page.evaluate("document.getElementById('more').open = true")
    person.page.locator("#add-loader").click()


def typeable(person: Person) -> list[str]:
    """Return the paths of all inputs of the form in the page that take a text or a choice."""
    found = person.page.evaluate(NAMES)
    assert len(found) > 60
    return [name for name, kind in found if kind != "checkbox"]


def run(person: Person, what: str, texts: Mapping[str, str]) -> Any:
    """Run one of the walker's functions; a lone surrogate travels only escaped."""
    given = json.dumps(json.dumps(texts))
    script = f"async () => {{ {WALKER}; return await {what}(JSON.parse({given})); }}"
    return person.page.evaluate(script)


def sentence(message: str | None) -> str:
    assert message
    return f"{message[0].upper()}{message[1:]}."


def test_each_input_says_what_is_wrong_keeps_it_and_is_mended(rich: Person) -> None:
    texts = dict(zip(typeable(rich), cycle(TEXTS), strict=False))
    for path, text in texts.items():  # one that this input refuses
        texts[path] = next(each for each in (text, "\ud800") if refusal(path, each))
    before = rich.page.locator("#recommended").text_content()
    found = run(rich, "walk", texts)
    assert found.keys() == texts.keys()
    for path, text in texts.items():
        message = sentence(refusal(path, text))
        assert found[path]["after"] == {
            "said": [[path, message]],
            "invalid": [path],
            "stale": True,
            "answer": before,
        }
        assert found[path]["kept"], path
        assert found[path]["mended"] == {
            "said": [],
            "invalid": [],
            "stale": False,
            "answer": before,
        }


@pytest.mark.parametrize("text", TEXTS)
def test_all_inputs_at_once_each_have_one_message_of_their_own(rich: Person, text: str) -> None:
    wrong = [path for path in typeable(rich) if refusal(path, text)]
    if refusal("same_storage_as", text) == STORAGE:
        # What they name is looked for once all that is named can be read.
        wrong = [path for path in wrong if not path.endswith(".same_storage_as")]
    found = run(rich, "flood", dict.fromkeys(wrong, text))
    assert found["after"]["said"] == [[path, sentence(refusal(path, text))] for path in wrong]
    assert found["after"]["invalid"] == wrong
    assert found["after"]["stale"]
    assert found["mended"]["said"] == []
    assert not found["mended"]["stale"]


# ---------------------------------------------------------------- nothing typed is lost


def is_wrong(input_: Locator, text: str) -> None:
    expect(input_).to_have_attribute("aria-invalid", "true")
    expect(input_).to_have_value(text)


def test_what_is_wrong_in_a_field_moves_with_it_when_another_is_removed(person: Person) -> None:
    person.page.locator("#loaders-0-fields-add").click()
    person.input("loaders.0.fields.1.kind").select_option("tensor")
    expect(person.input("loaders.0.fields.1.shape")).to_have_count(1)
    person.types("loaders.0.fields.1.shape", "3 by 4")
    is_wrong(person.input("loaders.0.fields.1.shape"), "3 by 4")
    person.page.locator("#loaders-0-fields-0-remove").click()
    expect(person.input("loaders.0.fields.1.name")).to_have_count(0)
    is_wrong(person.input("loaders.0.fields.0.shape"), "3 by 4")
    person.types("loaders.0.fields.0.shape", "3, 4")
    person.sees("1 GiB")


def test_what_was_wrong_in_a_loader_goes_with_it(person: Person) -> None:
    add_loader(person)
    person.types("loaders.1.batch_size", "many")
    is_wrong(person.input("loaders.1.batch_size"), "many")
    person.page.locator("#loaders-1-remove").click()
    expect(person.input("loaders.1.batch_size")).to_have_count(0)
    person.sees("8 GiB")
    add_loader(person)
    expect(person.input("loaders.1.batch_size")).to_have_value("64")
    expect(person.page.locator("[aria-invalid]")).to_have_count(0)


def test_a_change_that_is_refused_leaves_the_other_mistake_at_its_input(person: Person) -> None:
    """Two such loaders are just below what any machine has; a third is beyond it."""
    add_loader(person)
    person.input("schedule").select_option("always")
    person.types("loaders.0.fields.0.shape", "80000000000")
    person.types("loaders.1.fields.0.shape", "85000000000")
    person.sees("6 PiB")
    person.page.locator("#loaders-0-fields-add").click()
    expect(person.input("loaders.0.fields.1.kind")).to_have_value("int")
    person.types("ranks", "several")
    is_wrong(person.input("ranks"), "several")
    add_loader(person)
    expect(person.page.locator("#form-error")).to_contain_text("more than any machine has")
    is_wrong(person.input("ranks"), "several")
    person.types("ranks", "8")
    person.sees("6 PiB")
    expect(person.page.locator("#form-error")).to_be_empty()


def test_the_largest_size_comes_back_from_the_page_as_it_was(person: Person) -> None:
    person.types("current_shm", "9007199254740991")
    person.sees("8 GiB")
    person.page.locator("#loaders-0-fields-add").click()
    expect(person.input("loaders.0.fields.1.name")).to_have_value("label")
    expect(person.input("current_shm")).to_have_value("9007199254740991")
    expect(person.page.locator("[aria-invalid]")).to_have_count(0)


# ---------------------------------------------------------------- hints, steps, limits


def test_a_bare_number_of_bytes_is_questioned_and_answered(person: Person) -> None:
    hint = person.page.locator("#current-shm-hint")
    there_is = person.input("current_shm")
    person.types("current_shm", "64")
    expect(hint).to_have_text("64 means 64 bytes; did you mean 64m or 64g?")
    expect(hint).to_be_visible()
    assert "current-shm-hint" in (there_is.get_attribute("aria-describedby") or "").split()
    expect(there_is).not_to_have_attribute("aria-invalid", "true")
    person.sees("8 GiB")
    expect(person.page.locator("#say")).to_contain_text("did you mean 64m or 64g?")
    person.types("ranks", "0")
    is_wrong(person.input("ranks"), "0")
    expect(hint).not_to_be_empty()
    person.types("current_shm", "64m")
    expect(hint).to_be_empty()
    person.types("ranks", "8")
    person.sees("8 GiB")


def test_arrow_keys_turn_a_number_within_its_range(person: Person) -> None:
    ranks = person.input("ranks")
    person.types("ranks", "1023")
    for key, wanted in [("ArrowUp", "1024"), ("ArrowUp", "1024"), ("ArrowDown", "1023")]:
        ranks.press(key)
        expect(ranks).to_have_value(wanted)
    person.types("ranks", "2")
    for wanted in ("1", "1"):
        ranks.press("ArrowDown")
        expect(ranks).to_have_value(wanted)
    person.sees("1 GiB")
    person.types("ranks", "some")
    ranks.press("ArrowUp")
    expect(ranks).to_have_value("some")


def test_no_loader_is_offered_beyond_the_most_there_may_be(person: Person) -> None:
    add = person.page.locator("#add-loader")
    for position in range(1, 16):
        expect(add).to_be_enabled()
        add_loader(person)
        expect(person.input(f"loaders.{position}.batch_size")).to_have_count(1)
    expect(add).to_be_disabled()
    expect(add).to_have_accessible_description("16 loaders are the most.")
    expect(person.page.locator("#add-loader-full")).to_be_visible()
    person.types("ranks", "0")
    is_wrong(person.input("ranks"), "0")
    expect(add).to_be_disabled()
    person.types("ranks", "1")
    person.page.locator("#loaders-15-remove").click()
    expect(add).to_be_enabled()
    expect(person.page.locator("#add-loader-full")).to_have_count(0)


def test_nothing_complained(person: Person) -> None:
    assert person.complaints == []
