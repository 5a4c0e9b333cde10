"""Sizes that can be read, and are hardly meant: a bare `64` is 64 bytes, as Docker reads it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from calculator.errors import Problem
from calculator.typed import is_size
from calculator.units import KIB, SizeError, count, exact, parse_size
from calculator.workload import Workload


def slips(data: Any) -> Iterator[Problem]:
    """Yield a hint for each size of a workload, as it was given, that a page of memory exceeds."""
    if not isinstance(data, dict):
        return
    for name, info in Workload.model_fields.items():
        if is_size(info):
            yield from slip(name, data.get(name))


def slip(path: str, given: Any) -> Iterable[Problem]:
    """Return a hint if the size given is below 4 KiB and not 0."""
    if isinstance(given, bool) or not isinstance(given, int | str):
        return ()
    text = given.strip() if isinstance(given, str) else exact(given)
    try:
        value = parse_size(text)
    except SizeError:
        return ()
    number = re.sub(r"[^\d.,].*", "", text)
    if value >= 4 * KIB or not re.search("[1-9]", number):
        return ()
    means = "1 byte" if value == 1 else f"{count(value)} bytes"
    return (Problem(path, f"{text} means {means}; did you mean {number}m or {number}g?"),)
