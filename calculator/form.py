"""The form, described from the workload model: one control per input.

Labels, help, ranges and choices stand on the model's fields; a template only says which
inputs it wants where.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, get_args

import annotated_types
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from calculator.loader import Loader
from calculator.typed import is_size
from calculator.units import typed
from calculator.workload import Workload


@dataclass(frozen=True)
class Control:
    """One input of the form.

    `path` is the dotted path that `set` takes, `value` the text that stands in it and
    `default` the one that stands there when nothing is said.
    """

    path: str
    kind: Literal["number", "text", "checkbox", "select"]
    label: str
    help: str
    value: str
    default: str
    minimum: int | None
    maximum: int | None
    choices: tuple[tuple[str, str], ...]
    is_size: bool

    @property
    def checked(self) -> bool:
        """Whether a checkbox is ticked."""
        return self.value == "true"

    @property
    def id(self) -> str:
        """An id for the element."""
        return self.path.replace(".", "-").replace("_", "-")


def control(workload: Workload, path: str) -> Control:
    """Describe the input at `path`.

    Raises:
        KeyError, IndexError: the workload has no such input.
    """
    *parents, name = path.split(".")
    entry = holder(workload, parents)
    info = type(entry).model_fields[name]
    value = getattr(entry, name)
    extra: dict[str, Any] = (
        info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    )
    choices = tuple(extra.get("choices", {}).items())
    kind = _kind(value, choices, extra, info)
    return Control(
        path=path,
        kind=kind,
        label=info.title or name,
        help=info.description or "",
        value=_text(value, info, extra),
        default=_text(_default(entry, info, name), info, extra),
        minimum=_bound(info, annotated_types.Ge, "ge") if kind == "number" else None,
        maximum=_bound(info, annotated_types.Le, "le") if kind == "number" else None,
        choices=choices,
        is_size=is_size(info),
    )


def most(workload: Workload, path: str) -> int:
    """Return how many entries the list at `path` takes.

    Raises:
        KeyError, IndexError: the workload has no such list.
    """
    *parents, name = path.split(".")
    info = type(holder(workload, parents)).model_fields[name]
    found: int = next(each.max_length for each in info.metadata if hasattr(each, "max_length"))
    return found


def holder(workload: Workload, parents: Sequence[str]) -> BaseModel:
    """Return the job, loader, field or deployment that the parts of a path lead to.

    Raises:
        AttributeError, IndexError: the workload has no such thing.
    """
    at: Any = workload
    for part in parents:
        at = at[int(part)] if part.isdecimal() else getattr(at, part)
    found: BaseModel = at
    return found


def _default(entry: BaseModel, info: FieldInfo, name: str) -> Any:
    """Return what an input is when nothing is said; a loader's name is then made up."""
    return entry.name if isinstance(entry, Loader) and name == "name" else info.default


def _kind(
    value: object, choices: Sequence[object], extra: dict[str, Any], info: FieldInfo
) -> Literal["number", "text", "checkbox", "select"]:
    if isinstance(value, bool):
        return "checkbox"
    if choices:
        return "select"
    if isinstance(value, int) and not is_size(info) and "unit" not in extra:
        return "number"
    return "text"


def _text(value: Any, info: FieldInfo, extra: dict[str, Any]) -> str:
    """Write a value so that the same text, typed, gives it back."""
    if value is None:
        return ""
    if is_size(info):
        return typed(value)
    if extra.get("unit") == "percent":
        return f"{(Decimal(str(value)) * 100).normalize():f}%"
    return _plain(value)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value)


def _bound(info: FieldInfo, kind: type, name: str) -> int | None:
    """Find a range in the field's own metadata, or inside `X | None`."""
    nested = [
        each
        for part in get_args(info.annotation)
        for each in getattr(part, "__metadata__", ())
        for each in (each.metadata if isinstance(each, FieldInfo) else [each])
    ]
    for each in (*info.metadata, *nested):
        if isinstance(each, kind):
            found: int = getattr(each, name)
            return found
    return None
