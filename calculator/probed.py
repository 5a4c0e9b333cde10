"""What the probe measured in a job, held against the model for that job.

The probe (`calculator/probe/shm_probe.py`) ends with one line, `SHM-PROBE {...}`.  It is
found in whatever it was copied with; terminals may have broken it into several.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from calculator.errors import InputError
from calculator.live import loader_use
from calculator.recommend import Model, shm_steps
from calculator.sizing import Sizing, size_job
from calculator.typed import MAX_BYTES
from calculator.workload import Workload, parse

_MARK: Final = "SHM-PROBE "
MARK: Final = re.compile(_MARK + r"(?=\{)")
LONGEST: Final = 64_000
"""Characters that are looked at after the mark; the probe writes a quarter of that."""

_KEPT: Final = len(_MARK) + LONGEST
_BROKEN: Final = len(_MARK)
"""Characters of a mark that a piece may end with, all but the last."""

Number = Annotated[int, Field(ge=0, le=MAX_BYTES)]
Words = Annotated[str, Field(max_length=1000)]


class Seen(BaseModel):
    """A part of the line; what later probes add is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Files(Seen):
    """Named files of one kind that were left, in bytes."""

    kind: Words
    bytes: Number


class Room(Seen):
    """What was seen of /dev/shm, in bytes."""

    size: Number
    start: Number
    peak: Number
    files_left: Annotated[tuple[Files, ...], Field(max_length=16)] = ()


class Processes(Seen):
    """The highest counts of some processes; sizes in bytes."""

    fd_limit: Number | None = None
    private: Number = 0


class Rank(Processes):
    """One training process."""

    workers: Number
    pin_thread: bool = False


class Job(Seen):
    """The processes of the job; `owners` had DataLoader workers at the same time."""

    workers: Number
    owners: Number
    torch: Annotated[tuple[Words, ...], Field(max_length=8)] = ()
    python: Annotated[tuple[Words, ...], Field(max_length=8)] = ()
    max_map_count: Number | None = None
    ranks: Annotated[tuple[Rank, ...], Field(max_length=64)] = ()
    workers_highest: Processes = Processes()


class Cgroup(Seen):
    """The memory cgroup, in bytes."""

    limit: Number | None = None


class Ending(Seen):
    """How the job ended, in words."""

    means: Words = ""


class Finding(Seen):
    """A cause that the probe named."""

    id: Words
    title: Words
    helps: Words = ""
    shown: Words = ""


class Record(Seen):
    """The line, as far as it is used here."""

    version: Literal[1]
    mode: Literal["wrap", "pid", "watch"]
    partial: bool = False
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    shm: Room
    job: Job
    memory: Cgroup | None = None
    exit: Ending = Ending()
    found: Annotated[tuple[Finding, ...], Field(max_length=16)] = ()


class Change(Model):
    """An input that the measurement corrects: its place, what it was, what it is."""

    path: str
    before: str
    after: str


Verdict = Literal["cut_off", "none", "below", "steady", "within", "above"]


class Measured(Model):
    """Predicted against measured; sizes in bytes, for all training processes together.

    `batch_bytes` is what the model takes for one batch; `implied_batch_bytes` is what one
    would be if it alone were wrong, and `held_more` how many more batches must have been
    kept if that alone were.  Both are None where a job has several loaders.
    """

    record: Record
    verdict: Verdict
    measured_bytes: int
    steady_bytes: int
    bound_bytes: int
    beside_bytes: int
    batch_bytes: int | None = None
    implied_batch_bytes: int | None = None
    held_more: int | None = None
    size_bytes: int
    changes: tuple[Change, ...] = ()
    undecided: bool = False

    @property
    def title(self) -> str:
        """The answer in one sentence."""
        return TITLES[self.verdict]


TITLES: Final[dict[Verdict, str]] = {
    "cut_off": "/dev/shm was full: the peak is its size, not the job's need.",  # noqa: S108
    "none": "No DataLoader workers were seen, so there is nothing to hold against the model.",
    "below": "The job used less than the model's usual level.",
    "steady": "The job used exactly what the model says.",
    "within": "The job used what the model says: between its usual level and its bound.",
    "above": "The job used more than the model's bound: something is not as the form has it.",
}


class Catcher:
    """Keeps the last record of a text that comes in pieces, and nothing else of it."""

    def __init__(self) -> None:
        self.kept = ""
        self._end = ""

    def feed(self, piece: str) -> None:
        """Take the next piece; it may end anywhere, in the middle of a record, too."""
        seen = self._end + piece
        last = None
        for last in MARK.finditer(seen):  # noqa: B007 - a long log may have many: only one is kept
            pass
        if last is not None:
            self.kept = seen[last.start() :][:_KEPT]
        elif self.kept:
            self.kept = (self.kept + piece)[:_KEPT]
        self._end = seen[-_BROKEN:]


def find(text: str) -> Record | None:
    """Return the last record in a text, or None where there is none.

    Raises:
        InputError: there is one, and it is incomplete or not what the probe writes.
    """
    catcher = Catcher()
    catcher.feed(text)
    return read(catcher.kept)[0] if catcher.kept else None


def read(kept: str) -> tuple[Record, str]:
    """Read what begins with the mark; return the record, and its line without what follows it.

    Raises:
        InputError: it is incomplete, or not what the probe writes.
    """
    line = re.sub(r"[\r\n]+", "", kept[len(_MARK) :])
    try:
        data, end = json.JSONDecoder().raw_decode(line)
    except (ValueError, RecursionError):
        message = "the probe's line is incomplete: copy it from SHM-PROBE to its last brace"
        raise InputError.at("", message) from None
    try:
        return Record.model_validate(data), _MARK + line[:end]
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"])) or "the line"
        message = f"the probe's line is damaged, or of another version: {place}"
        raise InputError.at("", message) from None


def compare(record: Record, job: Workload) -> tuple[Measured, Workload]:
    """Hold a record against the model for the job in the form.

    Returns:
        What came out, and the job with what the probe saw in it.
    """
    corrected = _corrected(record, job)
    sizing = size_job(corrected)
    measured = record.shm.peak - (record.shm.start if record.mode == "wrap" else 0)
    full = any(each.id == "shm_exhausted" for each in record.found)
    need = max(sizing.need_bytes, record.shm.peak)
    return (
        Measured(
            record=record,
            verdict=_verdict(record, sizing, measured, full=full),
            measured_bytes=measured,
            steady_bytes=sizing.steady_need_bytes,
            bound_bytes=sizing.need_bytes,
            beside_bytes=sum(term.bytes for term in sizing.beside),
            size_bytes=shm_steps(corrected, need)[-1].bytes,
            changes=tuple(_changes(job, corrected)),
            undecided=len(job.loaders) > 1,
            **_off(corrected, sizing, measured),
        ),
        corrected,
    )


def _verdict(record: Record, sizing: Sizing, measured: int, *, full: bool) -> Verdict:
    if full:
        return "cut_off"
    if not record.job.workers:
        return "none"
    if measured < sizing.steady_need_bytes:
        return "below"
    if measured > sizing.need_bytes:
        return "above"
    return "steady" if measured == sizing.steady_need_bytes else "within"


def _off(job: Workload, sizing: Sizing, measured: int) -> dict[str, int]:
    """Say by how much a single term would have to be off to explain the difference."""
    if len(job.loaders) != 1:
        return {}
    use = loader_use(job, job.loaders[0])
    batches = job.ranks * (use.queued + use.held)
    if not batches or not use.batch_bytes:
        return {}
    rest = sizing.steady_need_bytes - batches * use.batch_bytes
    more = measured - sizing.need_bytes
    return {
        "batch_bytes": use.batch_bytes,
        "implied_batch_bytes": max(measured - rest, 0) // batches,
        "held_more": max(-(-more // (job.ranks * use.batch_bytes)), 0),
    }


# ---------------------------------------------------------------- the job, as it was seen


def _corrected(record: Record, job: Workload) -> Workload:
    """Return the job with what was seen in it; where the two do not go together, the job."""
    data, said = job.model_dump(mode="json"), seen(record, job)
    loaders = [{**data["loaders"][0], **loader} for loader in said.get("loaders", ())]
    try:
        return parse({**data, **said, "loaders": loaders or data["loaders"]})
    except InputError:
        return job


def seen(record: Record, job: Workload | None = None) -> dict[str, Any]:
    """Return what was seen of the job, as input JSON to lay over it."""
    found = dict(_said(record, job))
    workers = {rank.workers for rank in record.job.ranks if rank.workers}
    if len(workers) == 1 and (job is None or len(job.loaders) == 1):
        loader: dict[str, Any] = {"num_workers": workers.pop()}
        if any(rank.pin_thread for rank in record.job.ranks):
            loader["pin_memory"] = found["accelerator"] = True
        found["loaders"] = [loader]
    return found


def _said(record: Record, job: Workload | None) -> Iterator[tuple[str, Any]]:
    """Yield the inputs that the record knows."""
    ran = record.job
    limits = [rank.fd_limit for rank in ran.ranks if rank.fd_limit]
    private = max((rank.private for rank in ran.ranks), default=0)
    spread = job is not None and job.deployment.ranks_per_pod is not None
    known = {
        "ranks": 0 if spread else ran.owners,
        "torch_version": _release(ran.torch),
        "python_version": _release(ran.python),
        "current_shm": record.shm.size,
        "memory_limit": record.memory.limit if record.memory else None,
        "open_files_limit": min(limits, default=None),
        "max_map_count": ran.max_map_count,
        "main_process_bytes": private if ran.workers else 0,
        "worker_process_bytes": ran.workers_highest.private,
    }
    yield from ((name, value) for name, value in known.items() if value)


def _release(versions: tuple[str, ...]) -> str | None:
    """Return the version where there is one, without what builders append to it."""
    found = re.match(r"\d+\.\d+", versions[0]) if len(versions) == 1 else None
    return found[0] if found else None


_SHOWN: Final = ("ranks", "torch_version", "python_version")


def _changes(before: Workload, after: Workload) -> Iterator[Change]:
    """Yield what differs, of the inputs that decide the size or the failure."""
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    pairs = [(name, old[name], new[name]) for name in _SHOWN]
    for name in ("num_workers", "pin_memory"):
        path = f"loaders.0.{name}"
        pairs.append((path, old["loaders"][0][name], new["loaders"][0][name]))
    for path, was, now in pairs:
        if was != now:
            yield Change(path=path, before=str(was), after=str(now))
