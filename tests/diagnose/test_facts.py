"""The signatures, diagnoses and actions, as data."""

import json
import re
import time
from pathlib import Path

import pytest

from calculator import resources
from calculator.diagnose import diagnose
from calculator.diagnose.prefixes import peel
from calculator.diagnose.signatures import signatures, triggers

CASES = json.loads((Path(__file__).parents[1] / "cases.json").read_text(encoding="utf-8"))
TAXONOMY = CASES["taxonomy"]
DIAGNOSES = resources.table("facts", "diagnoses")
ACTIONS = resources.table("facts", "actions")
SOURCES = resources.table("facts", "sources")
PREFIXES = resources.table("facts", "prefixes")["prefix"]
ROWS = resources.table("facts", "signatures")["signature"]


def test_every_diagnosis_and_action_of_the_taxonomy_has_words():
    assert set(DIAGNOSES) == set(TAXONOMY["diagnosis"])
    assert set(ACTIONS) == set(TAXONOMY["actions"])


def test_signature_ids_are_unique():
    ids = [row["id"] for row in ROWS]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_signature_names_what_exists(row):
    assert row.get("role") == "context" or row["diagnosis"] in DIAGNOSES
    assert set(row.get("actions", ())) <= set(ACTIONS)
    assert row.get("source", "measured") in SOURCES
    assert row.get("contains") or row.get("one_of")


@pytest.mark.parametrize("name", DIAGNOSES)
def test_a_diagnosis_names_what_exists(name):
    row = DIAGNOSES[name]
    assert row["source"] in SOURCES
    ways = [row["actions"], *row.get("actions_on", {}).values()]
    assert all(way and set(way) <= set(ACTIONS) for way in ways)


def test_triggers_are_what_no_escape_can_hide():
    for trigger in triggers():
        assert trigger == trigger.lower()
        assert len(trigger) >= 4, trigger


@pytest.mark.parametrize("row", PREFIXES, ids=[row["id"] for row in PREFIXES])
def test_a_prefix_is_taken_off_its_example(row):
    message, _ = peel(row["example"])
    assert message.endswith("text")
    assert len(message) < len(row["example"])


PIECES = [
    "a", "1", "/a", "(", "[", " ", "/torch_1_", "pid: 1 ", "exit code: 1 ", "size ", '"', "1Gi ",
    "Container x was using ", "epoch 1 ", "in /dev/shm ", "A.", "a-", "1,", "killed process ",
    "rank ", "\\", "'", "-m ", "mmap ", "No space left", "Connect to ", "spec.",
    "local_rank: ", "name: x, ",
]  # fmt: skip


def test_no_pattern_runs_away():
    slowest = 0.0
    patterns = [p for each in signatures() for p in (each.pattern, *each.also) if p]
    for pattern in patterns:
        for piece in PIECES:
            text = (piece * 4000)[:4000]
            started = time.perf_counter()
            pattern.search(text)
            slowest = max(slowest, time.perf_counter() - started)
    assert slowest < 0.5


@pytest.mark.parametrize("row", PREFIXES, ids=[row["id"] for row in PREFIXES])
def test_no_prefix_runs_away(row):
    pattern = re.compile(row["pattern"])
    started = time.perf_counter()
    for piece in PIECES:
        pattern.match((piece * 4000)[:4000])
    assert time.perf_counter() - started < 0.5


def test_every_text_can_be_written_without_anything_known():
    """A template that names what is not there would say nothing where it should."""
    for row in [*DIAGNOSES.values(), *ACTIONS.values()]:
        for text in row.values():
            if isinstance(text, str):
                assert "None" not in text
    assert diagnose("Killed").answer.count("None") == 0
