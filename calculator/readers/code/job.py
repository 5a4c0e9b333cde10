"""The job as a whole: loaders together, processes, start method, what stays resident."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from calculator.readers.code import words
from calculator.readers.code.facts import Facts, returns_own_tensors, workload_fields
from calculator.readers.code.launch import Ranks
from calculator.readers.code.resolved import Number, number
from calculator.readers.code.values import Const, Value, constant
from calculator.typed import release
from calculator.workload import FORKSERVER_SINCE

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

_SPAWNING: Final = ("win", "mac", "darwin")


@dataclass
class Job:
    """All loaders of the paste, and how they live together.

    `resident` are the bytes of dataset tensors that stay in /dev/shm, for one process; None
    where nobody knows them.
    """

    loaders: list[Facts]
    ranks: Ranks
    together: bool
    schedule: str
    start_method: str
    start_method_said: bool
    resident: int | None
    python: str | None
    strategy: Const | None
    notes: list[str] = field(default_factory=list)

    @property
    def processes(self) -> int:
        """The processes to count with: one where their number is asked for."""
        return self.ranks.value or 1

    @property
    def spawns(self) -> bool:
        """Whether the dataset is pickled to the workers."""
        return self.start_method != "fork"

    def complete(self) -> bool:
        """Whether enough is known to size the job."""
        known = all(
            each.workers.value is not None
            and (each.workers.value == 0 or (each.batch.value and each.sample_bytes is not None))
            for each in self.loaders
        )
        return bool(self.loaders) and known and self.resident is not None


def job_of(machine: Machine, found: list[Facts], ranks: Ranks) -> Job:
    """Put the loaders together."""
    notes: list[str] = []
    found = [_share(each, ranks.value or 1) for each in found]
    loaders = [*found, *_evaluation(found)]
    together, schedule = _alive(machine, loaders, notes)
    python = machine.given.get("python")
    method, said = _start_method(machine, loaders, python)
    return Job(
        loaders=loaders,
        ranks=ranks,
        together=together,
        schedule=schedule,
        start_method=method,
        start_method_said=said,
        resident=_resident(loaders, method),
        python=python,
        strategy=machine.strategy,
        notes=notes,
    )


# ---------------------------------------------------------------- alive together


def _evaluation(found: list[Facts]) -> list[Facts]:
    """Trainers that evaluate have a second loader besides the one that is written."""
    extra: list[Facts] = []
    for each in found:
        if each.kind == "yolo" and constant(each.site.call.kwargs.get("val")) is not False:
            extra.append(dataclasses.replace(
                each, name="val", batch=_twice(each.batch), workers=_twice(each.workers)
            ))  # fmt: skip
        if each.kind != "hf" or not _evaluates(each):
            continue
        size = each.site.call.kwargs.get("per_device_eval_batch_size")
        batch = (
            number(size, 8)
            if size is not None
            else Number(8, exact=True, by_default="TrainingArguments' default")
        )
        extra.append(dataclasses.replace(each, name="eval", batch=batch))
    return extra


def _share(each: Facts, ranks: int) -> Facts:
    """Ultralytics divides its batch among the devices."""
    if each.kind != "yolo" or not each.batch.value:
        return each
    batch = dataclasses.replace(each.batch, value=-(-each.batch.value // ranks))
    return dataclasses.replace(each, batch=batch)


def _twice(found: Number) -> Number:
    """Validation of Ultralytics has twice the batch and twice the workers."""
    value = None if found.value is None else 2 * found.value
    return dataclasses.replace(found, value=value, by_default="", options=[])


def _evaluates(each: Facts) -> str:
    kwargs = each.site.call.kwargs
    strategy = constant(kwargs.get("eval_strategy") or kwargs.get("evaluation_strategy"))
    if isinstance(strategy, str) and strategy != "no":
        return strategy
    return "steps" if constant(kwargs.get("do_eval")) is True and "eval_steps" in kwargs else ""


def _alive(machine: Machine, loaders: list[Facts], notes: list[str]) -> tuple[bool, str]:
    working = [each for each in loaders if each.workers.value != 0]
    if any(each.kind == "queue" for each in loaders) and len(loaders) > 1:
        return True, "interleaved"
    if any(each.kind == "yolo" for each in working) and len(working) > 1:
        notes.append(words.note("endless"))
        return True, "always"
    if len(working) < 2:  # noqa: PLR2004
        return False, "sequential"
    ids = {id(each.site) for each in working}
    if any(one in ids and other in ids for one, other in machine.together):
        notes.append(words.note("nested"))
        return True, "interleaved"
    if any(_evaluates(each) == "steps" for each in working if each.kind == "hf"):
        notes.append(words.note("evaluation"))
        return True, "interleaved"
    interval = _check_interval(machine)
    if interval is not None:
        notes.append(words.note("interval", value=interval))
        return True, "interleaved"
    read = any(each.site.iterated for each in working)
    notes.append(words.note("in_turn" if read else "taken_in_turn"))
    return False, "sequential"


def _check_interval(machine: Machine) -> float | None:
    """Return Lightning's val_check_interval where it is no whole epoch."""
    for made in machine.made:
        value = constant(made.kwargs.get("val_check_interval"))
        if made.short == "Trainer" and isinstance(value, int | float) and 0 < value != 1.0:
            return value
    return None


# ---------------------------------------------------------------- start method, dataset


def _start_method(machine: Machine, loaders: list[Facts], python: str | None) -> tuple[str, bool]:
    for each in loaders:
        if each.context and each.workers.value != 0:
            return each.context, True
    named = constant(machine.start_method)
    if named in {"fork", "spawn", "forkserver"}:
        return str(named), True
    if str(machine.given.get("platform", "")).startswith(_SPAWNING):
        return "spawn", False
    newer = python is not None and release(python) >= FORKSERVER_SINCE
    return ("forkserver" if newer else "fork"), False


def _resident(loaders: list[Facts], method: str) -> int | None:
    """Return what the datasets keep in /dev/shm, one dataset once however many loaders it has."""
    seen: dict[object, int | None] = {}
    for each in loaders:
        if each.workers.value == 0:
            continue
        key = id(_dataset(each)) if _dataset(each) is not None else id(each)
        if method != "fork":
            seen[key] = each.kept_bytes
        elif returns_own_tensors(each) and each.workers.value:
            seen[key] = None if each.kept_bytes is None else each.kept_bytes * each.workers.value
    if None in seen.values():
        return None
    return sum(each for each in seen.values() if each is not None)


def _dataset(each: Facts) -> Value | None:
    return each.site.call.get("dataset", 0)


# ---------------------------------------------------------------- the form


def workload(job: Job) -> dict[str, Any]:
    """Return input JSON with what is known."""
    found: dict[str, Any] = {
        "ranks": job.ranks.value,
        "job_ranks": job.ranks.job,
        "loaders": [_entry(each) for each in job.loaders],
        "schedule": job.schedule,
        "start_method": job.start_method
        if job.start_method_said or job.start_method == "spawn"
        else None,
        "python_version": job.python,
        "sharing_strategy": constant(job.strategy),
    }
    kept = [each for each in job.loaders if each.kept_bytes and each.workers.value != 0]
    if kept:
        datasets = {id(_dataset(each)): each for each in kept}.values()
        found["dataset_tensor_bytes"] = sum(each.kept_bytes or 0 for each in datasets)
        found["dataset_tensors"] = max(1, sum(each.kept_tensors for each in datasets))
    if found["sharing_strategy"] not in {"file_system", "file_descriptor"}:
        del found["sharing_strategy"]
    return {key: value for key, value in found.items() if value is not None}


def _entry(each: Facts) -> dict[str, Any]:
    found: dict[str, Any] = {
        "name": each.name[:80],
        "num_workers": each.workers.value,
        "prefetch_factor": each.prefetch,
        "collate": each.mode,
        "pin_memory": each.pin,
        "persistent_workers": each.persistent,
        "fields": workload_fields(each) or None,
    }
    if each.batch.value is not None and not each.alone:
        found["batch_size"] = min(each.batch.value * each.crops, 10**9)
    if each.site.breaks + each.site.takes:
        found["early_breaks"] = each.site.breaks + each.site.takes
    if returns_own_tensors(each) and each.kept_bytes:
        found["returns_dataset_tensors"] = True
    found = {key: value for key, value in found.items() if value is not None}
    if each.alone:
        found["batch_size"] = None
    return found
