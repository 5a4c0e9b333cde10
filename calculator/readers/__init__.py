"""Readers of pasted text: `read` says what a paste is and what it means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calculator.readers import config, df
from calculator.readers.reading import Reading


def read(text: str, kind: str = "auto", given: Mapping[str, Any] | None = None) -> Reading:
    first = df.read(text, given)
    if kind == "df" or (first.verdict != "unparsable"):
        return first
    found = config.attempt(text, given)
    return found or first
