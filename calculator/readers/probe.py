"""The probe's line: what a job used of /dev/shm, held against the model where the job is given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calculator import probed, resources
from calculator.errors import InputError
from calculator.inputs import gather
from calculator.probed import Measured, Record
from calculator.readers.reading import Reading
from calculator.units import count, size
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
    found = probed.compare(record, job)[0] if job is not None else None
    room = record.shm
    return Reading(
        kind="probe",
        size_bytes=room.size,
        used_bytes=room.peak,
        avail_bytes=max(room.size - room.peak, 0),
        verdict=found.verdict if found else None,
        notes=tuple(_notes(record, found)),
        workload=probed.seen(record, job) or None,
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
    return {
        "measured_bytes": found.measured_bytes,
        "steady_bytes": found.steady_bytes,
        "bound_bytes": found.bound_bytes,
        "recommended_bytes": found.size_bytes,
    }


def _notes(record: Record, found: Measured | None) -> Iterator[str]:
    """Yield the sentences, the answer first."""
    words: dict[str, str] = resources.table("readers/words", "probe")["note"]
    room, job = record.shm, record.job
    if found:
        yield found.title
    yield words["peak"].format(
        peak=size(room.peak), size=size(room.size), seconds=count(round(record.seconds))
    )
    if record.partial:
        yield words["partial"]
    if job.workers:
        yield words["job"].format(owners=count(job.owners), workers=count(job.workers))
    if found:
        yield words["model"].format(steady=size(found.steady_bytes), bound=size(found.bound_bytes))
        yield words["right"].format(size=size(found.size_bytes))
    for each in record.found:
        yield " ".join(part for part in (each.title, each.helps) if part)
    if record.exit.means:
        yield words["end"].format(means=record.exit.means)
    if not found:
        yield words["given"]
