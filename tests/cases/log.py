"""Holds one case of kind "log" against the reader of logs, as the conventions of cases.json say."""

from __future__ import annotations

import re
import string
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from calculator.diagnose import Diagnosis, diagnose
from tests.cases.outcome import Outcome

MAX_SECONDS = 10.0
KNOWN = {
    "diagnosis", "also_accept", "confidence", "secondary", "evidence", "extract", "actions",
    "must_mention", "must_not", "max_seconds",
}  # fmt: skip


def check(case: dict[str, Any]) -> Outcome:
    """Answer the case; say which checks failed."""
    expected = case["expected"]
    outcome = Outcome()
    text, allowed = pasted(case)
    started = time.monotonic()
    found = diagnose(text, case.get("given"))
    spent = time.monotonic() - started
    if spent > allowed:
        outcome.hard.append(f"took {spent:.1f} s, at most {allowed} s are allowed")
    outcome.hard += [f"no check for {key!r}" for key in sorted(set(expected) - KNOWN)]
    outcome.hard += _hard(expected, found)
    for kept, complaint in _soft(expected, found):
        outcome.soft_total += 1
        if not kept:
            outcome.soft_misses.append(complaint)
    return outcome


# ---------------------------------------------------------------- the text


def pasted(case: Mapping[str, Any]) -> tuple[str, float]:
    """Return the case's text with its repeated line put in, and the seconds it may take."""
    text = case["input"]
    allowed = case.get("max_seconds", case["expected"].get("max_seconds", MAX_SECONDS))
    for key, spec in _expansions(case.get("expand") or {}):
        times = next(spec[name] for name in ("times", "repeat", "count", "n") if name in spec)
        lines = "\n".join(_numbered(spec["line"].rstrip("\n"), i) for i in range(times))
        text = text.replace(key, lines)
        allowed = spec.get("max_seconds", allowed)
    return text, float(allowed)


def _expansions(expand: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if "line" in expand:
        yield expand.get("key") or expand["replace"], expand
        return
    yield from ((key, spec) for key, spec in expand.items() if isinstance(spec, Mapping))


class _Counter(string.Formatter):
    """Puts the counter wherever the line has braces, whatever their name."""

    def get_value(self, _key: Any, args: Any, _kwargs: Any) -> Any:
        return args[0]


def _numbered(line: str, number: int) -> str:
    if re.search(r"%0?\d*d", line):
        return re.sub(r"%0?\d*d", lambda match: match[0] % number, line)
    try:
        return _Counter().vformat(line, (number,), {})
    except (ValueError, AttributeError):
        return line


# ---------------------------------------------------------------- hard checks


def _hard(expected: Mapping[str, Any], found: Diagnosis) -> Iterator[str]:
    right = [expected["diagnosis"], *expected.get("also_accept", ())]
    if found.diagnosis not in right:
        yield f"diagnosis is {found.diagnosis}, not {' or '.join(right)}"
    for key, value in expected.get("extract", {}).items():
        if not _named(key, value, found.extract):
            yield f"extract.{key} should be {value!r}, is {found.extract.get(key)!r}"


def _named(key: str, value: Any, extract: Mapping[str, Any]) -> bool:
    if key in extract or key == "torch_era":
        if key == "torch_era":
            return _covers(str(value), str(extract.get(key, "")))
        return _same(extract[key], value)
    for suffix, holds in _SUFFIXES.items():
        name = key.removesuffix(suffix)
        if name != key:
            return name in extract and bool(holds(extract[name], value))
    return False


def _same(got: Any, value: Any) -> bool:
    if isinstance(value, list):
        return isinstance(got, list | tuple) and sorted(map(str, got)) == sorted(map(str, value))
    return bool(got == value) or str(got) == str(value)


_SUFFIXES: dict[str, Callable[[Any, Any], bool]] = {
    "_about": lambda got, value: abs(got - value) <= 0.02 * abs(value),
    "_between": lambda got, value: value[0] <= got <= value[1],
    "_one_of": lambda got, value: any(_same(got, each) for each in value),
    "_in": lambda got, value: any(_same(got, each) for each in value),
    "_not": lambda got, value: not _same(got, value),
    "_matches": lambda got, value: re.search(value, str(got)) is not None,
}


def _covers(wide: str, narrow: str) -> bool:
    """Whether every version of `narrow` is one of `wide`."""
    low, high = _span(wide)
    from_, until = _span(narrow)
    return bool(narrow) and low <= from_ and until <= high


def _span(text: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Read `<=2.9`, `<2.10`, `>=2.10`, `2.10-2.11`, `>=2.10,<2.12`, `2.9` as first and last."""
    low, high = (0, 0), (99, 99)
    versions = [
        (sign, (int(major), int(minor)))
        for sign, major, minor in re.findall(r"([<>]?=?)\s*(\d+)\.(\d+)", text)
    ]
    if len(versions) == 2 and not any(sign for sign, _ in versions):
        return versions[0][1], versions[1][1]
    for sign, version in versions:
        if sign in {">=", ">"}:
            low = version if sign == ">=" else (version[0], version[1] + 1)
        elif sign in {"<=", "<"}:
            high = version if sign == "<=" else (version[0], version[1] - 1)
        else:
            low = high = version
    return low, high


# ---------------------------------------------------------------- soft checks


def _soft(expected: Mapping[str, Any], found: Diagnosis) -> Iterator[tuple[bool, str]]:
    for pattern in expected.get("must_mention", ()):
        said = re.search(pattern, found.answer, re.IGNORECASE)
        yield said is not None, f"does not mention {pattern!r}"
    for pattern in expected.get("must_not", ()):
        said = re.search(pattern, found.answer, re.IGNORECASE)
        yield said is None, f"says {said[0] if said else ''!r}, which {pattern!r} forbids"
    if expected.get("actions"):
        first = found.actions[0] if found.actions else None
        yield (
            first == expected["actions"][0],
            f"first advice is {first}, not {expected['actions'][0]}",
        )
    for part in expected.get("evidence", ()):
        shown = any(part in each.text for each in found.evidence)
        yield shown, f"does not highlight {part!r}"
    for each in expected.get("secondary", ()):
        yield each in found.secondary, f"does not see {each} beside it"
    if "confidence" in expected and found.diagnosis == expected["diagnosis"]:
        sure = found.confidence == expected["confidence"]
        yield sure, f"confidence is {found.confidence}, not {expected['confidence']}"
