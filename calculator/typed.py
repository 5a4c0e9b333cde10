"""Input types: what people type, read before it is validated; and what the form asks."""

from __future__ import annotations

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

from calculator import dtypes
from calculator.units import SizeError, parse_size


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


# ---------------------------------------------------------------- readers of typed text


def _shape(value: Any) -> Any:
    """Read `3, 224, 224`, `3x224x224` or `[3, 224, 224]`; a list passes as it is."""
    if isinstance(value, int) and not isinstance(value, bool):
        return [value]
    if not isinstance(value, str):
        return value
    inner = value.strip().strip("[]()").strip().removesuffix(",")
    parts = re.split(r"\s*[,;x×*]\s*|\s+", inner) if inner else []
    if not all(re.fullmatch(r"[+-]?\d{1,18}", part) for part in parts):
        raise ValueError("must be whole numbers, such as 3, 224, 224")
    return [int(part) for part in parts]


def _size(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return parse_size(value)
    except SizeError as error:
        raise ValueError(f"must be {error.expected}") from None


def _blank_is_none(value: Any) -> Any:
    blank = isinstance(value, str) and value.strip().lower() in {"", "none", "null"}
    return None if blank else value


def _share(value: Any) -> Any:
    """Read `10%` as 0.1; the division is exact in decimal.  A bare 10 typed is a slip."""
    if not isinstance(value, str):
        return value
    percent = re.fullmatch(r"\s*(\d{1,6}(?:\.\d{1,12})?)\s*%\s*", value, re.ASCII)
    if percent:
        return float(Decimal(percent[1]) / 100)
    if value.strip().endswith("%") or _number(value) > 1:
        raise ValueError("must be a share, such as 10%")
    return value


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0


def _version(value: Any) -> Any:
    if isinstance(value, int | float):
        raise ValueError(  # noqa: TRY004 - pydantic reports only ValueError at its place
            'must be text, such as "2.10": as a number that would be 2.1'
        )
    text = str(value).strip().removeprefix("v")
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

MAX_BYTES: Final = 2**60
"""An exbibyte: no input and no answer is larger, and no platform could spell it."""

Dimension = Annotated[int, Field(ge=1, le=10**12)]
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
