"""Whatever is pasted: an answer, in time, never an exception."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calculator.diagnose import diagnose
from calculator.diagnose.signatures import triggers

CASES = Path(__file__).parents[1] / "cases.json"
TEXTS = [
    case["input"]
    for case in json.loads(CASES.read_text(encoding="utf-8"))["cases"]
    if isinstance(case["input"], str)
]
PIECES = [
    *triggers(), "\n", "\r", "\x1b[31m", "\x00", "[rank3]: ", '{"log":"', '\\n"}', "&lt;", "%",
    "9" * 30, "on /dev/shm", "(pid 1)", "size 99999999999999999999Gi", "Limits:", "memory: 1e999",
    "é", "\U0001f600", "\ud800", "Filesystem 1K-blocks", "shm 9e9 1 1 1% /dev/shm",
    "--shm-size=", "attempt 2",
]  # fmt: skip
CALM = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def answers(text: str) -> None:
    found = diagnose(text)
    assert found.answer
    assert found.actions
    json.dumps(found.model_dump(mode="json"))
    assert all(0 < each.line <= found.lines + 1 for each in found.evidence)


@given(st.lists(st.sampled_from(PIECES), max_size=30))
@CALM
def test_pieces_in_any_order(pieces):
    answers(" ".join(pieces))


@given(st.text(max_size=400))
@CALM
def test_any_text(text):
    answers(text)


@given(st.sampled_from(TEXTS), st.integers(0, 3000), st.integers(0, 60), st.sampled_from(PIECES))
@CALM
def test_cases_cut_and_changed(text, at, gone, put_in):
    answers(text[:at] + put_in + text[at + gone :])
    answers(text[at:])


HOSTILE = {
    "one long line": "x" * 1_000_000,
    "every line a failure": "no space left on device bus error exit code: 1 nccl warn\n" * 18_000,
    "slashes": ("/a" * 2500 + " no space left on device\n") * 200,
    "brackets": ("[" * 5000 + " bus error\n") * 200,
    "braces": "{" * 1_000_000,
    "json": '{"log":"Error: x\\n","time":"2026-05-02T12:00:00.0Z"}\n' * 18_000,
    "nested json": '{"a":' * 200_000,
    "ansi": "\x1b[" * 500_000,
    "entities": "&lt;" * 250_000,
    "tracebacks": "Caught RuntimeError in DataLoader worker process 1.\nError: x\n" * 16_000,
    "backslashes": "\\n" * 500_000,
    "carriage returns": "a\r" * 500_000,
    "df": "shm 64M 0 64M 0% /dev/shm\n" * 38_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_megabyte_takes_two_seconds_at_most(name):
    best = 99.0
    for _ in range(3):  # other work on the machine is no slowness of ours
        started = time.process_time()
        answers(HOSTILE[name])
        best = min(best, time.process_time() - started)
        if best < 2:
            break
    assert best < 2
