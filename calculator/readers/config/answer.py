"""From the loaders of a configuration to the whole answer: form, sums, questions, warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from calculator.live import LoaderUse
from calculator.readers import amounts
from calculator.readers.config.paste import Paste
from calculator.readers.config.say import ask, note, warn
from calculator.readers.reading import LoaderReading, Origin, Question, Reading, Remark
from calculator.typed import MAX_BYTES
from calculator.units import GIB, size
from calculator.workload import DEFAULT_SHM_BYTES

LARGE_SHARE: Final = 0.25
CLOSE: Final = 0.8
LARGE_BATCH: Final = 64 * GIB
SMALL_BATCH: Final = 1024 * 1024


def answer(
    paste: Paste,
    loaders: Sequence[LoaderReading],
    *,
    format: str,  # noqa: A002 - the word of the result
    framework: str = "",
    ranks: int | None = None,
    together: bool = False,
    resident: int = 0,
    cpus: int | None = None,
    memory: int | None = None,
    shm: int | None = None,
    origins: Sequence[Origin] = (),
    asked: Sequence[Question] = (),
    warnings: Sequence[Remark] = (),
    notes: Sequence[str] = (),
    form: dict[str, Any] | None = None,
    whole: Mapping[str, Any] | None = None,
    **more: Any,
) -> Reading:
    """Put the answer together.

    Args:
        paste: the paste.
        loaders: what was read, in order.
        format: what the paste is.
        framework: whose file it is.
        ranks: processes of one container; None: not said, one is taken.
        together: whether all loaders hold batches at once.
        resident: bytes of the dataset that stay in /dev/shm.
        cpus: CPUs there are, if that is said.
        memory: the memory limit, if that is said.
        shm: the size of /dev/shm, if that is said.
        origins: the lines of the values.
        asked: what the reader itself could not read.
        warnings: the reader's own.
        notes: the reader's own; the loaders' follow.
        form: further keys of the input JSON.
        whole: the input JSON, where the paste itself is that; it has the last word.
        more: further fields of `Reading`.
    """
    count = ranks or 1
    job = amounts.form(
        loaders, ranks=count if loaders or ranks else None, together=together,
        memory_limit=memory, current_shm=shm, **(form or {}),
    )  # fmt: skip
    sized = amounts.sized(whole or {"ranks": count, **job}, paste.given.get("job"))
    found = amounts.estimate(
        loaders, sized, ranks=count, together=together or not loaders[1:], resident=resident
    )
    uses = sized.footprint.uses if sized and found else [None] * len(loaders)
    about = (_about(each, use) for each, use in zip(loaders, uses, strict=True))
    said = [*notes, *_platform(paste), *about]
    if found and count > 1:
        full = found.full_bytes
        said.append(note("ranks", ranks=count, full=size(full), each=size(full // count)))
    elif ranks and ranks > 1:
        said.append(note("processes", ranks=ranks))
    if found:
        said.append(note("recommended", size=size(found.recommended_bytes)))
        if found.recommended_bytes <= DEFAULT_SHM_BYTES:
            said.append(note("default_enough"))
    if memory and loaders:
        said.append(note("memory_limit", memory=size(memory)))
    if not said and not warnings and not asked:
        said.append(note("nothing"))
    own = [each.id for each in warnings]
    extra = [each for each in _warn(loaders, found, cpus, memory, shm) if each.id not in own]
    return Reading(
        kind="config",
        format=format,
        framework=framework,
        workload=dict(whole or job) or None,
        loaders=tuple(loaders),
        ranks=count if loaders or ranks else None,
        alive_together=together if len(loaders) > 1 else None,
        asked=(*asked, *_ask(loaders, asked)),
        warnings=(*warnings, *extra),
        notes=tuple(said),
        origins=tuple(origins),
        estimate=found,
        **more,
    )


def _platform(paste: Paste) -> list[str]:
    """What is different on a system without /dev/shm."""
    name = str(paste.given.get("platform", "")).lower()
    name = {"darwin": "macos", "mac": "macos"}.get(name, name)
    return [note(name)] if name in {"macos", "windows"} else []


def _about(each: LoaderReading, use: LoaderUse | None) -> str:
    """Describe a loader; where the job is known, with what the engine counts for it."""
    values = {
        "name": each.name, "batch": "?" if each.batch is None else each.batch,
        "workers": "?" if each.workers is None else each.workers,
        "prefetch": each.prefetch if each.prefetch is not None else "none",
    }  # fmt: skip
    if each.peak_bytes is None:
        return note("loader_unknown", **values)
    batches, peak = each.peak_batches, each.peak_bytes
    if use is not None:
        batches, peak = use.queued + use.held, use.steady_bytes
    return note("loader", batches=batches, peak=size(peak), **values)


def _warn(
    loaders: Sequence[LoaderReading],
    found: Any,
    cpus: int | None,
    memory: int | None,
    shm: int | None,
) -> list[Remark]:
    said: list[Remark] = []
    counts = [each.workers for each in loaders if isinstance(each.workers, int)]
    if counts and not any(counts) and len(counts) == len(loaders):
        said.append(warn("workers_zero"))
    if cpus and counts and max(counts) > cpus:
        said.append(warn("more_workers_than_cpus", workers=max(counts), cpus=cpus))
    if any((each.batch_bytes or 0) > LARGE_BATCH for each in loaders):
        largest = max(each.batch_bytes or 0 for each in loaders)
        said.append(warn("very_large_batch", bytes=size(min(largest, MAX_BYTES))))
    texts = [
        each for each in loaders if isinstance(each.workers, str) and not each.workers.isdecimal()
    ]
    said += [warn("workers_from_machine", expression=each.workers) for each in texts[:1]]
    need = found.need_bytes if found else 0
    above = max(need, shm or 0)
    if memory and above >= memory * CLOSE:
        left = size(memory - above) if memory > above else "nothing"
        said.append(
            warn("shm_counts_toward_memory", shm=size(above), memory=size(memory), left=left)
        )
    elif memory and need >= memory * LARGE_SHARE:
        share = f"{need / memory:.0%}"
        said.append(warn("shm_large_share_of_memory", share=share, memory=size(memory)))
    return said


def _ask(loaders: Sequence[LoaderReading], asked: Sequence[Question]) -> list[Question]:
    """Ask for what is missing in a loader; what the reader asked itself is not repeated."""
    found: list[Question] = []
    for index, each in enumerate(loaders):
        place = f"loaders.{index}"
        if each.batch is None:
            found.append(ask(f"{place}.batch_size", "batch_size", name=each.name))
        if not isinstance(each.workers, int):
            expression = each.workers or ""
            found.append(ask(f"{place}.num_workers", "num_workers", expression, name=each.name))
        if each.sample_bytes is None:
            found.append(ask(f"{place}.fields", "shape", name=each.name))
    known = {each.path for each in asked}
    return [each for each in found if each.path not in known]
