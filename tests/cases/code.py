"""Checks of cases of kind `code`: what was read from pasted Python, against the right answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from calculator.errors import InputError
from calculator.readers.code import read_code
from calculator.readers.reading import LoaderReading, Reading
from tests.cases.outcome import Outcome

TOLERANT = {"batch_bytes", "peak_bytes", "peak_max_bytes", "sample_bytes"}
"""Compared with 2 %: labels of a few bytes are ignored."""

EXACT = {
    "batch", "prefetch", "sample_shape", "dtype", "persistent_workers", "pin_memory",
    "peak_batches", "context", "transport", "tensors_per_batch", "collate",
}  # fmt: skip


def check(case: dict[str, Any]) -> Outcome:
    """Hold one case against the reader."""
    outcome = Outcome()
    expected = dict(case["expected"])
    try:
        found = read_code(case["input"], case.get("given"))
    except InputError as error:
        refused = expected.pop("refused", None)
        if refused is None or not re.search(refused, str(error), re.IGNORECASE):
            outcome.hard.append(f"refused: {error}")
        return outcome
    for key, value in expected.items():
        rule = RULES.get(key)
        if rule is None:
            outcome.hard.append(f"nobody checks {key!r}")
        else:
            rule(outcome, found, value)
    return outcome


def _loaders(outcome: Outcome, found: Reading, expected: list[dict[str, Any]]) -> None:
    if len(found.loaders) != len(expected):
        outcome.hard.append(f"{len(found.loaders)} loaders, not {len(expected)}")
        return
    for place, (loader, wanted) in enumerate(zip(found.loaders, expected, strict=True)):
        for key, value in wanted.items():
            problem = _loader_key(loader, wanted, key, value)
            if problem:
                outcome.hard.append(f"loader {place}: {problem}")


def _loader_key(loader: LoaderReading, wanted: dict[str, Any], key: str, value: Any) -> str:
    if key == "name":
        return ""
    if key == "workers":
        unresolved = isinstance(value, str)
        same = isinstance(loader.workers, str) if unresolved else loader.workers == value
        return "" if same else f"workers {loader.workers}, not {value}"
    if key == "prefetch" and wanted.get("workers") == 0:
        return ""
    if key not in TOLERANT | EXACT:
        return f"nobody checks {key!r}"
    got = getattr(loader, key)
    if key == "sample_shape" and got is not None:
        got = list(got)
    if key in TOLERANT and value and got:
        return "" if abs(got - value) <= 0.02 * value else f"{key} {got}, not {value}"
    return "" if got == value else f"{key} {got}, not {value}"


def _ranks(outcome: Outcome, found: Reading, value: int) -> None:
    if found.ranks != value:
        outcome.hard.append(f"{found.ranks} ranks, not {value}")


def _together(outcome: Outcome, found: Reading, value: bool) -> None:
    if found.alive_together != value:
        outcome.hard.append(f"alive together: {found.alive_together}, not {value}")


def _estimate(outcome: Outcome, found: Reading, value: dict[str, Any] | None) -> None:
    if value is None:
        if found.estimate is not None:
            outcome.hard.append("a number was invented")
        return
    if found.estimate is None:
        outcome.hard.append("no estimate")
        return
    for key, wanted in value.items():
        if key == "note":
            continue
        if key == "accept_recommended_bytes":
            low, high = wanted
            if not low <= found.estimate.recommended_bytes <= high:
                outcome.hard.append(
                    f"recommended {found.estimate.recommended_bytes}, not in {wanted}"
                )
            continue
        got = getattr(found.estimate, key, None)
        if got is None or abs(got - wanted) > 0.02 * wanted:
            outcome.hard.append(f"{key} {got}, not {wanted}")


def _unresolved(outcome: Outcome, found: Reading, value: list[str]) -> None:
    asked = [_asked_name(found, each.path) for each in found.asked]
    for wanted in value:
        loader, _, field = wanted.rpartition(".")
        if not any(
            name == field.removeprefix("sample_") and loader in {"", of} for of, name in asked
        ):
            outcome.hard.append(f"{wanted} was not asked for: {asked}")


def _asked_name(found: Reading, path: str) -> tuple[str, str]:
    """Return the loader a question is about, and the field."""
    parts = path.split(".")
    loader = found.loaders[int(parts[1])].name if parts[0] == "loaders" else ""
    return loader, parts[-1]


def _warn(outcome: Outcome, found: Reading, value: list[str]) -> None:
    ids = {each.id for each in found.warnings}
    outcome.hard += [f"no warning {each}" for each in value if each not in ids]


def _no_warn(outcome: Outcome, found: Reading, value: list[str]) -> None:
    ids = {each.id for each in found.warnings}
    outcome.hard += [f"a warning {each}" for each in value if each in ids]


def _must_mention(outcome: Outcome, found: Reading, value: list[str]) -> None:
    outcome.soft_total += len(value)
    outcome.soft_misses += [
        f"does not mention {each}"
        for each in value
        if not re.search(each, found.answer, re.IGNORECASE)
    ]


def _must_not(outcome: Outcome, found: Reading, value: list[str]) -> None:
    outcome.soft_total += len(value)
    outcome.soft_misses += [
        f"mentions {each}" for each in value if re.search(each, found.answer, re.IGNORECASE)
    ]


def _evidence(outcome: Outcome, found: Reading, value: str | list[str]) -> None:
    for each in [value] if isinstance(value, str) else value:
        outcome.soft_total += 1
        if not any(each in origin.text for origin in found.origins):
            outcome.soft_misses.append(f"does not show {each}")


def _refused(outcome: Outcome, found: Reading, value: str) -> None:
    del found
    outcome.hard.append(f"was read, though it should be refused: {value}")


RULES: dict[str, Callable[[Outcome, Reading, Any], None]] = {
    "loaders": _loaders,
    "ranks_per_container": _ranks,
    "alive_together": _together,
    "estimate": _estimate,
    "unresolved": _unresolved,
    "warn": _warn,
    "no_warn": _no_warn,
    "must_mention": _must_mention,
    "must_not": _must_not,
    "evidence": _evidence,
    "refused": _refused,
}
