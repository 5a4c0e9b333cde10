"""Cases of kind `df`."""

from __future__ import annotations

from typing import Any

from calculator.readers import read
from tests.cases import checks
from tests.cases.outcome import Outcome

SIZES = ("size_bytes", "used_bytes", "avail_bytes", "torch_bytes", "nccl_bytes")
VALUES = ("samples", "trend")
OTHER = (
    "tolerance_rel", "verdict", "verdict_in", "must_mention", "must_not", "warn", "no_warn",
    "note", "parsed", "effective",
)  # fmt: skip


def check(case: dict[str, Any]) -> Outcome:
    outcome = Outcome()
    expected = case["expected"]
    reading = read(case["input"], given=case.get("given"))
    tolerance = expected.get("tolerance_rel", 0.0)
    if reading.kind != "df":
        outcome.hard.append(f"taken for {reading.kind}")
    seen = {*OTHER}
    for key, wanted in expected.items():
        name, suffix = checks.split(key)
        if name in SIZES or name in VALUES:
            seen.add(key)
            got = getattr(reading, name)
            if not checks.holds(got, wanted, suffix, tolerance if name in SIZES else 0.0):
                outcome.hard.append(f"{key}: {got}, not {wanted}")
    allowed = expected.get("verdict_in", [expected.get("verdict", reading.verdict)])
    if reading.verdict not in allowed:
        outcome.hard.append(f"verdict {reading.verdict}, not {allowed}")
    for key, wanted in expected.get("parsed", {}).items():
        name, suffix = checks.split(key)
        if not checks.holds(reading.parsed.get(name), wanted, suffix):
            outcome.hard.append(f"parsed.{key}: {reading.parsed.get(name)}, not {wanted}")
    checks.warned(outcome, expected, reading)
    checks.words(outcome, expected, reading.answer)
    checks.unknown(outcome, expected, seen)
    return outcome
