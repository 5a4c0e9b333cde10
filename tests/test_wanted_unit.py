"""Sizes in the unit that a person wants, and only where somebody wants it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from calculator import api
from calculator.errors import InputError
from calculator.units import GIB, KIB, MIB, size, written_in


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (8 * GIB, "MiB", "8,192 MiB"),
        (8 * GIB, "GiB", "8 GiB"),
        (8 * GIB, "auto", "8 GiB"),
        (6_658_457_600, "MiB", "6,350 MiB"),
        (6_658_457_600, "GiB", "6.2 GiB"),
        (64 * MIB, "GiB", "0.0625 GiB"),
        (38_535_168, "GiB", "0.0359 GiB"),
        (38_535_168, "MiB", "36.75 MiB"),
        (38_535_168, "auto", "36.75 MiB"),
        (4 * KIB, "MiB", "0.00391 MiB"),
        (4 * KIB, "GiB", "0.00000381 GiB"),
        (4 * KIB, "auto", "4 KiB"),
        (600, "auto", "600 bytes"),
        (0, "GiB", "0 GiB"),
        (0, "auto", "0 bytes"),
        (2048 * GIB, "GiB", "2,048 GiB"),
    ],
)
def test_a_size_in_the_unit_that_is_wanted(value: int, unit: Any, text: str) -> None:
    with written_in(unit):
        assert size(value) == text


def test_a_unit_that_is_said_means_what_it_says() -> None:
    with written_in("GiB"):
        assert size(64 * MIB, "MiB") == "64 MiB"
        assert size(4 * KIB, "MiB") == "0.004 MiB"


def test_a_usual_unit_gives_way_to_the_wanted_one() -> None:
    assert size(602_112, usually="MiB") == "0.574 MiB"
    with written_in("GiB"):
        assert size(602_112, usually="MiB") == "0.000561 GiB"


def test_units_lie_in_one_another_and_come_back() -> None:
    with written_in("MiB"):
        with written_in("auto"):
            assert size(GIB) == "1 GiB"
        assert size(GIB) == "1,024 MiB"
    assert size(GIB) == "1 GiB"


def refuse() -> None:
    with written_in("MiB"):
        raise InputError.at("x", "is wrong")


def test_a_unit_does_not_outlive_a_mistake() -> None:
    with pytest.raises(InputError):
        refuse()
    assert size(GIB) == "1 GiB"


# ---------------------------------------------------------------- through the door


def ask(**request: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(api.answer(json.dumps(request)))
    return found


AUTOMATIC = api.answer(json.dumps({"preset": "vision-language-8gpu"}))

LEAVES_NO_TRACE = [
    {"unit": "MiB"},
    {"unit": "GiB", "set": {"ranks": "none"}},
    {"unit": "GiB", "set": {"loaders.0.fields.0.shape": "999999999, 999999999"}},
    {"unit": "MiB", "targets": ["no such platform"]},
    {"unit": "GiB", "paste": {"chunk": "x", "first": True, "last": True}},
    {"unit": "KiB"},
]


@pytest.mark.parametrize("request_", LEAVES_NO_TRACE, ids=json.dumps)
def test_the_next_answer_knows_nothing_of_it(request_: dict[str, Any]) -> None:
    ask(**request_)
    assert api.answer(json.dumps({"preset": "vision-language-8gpu"})) == AUTOMATIC


def test_automatic_is_what_is_answered_when_nothing_is_said() -> None:
    asked = json.dumps({"preset": "vision-language-8gpu", "unit": "auto"})
    assert api.answer(asked) == AUTOMATIC


def test_another_unit_is_refused_in_words() -> None:
    assert ask(unit="KiB")["errors"][0]["path"] == "unit"


SIZE = re.compile(r"\d (bytes|[KMGTPE]iB)\b")
TYPED = re.compile(r'<dl class="told">.*?</dl>', re.DOTALL)
"""What a person typed stays as they typed it; so does the form."""

NAMES = re.compile("The 64 MiB default|Always 16 GiB|pages of 4 KiB")
"""What rules of thumb are called, and where was measured."""


@pytest.mark.parametrize("unit", ["MiB", "GiB"])
def test_every_size_that_is_read_follows(unit: str) -> None:
    """A number of bytes stays beside it: it is exact, and a formula is made of them."""
    answer = ask(preset="vision-language-8gpu", unit=unit)
    for name in answer["parts"].keys() - {"form"}:
        shown = NAMES.sub("", TYPED.sub("", answer["parts"][name]))
        assert set(SIZE.findall(shown)) <= {unit, "bytes"}, name
    said = json.dumps([answer["report"][key] for key in ("risk", "notices")])
    assert set(SIZE.findall(said)) == {unit}


@pytest.mark.parametrize("unit", ["MiB", "GiB"])
def test_no_file_changes_with_it(unit: str) -> None:
    texts = [
        {each["id"]: each["text"] for each in answer["report"]["targets"]}
        for answer in (json.loads(AUTOMATIC), ask(preset="vision-language-8gpu", unit=unit))
    ]
    assert texts[0] == texts[1]
    assert any(SIZE.search(text) for text in texts[0].values()), "some file names a size in words"
