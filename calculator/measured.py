"""What the probe measured in a job, held against the model for that job."""

from __future__ import annotations

from typing import Final, Literal

from calculator import level
from calculator.compare import Difference, differences
from calculator.level import Level
from calculator.live import LoaderUse, loader_use
from calculator.probed import Record
from calculator.recommend import Model, shm_steps
from calculator.seen import corrected, workers
from calculator.sizing import Sizing, size_job
from calculator.units import MIB, ceil_to
from calculator.workload import Workload

Verdict = Literal["cut_off", "none", "below", "steady", "within", "above"]

TITLES: Final[dict[Verdict, str]] = {
    "cut_off": "/dev/shm was full: the peak is its size, not the job's need.",  # noqa: S108
    "none": "No DataLoader workers were seen, so there is nothing to hold against the model.",
    "below": "The job used less than the model's usual level.",
    "steady": "The job used exactly what the model says.",
    "within": "The job used what the model says: between its usual level and its bound.",
    "above": "The job used more than the model's bound: something is not as the form has it.",
}


class Predicted(Model):
    """What the model says; sizes in bytes, for all training processes together.

    `size_bytes` is what to configure, or None where what is wrong in the form is not known
    well enough to say.
    """

    steady_bytes: int
    bound_bytes: int
    beside_bytes: int
    size_bytes: int | None


class Batch(Model):
    """What a batch is for the model, and what one would be if it alone were wrong, in bytes.

    `held_more` is how many more batches must have been kept if that alone were.  `is_seen`:
    batches as large as `implied_bytes` were seen to leave, one by one.  `waiting`: the form's
    own batches were seen to leave, and so many of them were there for long.
    """

    bytes: int
    implied_bytes: int
    held_more: int
    is_seen: bool
    waiting: int | None


class Measured(Model):
    """Predicted against measured; sizes in bytes.

    Without workers nothing is predicted, and `other_bytes` is what the job is to be counted
    with beside others.  `batch` is None where a job has several loaders, or processes with
    different numbers of workers.  `level` is where the use stayed as with full queues.
    """

    record: Record
    verdict: Verdict
    measured_bytes: int
    predicted: Predicted | None = None
    batch: Batch | None = None
    level: Level | None = None
    other_bytes: int | None = None
    changes: tuple[Difference, ...] = ()
    undecided: bool = False
    workers: tuple[int, ...] = ()

    @property
    def title(self) -> str:
        """The answer in one sentence."""
        return TITLES[self.verdict]


def compare(record: Record, job: Workload) -> tuple[Measured, Workload]:
    """Hold a record against the model for the job in the form.

    Returns:
        What came out, and the job with what the probe saw in it.
    """
    now = corrected(record, job)
    measured = record.shm.peak - record.base
    changes = tuple(differences(job, now))
    if not record.job.workers:
        nothing = Measured(
            record=record,
            verdict="none",
            measured_bytes=measured,
            other_bytes=ceil_to(measured, MIB),
            changes=changes,
        )
        return nothing, now
    sizing = size_job(now)
    verdict = _verdict(record, sizing, measured)
    differ = workers(record)
    alike = len(now.loaders) == 1 and len(differ) < 2  # noqa: PLR2004 - else no batch can be told
    use = loader_use(now, now.loaders[0]) if alike else None
    batches = now.ranks * (use.queued + use.held) if use else 0
    stayed = level.of(record)
    batch = _batch(record, sizing, use, stayed, measured) if use and batches else None
    told = batch is not None and (batch.is_seen or batch.waiting is not None)
    if stayed and stayed.step > level.FINE and not told:
        stayed = None  # of a long run each step has the same maximum, however full the queues are
    need = _need(sizing, verdict, use, batch, stayed=stayed is not None)
    found = Measured(
        record=record,
        verdict=verdict,
        measured_bytes=measured,
        predicted=_predicted(sizing, need, record.shm.peak),
        batch=batch,
        level=stayed,
        changes=changes,
        undecided=len(job.loaders) > 1,
        workers=differ,
    )
    return found, now


def _verdict(record: Record, sizing: Sizing, measured: int) -> Verdict:
    if any(each.id == "shm_exhausted" for each in record.found):
        return "cut_off"
    if measured < sizing.steady_need_bytes:
        return "below"
    if measured > sizing.need_bytes:
        return "above"
    return "steady" if measured == sizing.steady_need_bytes else "within"


def _batch(
    record: Record, sizing: Sizing, use: LoaderUse, stayed: Level | None, measured: int
) -> Batch | None:
    """Say by how much a single term would have to be off to explain the difference."""
    if not use.batch_bytes:
        return None
    ranks = sizing.workload.ranks
    batches = ranks * (use.queued + use.held)
    rest = sizing.steady_need_bytes - batches * use.batch_bytes
    full = (stayed.bytes if stayed else measured) - rest
    if stayed and measured > sizing.need_bytes and full <= batches * use.batch_bytes:
        full = measured - rest  # the level is as it should be, and the peak is not
    implied = max(full, 0) // batches
    left = level.drops(record)
    more = measured - sizing.need_bytes
    return Batch(
        bytes=use.batch_bytes,
        implied_bytes=implied,
        held_more=max(-(-more // (ranks * use.batch_bytes)), 0),
        is_seen=full == implied * batches and implied in left,
        waiting=full // use.batch_bytes if stayed and use.batch_bytes in left else None,
    )


def _predicted(sizing: Sizing, need: int | None, peak: int) -> Predicted:
    size = None if need is None else shm_steps(sizing.workload, max(need, peak))[-1].bytes
    return Predicted(
        steady_bytes=sizing.steady_need_bytes,
        bound_bytes=sizing.need_bytes,
        beside_bytes=sum(term.bytes for term in sizing.beside),
        size_bytes=size,
    )


def _need(
    sizing: Sizing, verdict: Verdict, use: LoaderUse | None, batch: Batch | None, *, stayed: bool
) -> int | None:
    """Return the bound with the batch as it was measured, or None where it is not known.

    Too much is said rather than too little: a batch is taken to be smaller than in the form
    only where batches of that size were seen.
    """
    if use is None or batch is None:
        return sizing.need_bytes
    most = sizing.workload.ranks * use.in_flight
    other = sizing.need_bytes + most * (batch.implied_bytes - batch.bytes)
    if verdict == "above":
        return max(sizing.need_bytes, other)
    if verdict == "below" and stayed and batch.waiting is None:
        return other if batch.is_seen else None
    return sizing.need_bytes
