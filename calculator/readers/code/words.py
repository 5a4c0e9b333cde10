"""Sentences about what was read; their words are data, `facts/code.toml`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from calculator import resources
from calculator.readers.code.facts import Facts
from calculator.readers.code.resolved import Number
from calculator.readers.reading import Estimate, Remark
from calculator.units import size

if TYPE_CHECKING:
    from calculator.readers.code.job import Job
    from calculator.readers.code.machine import Machine

_SHOWN_LINES: Final = 5


def note(key: str, **names: Any) -> str:
    """Return one sentence."""
    return _table()["notes"][key].format(**names)  # type: ignore[no-any-return]


def question(key: str, **names: Any) -> str:
    """Return one question."""
    return _table()["questions"][key].format(**names)  # type: ignore[no-any-return]


def remark(key: str, **names: Any) -> Remark:
    """Return one warning."""
    found = _table()["remarks"][key]
    return Remark(id=key, text=found["text"].format(**names), source=found.get("source", ""))


def _table() -> dict[str, Any]:
    return resources.table("facts", "code")


def shape(dims: Sequence[int | None]) -> str:
    """Return `3x224x224`; `?` for what is not known."""
    return "x".join("?" if each is None else str(each) for each in dims) or "of one number"


# ---------------------------------------------------------------- the answer


def notes(machine: Machine, job: Job, estimate: Estimate | None) -> Iterator[str]:
    """Say what was found, the most important first."""
    if not job.loaders:
        yield note("nothing")
        return
    if estimate is not None:
        yield _total(job, estimate)
    for each in job.loaders:
        yield _loader(each)
        yield from _numbers(each)
        yield from _sample(machine, each)
        yield from _kind(each)
    yield from job.notes
    if job.ranks.words:
        yield f"{job.ranks.words}."
    if machine.cut_short:
        yield note("cut_short")
    left_out = sorted(set(machine.source.left_out))
    if left_out:
        lines = ", ".join(map(str, left_out[:_SHOWN_LINES]))
        yield note("left_out", lines=lines + (" ..." if len(left_out) > _SHOWN_LINES else ""))


def _total(job: Job, estimate: Estimate) -> str:
    return note(
        "one_process" if job.processes == 1 else "processes",
        need=size(estimate.need_bytes),
        recommended=size(estimate.recommended_bytes),
        processes=job.processes,
        full=size(estimate.full_bytes),
    )


def _loader(each: Facts) -> str:
    sample = ""
    if each.shape and len(each.fields) == 1:
        sample = f" x {shape(each.shape)} {each.dtype}"
    elif each.sample_bytes is not None:
        sample = f", {size(each.sample_bytes)} a sample"
    return note(
        "loader",
        name=each.name,
        line=each.site.line,
        count="samples one by one" if each.alone else f"batches of {_known(each.batch)}",
        sample=sample,
        crops=f", {each.crops} crops of each (num_samples)" if each.crops > 1 else "",
        workers="no workers" if each.workers.value == 0 else f"{_known(each.workers)} workers",
        prefetch="" if each.prefetch is None else f", prefetch_factor {each.prefetch}",
        pin=", pin_memory" if each.pin else "",
    )


def _known(found: Number) -> str:
    text = f" ({found.text})" if found.text else ""
    if found.exact:
        return str(found.value)
    if found.value is not None:
        return f"at most {found.value}{text}"
    return f"an unknown number of{text}"


def _numbers(each: Facts) -> Iterator[str]:
    """Say which numbers are defaults, and which depend on a condition."""
    for what, found in (("batch size", each.batch), ("number of workers", each.workers)):
        origin = found.by_default
        if origin and origin != "absent" and not (what == "batch size" and each.alone):
            yield note("by_default", name=each.name, what=what, value=found.value, origin=origin)
        if found.options:
            options = ["unknown" if value is None else str(value) for value, _ in found.options]
            yield note(
                "condition",
                name=each.name,
                what=what,
                condition=found.options[0][1],
                values=" or ".join(dict.fromkeys(options)),
                value=found.value,
            )


def _sample(machine: Machine, each: Facts) -> Iterator[str]:
    """Say where the shape and the dtype are from."""
    line = each.fields[0].line if each.fields else 0
    if each.sample_from:
        origin = "what you said" if each.sample_from == "you" else each.sample_from
        yield note("shape_said", name=each.name, origin=origin)
    elif each.shape is not None and line:
        text = machine.source.line_text(line)[:100]
        yield note("shape", name=each.name, shape=shape(each.shape), line=line, text=text)
    first = next((one for one in each.fields if one.kind == "tensor"), None)
    if first is not None and first.dtype is None and each.shape is not None:
        yield note("dtype", name=each.name)


def _kind(each: Facts) -> Iterator[str]:
    """Say what is particular about the kind of loader and the way it is used."""
    if any(one.tensor is not None and one.tensor.channels_assumed for one in each.fields):
        yield note("channels", name=each.name)
    if each.pin and each.workers.value != 0:
        yield note("pin", name=each.name)
    if each.unknown_collate:
        yield note("collate", name=each.name)
    if each.kind in {"fastai", "queue", "hf", "ffcv", "yolo"}:
        yield note(each.kind, name=each.name)
    if each.site.breaks or each.site.takes:
        yield note("early", name=each.name)
