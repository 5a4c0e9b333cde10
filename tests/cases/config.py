"""Cases of kind `config`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from calculator.errors import InputError
from calculator.readers import read
from calculator.readers.reading import LoaderReading, Reading
from tests.cases import checks
from tests.cases.outcome import Outcome

CHECKED = (
    "loaders", "loaders_newer", "ranks_per_container", "alive_together", "estimate", "framework",
    "parsed", "patched", "patched_value", "keep_text", "effective", "batch_bytes", "max_batches",
    "best", "also_accept", "errors_for", "resident_bytes_if_tensor_cache", "warn", "no_warn",
    "must_mention", "must_not", "unresolved", "workload", "asked", "in_flight_batches",
    "val_in_flight_bytes", "reported_bytes",
)  # fmt: skip
NOT_COMPARED = ("note", "naive_bytes")


def check(case: dict[str, Any]) -> Outcome:
    outcome = Outcome()
    expected = case["expected"]
    request = case.get("request") or {}
    given = {**(case.get("given") or {}), "format": case.get("format", ""), "request": request}
    text = case["input"] if isinstance(case["input"], str) else json.dumps(case["input"])
    try:
        reading = read(text, "config", given)
    except InputError as error:
        outcome.hard.append(f"refused: {error}")
        return outcome
    if reading.kind != "config":
        outcome.hard.append(f"taken for {reading.kind}")
    _loaders(outcome, expected, "loaders", reading.loaders)
    _loaders(outcome, expected, "loaders_newer", reading.loaders_newer)
    _estimate(outcome, expected, reading)
    _values(outcome, "parsed", expected.get("parsed", {}), reading.parsed, "")
    _values(outcome, "patched", expected.get("patched", {}), reading.patched, reading.text or "")
    _single(outcome, expected, reading)
    checks.warned(outcome, expected, reading)
    checks.words(outcome, expected, reading.answer)
    checks.unknown(
        outcome, {checks.split(key)[0]: 0 for key in expected}, (*CHECKED, *NOT_COMPARED)
    )
    return outcome


def _loaders(
    outcome: Outcome, expected: Mapping[str, Any], name: str, found: tuple[LoaderReading, ...]
) -> None:
    if name not in expected:
        return
    wanted = expected[name]
    if len(wanted) != len(found):
        outcome.hard.append(f"{name}: {len(found)}, not {len(wanted)}")
        return
    for index, (each, got) in enumerate(zip(wanted, found, strict=True)):
        for key, value in each.items():
            plain, suffix = checks.split(key)
            if plain == "name" or (plain == "prefetch" and each.get("workers") == 0):
                continue
            if plain not in LoaderReading.model_fields:
                outcome.hard.append(f"{name}.{index}: nobody checks {key!r}")
                continue
            have = getattr(got, plain)
            if plain == "workers" and isinstance(value, str):
                fine = have is None or isinstance(have, str)
            else:
                rough = 0.02 if plain.endswith("_bytes") else 0.0
                fine = checks.holds(have, value, suffix, rough)
            if not fine:
                outcome.hard.append(f"{name}.{index}.{key}: {have}, not {value}")


def _estimate(outcome: Outcome, expected: Mapping[str, Any], reading: Reading) -> None:
    if "estimate" not in expected:
        return
    wanted, got = expected["estimate"], reading.estimate
    if wanted is None or got is None:
        if wanted is not None or got is not None:
            outcome.hard.append(f"estimate: {got}, not {wanted}")
        return
    for key, value in wanted.items():
        plain, suffix = checks.split(key)
        if key == "accept_recommended_bytes":
            low, high = value
            if not low <= got.recommended_bytes <= high:
                outcome.hard.append(f"recommended {got.recommended_bytes}, not in {value}")
        elif key in {"per_rank_peak_bytes", "container_peak_bytes", "resident_bytes"}:
            if not checks.holds(getattr(got, plain), value, suffix, 0.02):
                outcome.hard.append(f"estimate.{key}: {getattr(got, plain)}, not {value}")
        elif key != "note":
            outcome.hard.append(f"estimate: nobody checks {key!r}")


def _values(
    outcome: Outcome, name: str, wanted: Mapping[str, Any], got: Mapping[str, Any], text: str
) -> None:
    """Values of a line or file; a name that ends in shm..._bytes is the size, however called."""
    for key, value in wanted.items():
        plain, suffix = checks.split(key)
        have = got.get(plain)
        if have is None and re.search(r"shm\w*bytes$", plain, re.IGNORECASE):
            have = got.get("shm_bytes")
        if suffix == "_matches" and have is None:
            have = text
        if not checks.holds(have, value, suffix):
            outcome.hard.append(f"{name}.{key}: {have}, not {value}")


def _single(outcome: Outcome, expected: Mapping[str, Any], reading: Reading) -> None:
    """Values that stand alone, in the reading or among its extra figures."""
    extra = reading.extra
    loaders = reading.loaders
    in_flight = loaders[0].peak_batches if loaders else None
    found: dict[str, Any] = {
        "framework": reading.framework,
        "effective": reading.effective,
        "ranks_per_container": reading.ranks,
        "alive_together": reading.alive_together,
        "patched_value": reading.patched.get("shm_bytes"),
        "errors_for": sorted(each.path for each in reading.errors),
        "workload": reading.workload,
        "val_in_flight_bytes": loaders[-1].peak_bytes if loaders else None,
        "in_flight_batches": extra.get("in_flight_batches", in_flight),
        "batch_bytes": extra.get("batch_bytes"),
        "max_batches": extra.get("max_batches"),
        "resident_bytes_if_tensor_cache": extra.get("resident_bytes_if_tensor_cache"),
    }
    for key, value in expected.items():
        plain, suffix = checks.split(key)
        wanted = sorted(value) if plain == "errors_for" else value
        if plain in found and not checks.holds(found[plain], wanted, suffix):
            outcome.hard.append(f"{key}: {found[plain]}, not {value}")
    _asked(outcome, expected, reading)
    _best(outcome, expected, extra.get("best", {}))
    whole = reading.model_dump_json()
    if str(expected.get("reported_bytes", "")) not in whole:
        outcome.hard.append(f"nothing says {expected['reported_bytes']}")
    for text in expected.get("keep_text", ()):
        if text not in (reading.text or ""):
            outcome.hard.append(f"the mended text lost {text!r}")


def _asked(outcome: Outcome, expected: Mapping[str, Any], reading: Reading) -> None:
    asked = [each.path for each in reading.asked]
    for path in expected.get("asked", ()):
        if path not in asked:
            outcome.hard.append(f"does not ask for {path}: {asked}")
    if "unresolved" in expected and not asked:
        outcome.hard.append(f"asks for nothing, but {expected['unresolved']} cannot be known")


def _best(outcome: Outcome, expected: Mapping[str, Any], best: Mapping[str, Any]) -> None:
    also = expected.get("also_accept", {})
    for key, value in expected.get("best", {}).items():
        plain, suffix = checks.split(key)
        have = best.get(plain)
        if have not in also.get(plain, ()) and not checks.holds(have, value, suffix):
            outcome.hard.append(f"best.{key}: {have}, not {value}")
