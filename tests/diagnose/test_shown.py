"""The index of errors: the messages it shows are the ones the engine reads, as what it says."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from calculator.diagnose import diagnose
from calculator.diagnose.known import known

FACTS = Path(__file__).parents[2] / "calculator" / "facts"
SIGNATURES: list[dict[str, Any]] = tomllib.loads((FACTS / "signatures.toml").read_text("utf-8"))[
    "signature"
]
DIAGNOSES: dict[str, Any] = tomllib.loads((FACTS / "diagnoses.toml").read_text("utf-8"))

WITHOUT_WORDING = {"emptydir_evicted_other_volume"}
"""Told apart by which volume the message names, not by its words."""


def texts(row: dict[str, Any]) -> list[str]:
    """Return the messages of a signature."""
    found = row.get("shown", [])
    return [found] if isinstance(found, str) else found


SHOWN = [(row, text) for row in SIGNATURES for text in texts(row)]


@pytest.mark.parametrize(
    ("row", "text"), SHOWN, ids=[f"{row['id']}-{number}" for number, (row, _) in enumerate(SHOWN)]
)
def test_a_shown_message_is_read_as_what_it_stands_under(row: dict[str, Any], text: str) -> None:
    """X stands for what differs from run to run: here a number."""
    found = diagnose(re.sub(r"(?<![A-Za-z])X(?![a-z][a-z])", "7", text))
    assert found.diagnosis == row.get("diagnosis", "none")


def test_every_diagnosis_has_an_entry_with_its_messages() -> None:
    entries = {entry.id: entry for entry in known()}
    assert set(entries) == set(DIAGNOSES)
    for row, text in SHOWN:
        shown = [each.text for each in entries[row.get("diagnosis", "none")].messages]
        assert text.strip("\n") in shown, row["id"]
    assert {name for name, each in entries.items() if not each.messages} == WITHOUT_WORDING


@pytest.mark.parametrize("name", DIAGNOSES)
def test_the_message_that_stands_for_a_diagnosis_is_one_of_its_own(name: str) -> None:
    first = DIAGNOSES[name].get("shown_first")
    own = {row["id"] for row in SIGNATURES if row.get("diagnosis", "none") == name and texts(row)}
    assert first is None or first in own


@pytest.mark.parametrize("name", DIAGNOSES)
def test_whether_a_larger_shm_helps_agrees_with_the_advice(name: str) -> None:
    """Where it is the cure it is the first advice, where it is not it is none."""
    row = DIAGNOSES[name]
    match row["larger_shm"]:
        case "yes":
            assert row["actions"][0] == "raise_shm"
        case "no":
            assert "raise_shm" not in row["actions"]
        case other:
            assert other == "perhaps"


@pytest.mark.parametrize("entry", known(), ids=lambda entry: entry.id)
def test_an_entry_reads_well_where_nothing_is_known(entry: Any) -> None:
    """No gap where a value of a log would stand."""
    for text in (entry.title, entry.means, entry.dont, *entry.advice):
        assert text
        assert not re.search(r"None|Undefined|\(\)|  | [.,:;]( |$)|\{", text), text
