"""The form's own inputs as an object, and the question turned round: what fits."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from typing import Any, Final

from calculator.dtypes import UnknownDtypeError, canonical
from calculator.errors import InputError
from calculator.live import LoaderUse
from calculator.readers import amounts
from calculator.readers.amounts import Sample
from calculator.readers.config.answer import answer
from calculator.readers.config.paste import Paste
from calculator.readers.config.say import note
from calculator.readers.reading import LoaderReading, Question, Reading
from calculator.reading import read_json
from calculator.sizing import size_job
from calculator.typed import MAX_BYTES
from calculator.units import size
from calculator.workload import Workload, parse

ORDER = 10
LONGEST: Final = 250_000
"""Characters.  The form has a few dozen inputs, but a batch may have a thousand tensors."""
LONGEST_LITERAL: Final = 20_000
"""Characters of Python, which takes far longer to read than JSON."""
MOST_DIMENSIONS: Final = 16
_NOTES: Final = re.compile(r"\A(?:note: [^\n]*\n\s*)+(?=\{)")
_JOB: Final = re.compile(r"\{[^{}]{0,4000}\"loaders\"\s*:\s*\[")
KEYS: Final = {"shape", "sample_bytes", "batch_size_per_rank", "workers"}
_LIMITS: Final = {
    "batch_size_per_rank": (1, 10**9), "workers": (0, 4096), "prefetch": (1, 4096),
    "ranks": (1, 1024), "sample_bytes": (1, MAX_BYTES), "shm_bytes": (1, MAX_BYTES),
    "current_shm_bytes": (1, MAX_BYTES), "memory_limit_bytes": (1, MAX_BYTES),
}  # fmt: skip


def _object(paste: Paste) -> str:
    """Return the paste without the notes that the batch inspector writes before its JSON."""
    return _NOTES.sub("", paste.text.strip(), count=1)


def _is_too_long(paste: Paste) -> bool:
    """Whether it is a job that is too long to be read: others would read half of it."""
    return len(paste.text) > LONGEST and _JOB.match(_object(paste)) is not None


def _data(paste: Paste) -> Mapping[str, Any] | None:
    text = _object(paste)
    if text[:1] != "{" or len(text) > LONGEST:
        return None
    for reader in (read_json, ast.literal_eval)[: 2 if len(text) <= LONGEST_LITERAL else 1]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)
                found = reader(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        return found if isinstance(found, dict) else None
    return None


def reads(paste: Paste) -> bool:
    """Whether the paste is the form as an object, or the input JSON of the command line."""
    data = _data(paste)
    return _is_too_long(paste) or (
        data is not None
        and (_is_workload(data) or "batch_size_per_rank" in data or len(KEYS & set(data)) > 1)
    )


def _is_workload(data: Mapping[str, Any]) -> bool:
    return isinstance(data.get("loaders"), list) and set(data) <= set(Workload.model_fields)


def _workload(paste: Paste, data: Mapping[str, Any]) -> Reading:
    """Read the input JSON: it is the form already, and the engine says what it comes to."""
    try:
        alone = size_job(parse(dict(data)))
    except InputError as error:
        errors = [Question(path=each.path, question=str(each)) for each in error.problems]
        return Reading(kind="config", format="workload-json", errors=tuple(errors))
    sized = amounts.sized(data, paste.given.get("job")) or alone
    job = sized.workload
    together = job.schedule != "sequential"
    return answer(
        paste, [_counted(use) for use in sized.footprint.uses], format="workload-json",
        ranks=job.ranks, together=together, memory=job.memory_limit, whole=data,
    )  # fmt: skip


def _counted(use: LoaderUse) -> LoaderReading:
    """Describe a loader by what the engine counts: views, common storages and pages are in it."""
    each = use.loader
    return amounts.loader(
        each.name, batch=each.samples, workers=each.num_workers,
        prefetch=each.prefetch if each.num_workers else None,
        sample=Sample(sample_bytes=sum(field.item_bytes for field in each.fields)),
        batch_bytes=use.batch_bytes, peak_batches=use.queued + use.held,
        peak_bytes=use.steady_bytes, peak_max_bytes=use.peak_bytes,
    )  # fmt: skip


def read(paste: Paste) -> Reading | None:
    """Validate each input at its place, then size the job."""
    if _is_too_long(paste):
        words = note("too_long", count=len(paste.text), most=LONGEST)
        error = Question(path="", question=words)
        return Reading(kind="config", format="workload-json", errors=(error,))
    data = _data(paste)
    if data is None:
        return None
    if _is_workload(data):
        return _workload(paste, data)
    errors = list(_errors(data))
    if errors:
        notes = tuple(str(each.question) for each in errors)
        return Reading(kind="config", format="form", errors=tuple(errors), notes=notes)
    sample = _sample(data)
    workers, prefetch = data.get("workers"), data.get("prefetch")
    shm, memory = data.get("current_shm_bytes"), data.get("memory_limit_bytes")
    if data.get("shm_bytes") is not None and (data.get("solve") or workers is None):
        return _inverse(paste, data, sample)
    loader = amounts.loader(
        "loader", batch=data.get("batch_size_per_rank"), workers=workers,
        prefetch=prefetch, sample=sample, pin_memory=data.get("pin_memory"),
    )  # fmt: skip
    found = answer(
        paste, [loader], format="form", ranks=data.get("ranks", 1), memory=memory,
        shm=shm or data.get("shm_bytes"), notes=_platform(data),
    )  # fmt: skip
    elsewhere = str(data.get("platform", "")).lower() in {"macos", "darwin", "windows"}
    return found.model_copy(update={"estimate": None}) if elsewhere else found


def _platform(data: Mapping[str, Any]) -> list[str]:
    platform = str(data.get("platform", "")).lower()
    name = {"darwin": "macos", "mac": "macos"}.get(platform, platform)
    return [note(name)] if name in {"macos", "windows"} else []


def _sample(data: Mapping[str, Any]) -> Sample:
    if data.get("shape") is not None or data.get("tensors"):
        return amounts.sample_of({
            "sample_shape": data.get("shape"), "dtype": data.get("dtype"),
            "tensors": data.get("tensors"),
        })  # fmt: skip
    return Sample(sample_bytes=data.get("sample_bytes"))


def _errors(data: Mapping[str, Any]) -> list[Question]:
    found: list[Question] = []
    shape = data.get("shape")
    if shape is not None:
        numbers = shape if isinstance(shape, list | tuple) else [None]
        product = 1
        fine = 0 < len(numbers) <= MOST_DIMENSIONS
        for each in numbers:
            if type(each) is int and 0 < each <= MAX_BYTES:
                product = min(product * each, MAX_BYTES + 1)
            else:
                fine = False
        if not fine or product > MAX_BYTES:
            words = "shape: must be whole numbers above 0, such as 3, 224, 224"
            found.append(Question(path="shape", question=words))
    if data.get("dtype") is not None:
        try:
            canonical(str(data["dtype"]))
        except UnknownDtypeError as error:
            found.append(Question(path="dtype", question=f"dtype: {error}"))
    for key, (low, high) in _LIMITS.items():
        value = data.get(key)
        if value is not None and not (type(value) is int and low <= value <= high):
            words = f"{key}: must be a whole number from {low:,} to {high:,}"
            found.append(Question(path=key, question=words))
    return found


def _inverse(paste: Paste, data: Mapping[str, Any], sample: Sample) -> Reading:
    """Return what fits into a size that is fixed: room for one batch in use and one in transit."""
    shm = int(data["shm_bytes"]) // int(data.get("ranks") or 1)
    best = {
        "workers": int(data.get("workers") or 0), "prefetch": int(data.get("prefetch") or 2),
        "batch_size_per_rank": int(data.get("batch_size_per_rank") or 1),
    }  # fmt: skip
    each = sample.bytes or 0
    if not each:
        unknown = amounts.loader(batch=best["batch_size_per_rank"], prefetch=best["prefetch"])
        return answer(paste, [unknown], format="form")
    solve = str(data.get("solve") or "workers")
    if solve.startswith("batch") and best["workers"]:
        batches = best["workers"] * best["prefetch"] + 2
        best["batch_size_per_rank"] = max(shm // (batches * each), 0)
    one = max(best["batch_size_per_rank"], 1) * each
    count = shm // one
    if solve.startswith("prefetch") and best["workers"]:
        best["prefetch"] = min(max((count - 2) // best["workers"], 0), 4096)
    elif not solve.startswith("batch"):
        best["workers"] = min(max((count - 2) // best["prefetch"], 0), 4096)
    loader = amounts.loader(
        batch=max(best["batch_size_per_rank"], 1), workers=best["workers"],
        prefetch=max(best["prefetch"], 1), sample=sample,
    )  # fmt: skip
    words = note(
        "inverse", shm=size(shm), count=count, batch=size(one), workers=best["workers"],
        prefetch=best["prefetch"],
    )  # fmt: skip
    in_flight = best["workers"] * best["prefetch"] + 1
    found = {"batch_bytes": one, "max_batches": count, "best": best, "in_flight_batches": in_flight}
    return answer(
        paste, [loader], format="form", ranks=int(data.get("ranks") or 1),
        shm=int(data["shm_bytes"]), notes=[words], extra=found,
    )  # fmt: skip
