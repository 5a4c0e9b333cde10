"""Whatever is pasted: no traceback, no hang, and never a change beside what the diff says."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calculator.errors import InputError
from calculator.manifests import mend
from calculator.manifests.audit import audit_text
from calculator.units import GIB
from tests.manifests.patching import patched

CASES = Path(__file__).parents[1]
INPUTS = [
    case["input"]
    for path in (CASES / "cases.json", CASES / "cases" / "more_yaml.json")
    for case in json.loads(path.read_text("utf-8"))["cases"]
    if case["kind"] == "yaml"
]
PIECES = [
    *("\t", "\r\n", "\n", "\n\n", "- ", ": ", "? ", "{", "}", "[", "]", "&a ", "*a", "<<: *a", "|"),
    *(">-", "#", '"', "'", "---\n", "...\n", "!!str ", "%", "\ufeff", "null", "~", "{{ .x }}"),
    *("${X:-2g}", "shm_size: 1g\n", "  ", "\x00", "é", "\u2028", ","),
]
FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def hold(text: str) -> None:
    started = time.perf_counter()
    found = mend(text, 8 * GIB)
    assert time.perf_counter() - started < 5, "slow"
    assert found.message
    if found.action != "patch":
        assert found.text == text
        return
    assert found.text != text
    assert patched(text, found.diff) == found.text
    again = mend(found.text, 8 * GIB)
    assert again.text == found.text
    assert again.action in {"no_change", "ask"}


@st.composite
def mutations(draw: st.DrawFn) -> str:
    text: str = draw(st.sampled_from(INPUTS))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        how = draw(st.sampled_from(["insert", "delete", "double", "cut", "indent", "flip"]))
        end = min(len(text), at + draw(st.integers(0, 30)))
        if how == "insert":
            text = text[:at] + draw(st.sampled_from(PIECES)) + text[at:]
        elif how == "delete":
            text = text[:at] + text[end:]
        elif how == "double":
            text = text[:end] + text[at:]
        elif how == "cut":
            text = text[:at]
        elif how == "indent":
            text = text.replace("\n", "\n  ")
        else:
            text = text.replace("\n", "\r\n")
    return text


@FUZZ
@given(mutations())
def test_mutated_cases_never_fail(text: str) -> None:
    hold(text)


@FUZZ
@given(st.text(alphabet=st.sampled_from("ab:- \n\t{}[]&*#|>'\"%!?,0~<=$")))
def test_any_text_never_fails(text: str) -> None:
    hold(text)


@FUZZ
@given(st.lists(st.sampled_from(INPUTS), min_size=1, max_size=3))
def test_streams_of_cases_never_fail(texts: list[str]) -> None:
    hold("\n---\n".join(texts))


@pytest.mark.parametrize("text", INPUTS, ids=range(len(INPUTS)))
def test_every_truncation_of_a_case(text: str) -> None:
    lines = text.splitlines(keepends=True)
    for count in range(0, len(lines), 2):
        hold("".join(lines[:count]))


@FUZZ
@given(mutations())
def test_an_audit_never_fails(text: str) -> None:
    try:
        found = audit_text(text)
    except InputError:
        found = None
    assert found or text.lstrip("\ufeff \t\r\n")[0] in "{["  # JSON that is none


HOSTILE = {
    "brackets": "[" * 1_000_000,
    "braces": "{" * 240_000,
    "deep mapping": "".join(" " * i + "a:\n" for i in range(600)),
    "one long value": "services:\n  a:\n    image: " + "x y " * 60_000,
    "many services": "services:\n" + "".join(f"  s{i}:\n    image: x\n" for i in range(9000)),
    "many documents": "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a}]}\n---\n" * 15_000,
    "aliases": "a0: &a0 [x, x]\n"
    + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60))
    + "services: {a: {image: x}}\n",
    "merges": "a0: &a0 {k: v}\n"
    + "".join(f"a{i}: &a{i}\n  <<: [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))
    + "services: {a: {<<: *a39, image: x}}\n",
    "a loop": "a: &a {b: *a}\nservices: {a: *a}\n",
    "comments": "# c\n" * 250_000 + "services:\n  a:\n    image: x\n",
    "blank": "\n" * 1_000_000,
    "markers": "---\n" * 250_000,
    "quotes": '"' * 1_000_000,
    "templates": "{{ .x }}\n" * 110_000,
    "variables": "services: {a: {image: x, shm_size: '" + "${A:-" * 40_000 + "'}}",
    "extends in a ring": "services: {a: {extends: b, image: x}, b: {extends: a}}",
    "huge size": "services: {a: {image: x, shm_size: '" + "9" * 5000 + "g'}}",
    "huge exponent": "{apiVersion: v1, kind: Pod, spec: {containers: [{name: a, image: x,"
    " volumeMounts: [{name: d, mountPath: /dev/shm}]}],"
    " volumes: [{name: d, emptyDir: {medium: Memory, sizeLimit: 1e999999999}}]}}",
    "a lone surrogate": "services: {a: {image: \ud800}}",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_answered_soon(name: str) -> None:
    hold(HOSTILE[name])
