"""Holds cases of Compose and Kubernetes files and Helm values against mending."""

from __future__ import annotations

import re
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
    hard, soft = outcome.hard, outcome.soft_misses
    ids = {warning.id for warning in found.warnings}
    if key in {"must_mention", "must_not"}:
        for pattern in value:
            outcome.soft_total += 1
            matches = re.search(pattern, found.answer, re.IGNORECASE) is not None
            if matches != (key == "must_mention"):
                soft.append(f"{key} {pattern!r}")
    elif key in {"evidence", "actions"}:
        outcome.soft_total += 1
        wanted = value if isinstance(value, str) else str(value[0])
        if wanted not in found.answer + found.diff + text:
            soft.append(f"{key} {wanted!r}")
    elif key in {"action", "format", "parse"}:
        _plain(key, value, getattr(found, key), expected, hard)
    elif key in {"action_in", "format_in", "parse_in"}:
        if getattr(found, key.removesuffix("_in")) not in value:
            hard.append(f"{key}: {getattr(found, key.removesuffix('_in'))} is not in {value}")
    elif key == "warn":
        hard += [f"no warning {each}" for each in value if not ids & _alike(each)]
    elif key == "warn_one_of":
        if not any(ids & _alike(each) for each in value):
            hard.append(f"none of the warnings {value}")
    elif key == "no_warn":
        hard += [f"a warning {each}" for each in value if each in ids]
    elif key == "keep_text":
        hard += [f"lost: {each!r}" for each in value if each not in found.text]
    elif key == "unchanged_docs":
        before, after = _documents(text), _documents(found.text)
        hard += [f"document {i} changed" for i in value if before[i] != after[i]]
    elif key == "line_ends":
        ends = "\r\n" if value == "crlf" else "\n"
        if found.text.count("\n") != found.text.count(ends) or (
            value == "lf" and "\r" in found.text
        ):
            hard.append(f"line ends are not all {value}")
    elif key == "after" or key == "also_accept":
        if key == "after" and expected.get("action") in {"ask", "refuse", "advise"}:
            return
        if key == "after":
            hard += check_after(value, found)
    elif key == "text_matches":
        if not re.search(value, found.text):
            hard.append(f"the text does not match {value!r}")
    elif key not in _NOTES:
        hard.append(f"nobody checks the key {key!r}")


def _plain(key: str, value: str, found: str, expected: dict[str, Any], hard: list[str]) -> None:
    allowed = {value}
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
