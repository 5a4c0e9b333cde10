"""Input types: what people type, read before it is validated; and what the form asks."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    StringConstraints,
)
from pydantic.fields import FieldInfo

from calculator import dtypes
from calculator.units import SizeError, parse_size, size


class Input(BaseModel):
    """Base of everything a person can say: unknown keys are refused, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def ask(
    label: str,
    help_text: str = "",
    *,
    choices: Mapping[str, str] | None = None,
    unit: str | None = None,
    **limits: Any,
) -> Any:
    """Describe one input for people: its label, help, choices, unit and range.

    Args:
        label: short name, as beside the input.
        help_text: one sentence.
        choices: value -> text, for a list to choose from.
        unit: "bytes" or "percent", where the text that is typed has one.
        limits: pydantic's constraints, such as ge and le.
    """
    extra: dict[str, Any] = {}
    if choices:
        extra["choices"] = {str(value): text for value, text in choices.items()}
    if unit:
        extra["unit"] = unit
    return Field(
        title=label,
        description=help_text or None,
        json_schema_extra=extra or None,
        **limits,
    )


def is_size(info: FieldInfo) -> bool:
    """Whether an input is a size in bytes."""
    extra = info.json_schema_extra
    return isinstance(extra, dict) and extra.get("unit") == "bytes"


# ---------------------------------------------------------------- readers of typed text


def plain(text: str) -> str:
    """Refuse digits that some readers would take and others not, such as those of Arabic."""
    if any(each.isdigit() and not each.isascii() for each in text):
        raise ValueError("must be written with the digits 0 to 9")
    return text.strip()


def _whole(value: Any) -> Any:
    """Refuse what pydantic would make a number of, or complain of in its own words."""
    if isinstance(value, str):
        value = plain(value)
    if isinstance(value, bool) or (isinstance(value, str) and not value.isascii()):
        raise ValueError("must be a whole number")
    return value


def _shape(value: Any) -> Any:
    """Read `3, 224, 224`, `3x224x224` or `[3, 224, 224]`; a list passes as it is."""
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return [value]
    text = plain(value) if isinstance(value, str) else "?"
    inner = text.strip("[]()").strip().removesuffix(",")
    parts = re.split(r"\s*[,x×*]\s*|\s+", inner) if inner else []
    if not all(re.fullmatch(r"[+-]?\d+", part, re.ASCII) for part in parts):
        raise ValueError("must be whole numbers, such as 3, 224, 224")
    if any(len(part) > MAX_DIGITS for part in parts):
        raise ValueError("has too long a number")
    return [int(part) for part in parts]


def _size(value: Any) -> Any:
    """Read `8g`; of what is no text only a number may be a size."""
    text = plain(value) if isinstance(value, str) else ""
    try:
        found = value if _is_number(value) else parse_size(text)
    except SizeError as error:
        raise ValueError(f"must be {error.expected}") from None
    if MAX_BYTES < found < math.inf:
        raise ValueError(f"must be at most {size(MAX_BYTES)}")
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _blank_is_none(value: Any) -> Any:
    blank = isinstance(value, str) and value.strip().lower() in {"", "none", "null"}
    return None if blank else value


def _share(value: Any) -> Any:
    """Read `10%` as 0.1; the division is exact in decimal.  A bare 10 typed is a slip."""
    if _is_number(value):
        return value
    text = plain(value) if isinstance(value, str) else "?"
    percent = re.fullmatch(r"(\d{1,6}(?:\.\d{1,12})?)\s*%", text, re.ASCII)
    if percent:
        return float(Decimal(percent[1]) / 100)
    if text.endswith("%") or _number(text) > 1:
        raise ValueError("must be a share, such as 10%")
    if not text.isascii() or text == "?":
        raise ValueError("must be a number")
    return text


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0


def _version(value: Any) -> Any:
    if _is_number(value):
        raise ValueError('must be text, such as "2.10": as a number that would be 2.1')
    text = plain(str(value)).removeprefix("v")
    if not re.fullmatch(r"\d{1,3}\.\d{1,3}[\w.+-]{0,60}", text, re.ASCII):
        raise ValueError("must be a version, such as 2.13")
    return text


def _printable(value: str) -> str:
    if not value.isprintable():
        raise ValueError("must be text without control characters")
    return value


def _dtype(value: Any) -> Any:
    return dtypes.canonical(value) if isinstance(value, str) else value


# ---------------------------------------------------------------- types

MAX_BYTES: Final = 2**53
"""8 PiB: no input and no answer is larger, and a browser's numbers are exact up to here."""

MAX_DIGITS: Final = 40
"""Longer numbers are not worth reading: every limit is far below."""

Whole = Annotated[int, BeforeValidator(_whole)]
"""A whole number; `true` is none."""

Dimension = Annotated[Whole, Field(ge=1, le=10**12)]
Shape = Annotated[
    tuple[Dimension, ...], BeforeValidator(_shape), Field(min_length=1, max_length=16)
]
OptionalShape = Annotated[Shape | None, BeforeValidator(_blank_is_none)]
Sizes = Annotated[
    Annotated[
        tuple[Dimension, ...],
        BeforeValidator(_shape),
        Field(min_length=1, max_length=100_000),
    ]
    | None,
    BeforeValidator(_blank_is_none),
]
Bytes = Annotated[int, BeforeValidator(_size), Field(ge=0, le=MAX_BYTES)]
OptionalBytes = Annotated[
    Annotated[int, BeforeValidator(_size), Field(ge=1, le=MAX_BYTES)] | None,
    BeforeValidator(_blank_is_none),
]
Share = Annotated[FiniteFloat, BeforeValidator(_share), Field(ge=0, le=10)]
Version = Annotated[str, BeforeValidator(_version)]
Name = Annotated[str, StringConstraints(max_length=80), AfterValidator(_printable)]
Dtype = Annotated[str, BeforeValidator(_dtype)]
BlankIsNone = BeforeValidator(_blank_is_none)


def release(version: str) -> tuple[int, int]:
    """Return the first two numbers of a version: `2.13.1+cu128` is (2, 13)."""
    major, minor = version.split(".")[:2]
    return int(major), int(re.match(r"\d+", minor)[0])  # type: ignore[index]
