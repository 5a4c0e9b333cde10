"""The probe's line: what a job used of /dev/shm, held against the model where the job is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calculator import measured, probed, resources, seen
from calculator.errors import InputError
from calculator.inputs import gather
from calculator.measured import TITLES, Measured
from calculator.probed import Record
from calculator.readers.reading import Reading
from calculator.units import MIB, ceil_to, count, size
from calculator.workload import Workload


def read(text: str, given: Mapping[str, Any] | None = None) -> Reading:
    """Read the last line of the probe in a text.

    Args:
        text: whatever it was copied with, of any length.
        given: `workload` (input JSON) or `preset`: the job to hold it against.  Without them
            it says what was seen, and no model is asked.

    Raises:
        InputError: there is no such line, it is incomplete or damaged, or what is given
            cannot be used.
    """
    record = probed.find(text)
    if record is None:
        raise InputError.at("", "has no line of the probe: it begins with SHM-PROBE {")
    job = _job(given or {})
    found = measured.compare(record, job)[0] if job is not None else None
    room = record.shm
    return Reading(
        kind="probe",
        size_bytes=room.size,
        used_bytes=room.peak,
        avail_bytes=max(room.size - room.peak, 0),
        verdict=found.verdict if found else None,
        notes=tuple(_notes(record, found)),
        workload=seen.seen(record, job) or None,
        extra=_numbers(found) if found else {},
    )


def _job(given: Mapping[str, Any]) -> Workload | None:
    workload, preset = given.get("workload"), given.get("preset")
    if workload is None and preset is None:
        return None
    if preset is not None and not isinstance(preset, str):
        raise InputError.at("given.preset", "must be text")
    return gather(preset, workload, {})


def _numbers(found: Measured) -> dict[str, int]:
    """Return what was measured, and what the model says where it was asked."""
    said = found.predicted
    numbers = {
        "measured_bytes": found.measured_bytes,
        "other_bytes": found.other_bytes,
        "steady_bytes": said.steady_bytes if said else None,
        "bound_bytes": said.bound_bytes if said else None,
        "recommended_bytes": said.size_bytes if said else None,
    }
    return {name: value for name, value in numbers.items() if value is not None}


def _notes(record: Record, found: Measured | None) -> Iterator[str]:
    """Yield the sentences, the answer first."""
    words: dict[str, str] = resources.table("readers/words", "probe")["note"]
    if found:
        yield found.title
    elif not record.job.workers:
        yield TITLES["none"]
    yield from _seen(record, words)
    if found:
        yield from _held(found, words)
    for each in record.found:
        yield " ".join(part for part in (each.title, each.helps) if part)
    if record.exit.means:
        yield words["end"].format(means=record.exit.means)
    if not found and record.job.workers:
        yield words["given"]


def _seen(record: Record, words: dict[str, str]) -> Iterator[str]:
    """Yield what was seen, whatever the job in the form is."""
    room, job = record.shm, record.job
    yield words["peak"].format(
        peak=size(room.peak), size=size(room.size), seconds=count(round(record.seconds))
    )
    if record.shared:
        yield words["shared"]
    if record.partial:
        yield words["partial"]
    if not job.workers:
        other = ceil_to(room.peak - record.base, MIB)
        yield words["other"].format(plain=other, size=size(other))
        return
    yield words["job"].format(owners=count(job.owners), workers=count(job.workers))
    differ = seen.workers(record)
    if len(differ) > 1:
        yield words["differ"].format(workers=", ".join(map(count, differ)))


def _held(found: Measured, words: dict[str, str]) -> Iterator[str]:
    """Yield predicted against measured, where there is a prediction."""
    said = found.predicted
    if said is None:
        return
    yield words["model"].format(steady=size(said.steady_bytes), bound=size(said.bound_bytes))
    if found.verdict == "below" and found.level and found.batch:
        batch, level = found.batch, found.level
        name = "batch" if batch.waiting is None else "waiting"
        yield words[name].format(
            level=size(level.bytes),
            seconds=count(round(level.seconds)),
            implied=size(batch.implied_bytes),
            batch=size(batch.bytes),
            waiting=batch.waiting,
        )
    if said.size_bytes is not None:
        yield words["right"].format(size=size(said.size_bytes))
