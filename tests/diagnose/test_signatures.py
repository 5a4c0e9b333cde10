"""A text for every signature: signatures.json has those that no case has."""

import json
from pathlib import Path

import pytest

from calculator.diagnose import diagnose
from calculator.diagnose.lines import clean
from calculator.diagnose.signatures import match, signatures

TESTS = Path(__file__).parents[1]
TABLE = json.loads(Path(__file__).with_name("signatures.json").read_text(encoding="utf-8"))


def found_in(text: str) -> set[str]:
    lines = [line for number, raw in enumerate(text.split("\n"), 1) for line in clean(number, raw)]
    return {each.signature.id for each in match(lines)}


@pytest.mark.parametrize("row", TABLE, ids=[row["id"] for row in TABLE])
def test_a_text_has_its_signature(row):
    assert row["id"] in found_in(row["text"])
    assert diagnose(row["text"]).diagnosis == row["diagnosis"]


def test_every_signature_has_a_text():
    texts = [row["text"] for row in TABLE]
    for name in ("cases.json", "cases/more_log.json"):
        cases = json.loads((TESTS / name).read_text(encoding="utf-8"))["cases"]
        texts += [case["input"] for case in cases if case["kind"] == "log"]
    shown = set().union(*map(found_in, texts))
    assert [each.id for each in signatures() if each.id not in shown] == []
