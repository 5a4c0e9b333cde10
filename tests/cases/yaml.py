"""Holds cases of Compose and Kubernetes files and Helm values against mending."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from ruamel.yaml import YAML

from calculator.errors import InputError
from calculator.manifests import Mended, mend
from tests.cases.outcome import Outcome
from tests.cases.yaml_after import check_after

_SAME: Final = (
    {"shm_counts_toward_memory", "shm_large_share_of_memory"},
    {"unit_invalid", "unit_portability"},
)
_NOTES: Final = {"note", "ask", "comment", "source", "why"}


def check(case: dict[str, Any]) -> Outcome:
    """Make every hard and soft check of a case."""
    outcome = Outcome()
    request = {**case.get("given", {}), **case["request"]}
    size = request.pop("shm_bytes")
    name = request.pop("container", request.pop("service", None))
    try:
        found = mend(case["input"], size, container=name, given=request)
    except InputError as error:
        outcome.hard.append(f"refused: {error}")
        return outcome
    expected = dict(case["expected"])
    _whole(case["input"], found, size, name, request, outcome)
    for key, value in expected.items():
        _key(key, value, case["input"], found, expected, outcome)
    return outcome


def _whole(
    text: str, found: Mended, size: int, name: str | None, given: dict[str, Any], outcome: Outcome
) -> None:
    """What holds for every file: untouched unless patched, and applying twice changes nothing."""
    if found.action != "patch" and found.text != text:
        outcome.hard.append(f"{found.action}, and yet the text changed")
    if found.action == "patch":
        again = mend(found.text, size, container=name, given=given)
        if again.text != found.text:
            outcome.hard.append("applying it twice changes it again")
        if found.text == text:
            outcome.hard.append("patch, and yet the text is the same")


def _key(
    key: str, value: Any, text: str, found: Mended, expected: dict[str, Any], outcome: Outcome
) -> None:
    """Make the checks of one key; one that nobody knows is a hard failure."""
    if key in {"must_mention", "must_not", "evidence", "actions"}:
        _soft(key, value, text, found, outcome)
    elif key in _HARD:
        outcome.hard += _HARD[key](value, text, found)
    elif key.removesuffix("_in") in {"action", "format", "parse"}:
        _plain(key, value, getattr(found, key.removesuffix("_in")), expected, outcome.hard)
    elif key == "after":
        if expected.get("action") not in {"ask", "refuse", "advise"}:
            outcome.hard += check_after(value, found)
    elif key not in _NOTES:
        outcome.hard.append(f"nobody checks the key {key!r}")


def _soft(key: str, value: Any, text: str, found: Mended, outcome: Outcome) -> None:
    if key in {"evidence", "actions"}:
        outcome.soft_total += 1
        wanted = value if isinstance(value, str) else str(value[0])
        if wanted not in found.answer + found.diff + text:
            outcome.soft_misses.append(f"{key} {wanted!r}")
        return
    for pattern in value:
        outcome.soft_total += 1
        matches = re.search(pattern, found.answer, re.IGNORECASE) is not None
        if matches != (key == "must_mention"):
            outcome.soft_misses.append(f"{key} {pattern!r}")


def _warned(value: list[str], _: str, found: Mended) -> list[str]:
    ids = {warning.id for warning in found.warnings}
    return [f"no warning {each}" for each in value if not ids & _alike(each)]


def _warned_of_one(value: list[str], _: str, found: Mended) -> list[str]:
    ids = {warning.id for warning in found.warnings}
    return [] if any(ids & _alike(each) for each in value) else [f"none of the warnings {value}"]


def _not_warned(value: list[str], _: str, found: Mended) -> list[str]:
    ids = {warning.id for warning in found.warnings}
    return [f"a warning {each}" for each in value if each in ids]


def _kept(value: list[str], _: str, found: Mended) -> list[str]:
    return [f"lost: {each!r}" for each in value if each not in found.text]


def _unchanged(value: list[int], text: str, found: Mended) -> list[str]:
    before, after = _documents(text), _documents(found.text)
    return [f"document {i} changed" for i in value if before[i] != after[i]]


def _line_ends(value: str, _: str, found: Mended) -> list[str]:
    ends = "\r\n" if value == "crlf" else "\n"
    mixed = found.text.count("\n") != found.text.count(ends)
    wrong = mixed or (value == "lf" and "\r" in found.text)
    return [f"line ends are not all {value}"] if wrong else []


def _matches(value: str, _: str, found: Mended) -> list[str]:
    return [] if re.search(value, found.text) else [f"the text does not match {value!r}"]


_HARD: Final[dict[str, Callable[[Any, str, Mended], list[str]]]] = {
    "warn": _warned,
    "warn_one_of": _warned_of_one,
    "no_warn": _not_warned,
    "keep_text": _kept,
    "unchanged_docs": _unchanged,
    "line_ends": _line_ends,
    "text_matches": _matches,
}


def _plain(key: str, value: Any, found: str, expected: dict[str, Any], hard: list[str]) -> None:
    allowed = set(value) if key.endswith("_in") else {value}
    if value == "no_change_or_patch":
        allowed = {"no_change", "patch"}
    if key == "action" and "patching both" in expected.get("note", ""):
        allowed.add("patch")
    if found not in allowed:
        hard.append(f"{key} is {found}, not {value}")


def _alike(name: str) -> set[str]:
    return next((same for same in _SAME if name in same), {name})


def _documents(text: str) -> list[Any]:
    return [each for each in YAML(typ="safe", pure=True).load_all(text) if each is not None]
