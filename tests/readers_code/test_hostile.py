"""Hostile code: never a traceback, never a hang."""

from __future__ import annotations

import json
import random
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calculator.errors import InputError
from calculator.readers import read
from calculator.readers.code import read_code

CASES = json.loads((Path(__file__).parents[1] / "cases" / "more_code.json").read_text())["cases"]
TEXTS = [each["input"] for each in CASES]
PIECES = [
    "(", ")", "[", "]", "{", "}", "**", ":", "\n", "    ", "lambda x: x", "...", "1e999",
    "10**9**9", '"""', "'", "DataLoader(", "self", "if x:", "yield ", "batch_size=", "@", "\0",
    "\ud800", "\u2028",
]  # fmt: skip


def _read(text: str) -> None:
    with suppress(InputError):
        read_code(text)


@given(st.sampled_from(TEXTS), st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_mutated_cases_are_read_or_refused(text: str, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 6)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.randint(0, 20))
        piece = chance.choice(PIECES)
        text = chance.choice(
            [
                text[:start] + text[end:],
                text[:start] + piece + text[start:],
                text[:end] + text[start:end] * 20 + text[end:],
            ]
        )
    _read(text)


@pytest.mark.parametrize("text", TEXTS, ids=[each["id"] for each in CASES])
def test_truncated_cases_are_read_or_refused(text):
    for end in range(0, len(text), 29):
        _read(text[:end])


@given(st.text(max_size=400))
@settings(max_examples=100)
def test_any_text_is_read_or_refused(text: str) -> None:
    _read(text)


BOMBS = {
    "nested": "a = " + "(" * 5000 + "1" + ")" * 5000,
    "minus": "a = " + "-" * 200_000 + "1",
    "chain": "a = " + "+".join(["x"] * 90_000),
    "attributes": "a = x" + ".b" * 90_000,
    "power": "a = [0] * 10**15\nb = a * 10\nc = 10**10**10\nd = 1 << 10**9\n",
    "calls": "".join(f"def f{i}(): return f{i + 1}() + f{i + 1}()\n" for i in range(60)) + "f0()\n",
    "recursion": "def f(n): return f(n)\nf(1)\n",
    "classes": "class A(A): pass\nclass A(A): pass\nDataLoader(A(), 4)\n",
    "loaders": "DataLoader(ds, 8)\n" * 10_000,
    "broken": "def f(:\n    y = = 2\n" * 10_000,
    "open": "loader = DataLoader(ds, batch_size=8, num_workers=\n" * 5000,
    "megabyte of code": "x = f(1, a=2) + y[3]\n" * 50_000,
    "megabyte of comments": "# torchrun --nproc_per_node 8 x.py (1, 2, 3)\n" * 22_000,
    "megabyte of brackets": "(" * 1_000_000,
    "megabyte of quotes": '"""' + "a" * 1_000_000,
    "words": "# " + "a, " * 300_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_do_not_go_off(name):
    start = time.process_time()
    _read(BOMBS[name])
    assert time.process_time() - start < 2


@pytest.mark.parametrize("text", [" \n" * 100_000, "note: " + " \n" * 100_000, "\t\n\n" * 60_000])
def test_blank_lines_are_no_bomb_for_any_reader(text: str) -> None:
    start = time.process_time()
    with suppress(InputError):
        read(text)
    assert time.process_time() - start < 2


def test_a_number_longer_than_any_float_is_asked_for() -> None:
    found = read_code(f"loader = DataLoader(data, batch_size={'9' * 4000}, num_workers=2)\n")
    assert [each.path for each in found.asked][:1] == ["loaders.0.batch_size"]
