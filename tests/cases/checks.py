"""Checks that the kinds of cases share: values with their suffixes, words, warnings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from calculator.readers.reading import Reading
from tests.cases.outcome import Outcome

SUFFIXES = ("_in", "_about", "_between", "_one_of", "_not", "_matches")
SAME_MEANING = (
    {"shm_counts_toward_memory", "shm_large_share_of_memory"},
    {"unit_invalid", "unit_portability"},
)
ABOUT = 0.02


def split(key: str) -> tuple[str, str]:
    """Return a key without its suffix, and the suffix."""
    for suffix in SUFFIXES if key != "must_not" else ():
        if key.endswith(suffix):
            return key.removesuffix(suffix), suffix
    return key, ""


def holds(got: Any, wanted: Any, suffix: str = "", tolerance: float = 0.0) -> bool:
    """Whether a value is as expected."""
    match suffix:
        case "_in" | "_one_of":
            return any(holds(got, each, "", tolerance) for each in wanted)
        case "_between":
            return isinstance(got, int | float) and bool(wanted[0] <= got <= wanted[1])
        case "_matches":
            return isinstance(got, str) and re.search(wanted, got) is not None
        case "_not":
            return bool(got != wanted)
        case _:
            return _same(got, wanted, ABOUT if suffix == "_about" else tolerance)


def _same(got: Any, wanted: Any, tolerance: float) -> bool:
    if tolerance and isinstance(wanted, int | float) and not isinstance(wanted, bool):
        return isinstance(got, int | float) and abs(got - wanted) <= abs(wanted) * tolerance
    if isinstance(wanted, list) and isinstance(got, tuple):
        return list(got) == wanted
    return bool(got == wanted)


def words(outcome: Outcome, expected: Mapping[str, Any], answer: str) -> None:
    """The soft checks: what the answer must say, and what it must not."""
    for pattern in expected.get("must_mention", ()):
        outcome.soft_total += 1
        if not re.search(pattern, answer, re.IGNORECASE):
            outcome.soft_misses.append(f"the answer does not mention {pattern!r}")
    for pattern in expected.get("must_not", ()):
        outcome.soft_total += 1
        if re.search(pattern, answer, re.IGNORECASE):
            outcome.soft_misses.append(f"the answer says {pattern!r}")


def warned(outcome: Outcome, expected: Mapping[str, Any], reading: Reading) -> None:
    """Warnings that must be there, and those that must not."""
    found = {each.id for each in reading.warnings}
    for wanted in expected.get("warn", ()):
        alike = next((group for group in SAME_MEANING if wanted in group), {wanted})
        if not alike & found:
            outcome.hard.append(f"no warning {wanted}; there are {sorted(found)}")
    for unwanted in expected.get("no_warn", ()):
        if unwanted in found:
            outcome.hard.append(f"warns of {unwanted}")


def unknown(outcome: Outcome, expected: Mapping[str, Any], known: Iterable[str]) -> None:
    """A key that nobody checks is a failure."""
    for key in set(expected) - set(known):
        outcome.hard.append(f"nobody checks the key {key!r}")
