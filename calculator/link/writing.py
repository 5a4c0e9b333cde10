"""A job as a link."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic.fields import FieldInfo

from calculator.link.escaping import escape
from calculator.link.keys import BY_WORD, DTYPES, FIELD, JOB, LOADER, TARGET, VERSION
from calculator.loader import Loader
from calculator.sample import SampleField
from calculator.typed import is_size
from calculator.units import brief
from calculator.workload import Workload, usual_name


def write(workload: Workload, *, target: str | None = None) -> str:
    """Write a job as a link.

    Args:
        workload: the job.
        target: id of the platform that is looked at.
    """
    parts = [VERSION, *_job(workload), *_loaders(workload.loaders)]
    if target is not None:
        parts.append(f"{TARGET}={target}")
    return ";".join(parts)


def _job(workload: Workload) -> Iterator[str]:
    for path, key in JOB.items():
        group, _, name = path.rpartition(".")
        holder = getattr(workload, group) if group else workload
        info = type(holder).model_fields[name]
        value = getattr(holder, name)
        if name != "loaders" and value != info.default:
            yield _part(key, _spelled(value, info), value)


def _loaders(loaders: Sequence[Loader]) -> Iterator[str]:
    usual = {name: info.default for name, info in Loader.model_fields.items()}
    parts: list[str] = []
    for position, loader in enumerate(loaders):
        parts = list(_loader(position, loader, {**usual, "name": usual_name(position)}))
        yield from parts
        if position == 0:
            usual = {name: getattr(loader, name) for name in Loader.model_fields}
    if len(loaders) > 1 and not parts:
        yield f"{JOB['loaders']}={len(loaders)}"


def _loader(position: int, loader: Loader, usual: Mapping[str, Any]) -> Iterator[str]:
    for name, key in LOADER.items():
        value = getattr(loader, name)
        if value != usual[name]:
            text = (
                ",".join(map(_field, value))
                if name == "fields"
                else _spelled(value, Loader.model_fields[name])
            )
            yield _part(f"{position or ''}{key}", text, value)


def _part(key: str, text: str, value: Any) -> str:
    """Write one part; of what is switched on the key says it all."""
    return key if value is True else f"{key}={text}"


def _field(field: SampleField) -> str:
    """Write NAME:SHAPE:..., empty places at the end left out; without a name the shape stands."""
    usual = SampleField.model_fields
    changed = {
        name: _spelled(value, usual[name])
        for name, value in ((name, getattr(field, name)) for name in usual)
        if value != usual[name].default
    }
    name = escape(field.name)
    shape = changed.get("shape") or ("" if name else _spelled(field.shape, usual["shape"]))
    words = [DTYPES.get(changed[each], changed[each]) for each in BY_WORD if each in changed]
    keyed = [f"{key}={changed[each]}" for each, key in FIELD.items() if each in changed]
    return ":".join([name, shape, *words, *keyed]).rstrip(":")


def _spelled(value: Any, info: FieldInfo) -> str:
    """Write one value; sizes in bytes with the largest unit that keeps them exact."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return brief(value) if is_size(info) else str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, tuple):
        return "x".join(map(str, value))
    if isinstance(value, str):
        return escape(str(value))
    raise TypeError(f"no link has a value such as {value!r}")
