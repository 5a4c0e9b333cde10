"""What a person says beside the paste, checked before anything uses it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final

from calculator.dtypes import UnknownDtypeError, canonical
from calculator.errors import InputError
from calculator.typed import MAX_BYTES

MAX_DIMENSIONS: Final = 16
MAX_TENSORS: Final = 100


def checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is usable of it, in one form; keys of other readers are left alone.

    Raises:
        InputError: a shape, dtype or version that is none.
    """
    found: dict[str, Any] = {}
    shape = given.get("sample_shape", given.get("shape"))
    if shape is not None:
        found["sample_shape"] = _shape("sample_shape", shape)
    if given.get("dtype") is not None:
        found["dtype"] = _dtype("dtype", given["dtype"])
    if given.get("tensors") is not None:
        found["tensors"] = _tensors(given["tensors"])
    python = given.get("python", given.get("python_version"))
    if python is not None:
        if not isinstance(python, str) or not re.fullmatch(r"\d{1,2}\.\d{1,3}(\.\d{1,3})?", python):
            raise InputError.at("given.python", 'must be a version in quotes, such as "3.12"')
        found["python"] = python
    for key, aliases in _COUNTS.items():
        value = next((given[each] for each in aliases if given.get(each) is not None), None)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 10**6:
            found[key] = value
    if isinstance(given.get("job"), Mapping):
        found["job"] = given["job"]
    platform = given.get("platform")
    if isinstance(platform, str):
        found["platform"] = platform.lower()[:40]
    return found


_COUNTS: Final = {
    "ranks": ("ranks", "gpus", "num_processes", "world_size"),
    "cpus": ("cpus", "cpu_count"),
}


def _tensors(value: Any) -> list[tuple[tuple[int, ...], str]]:
    if not isinstance(value, list | tuple) or not 0 < len(value) <= MAX_TENSORS:
        raise InputError.at("given.tensors", "must be a list of [shape, dtype]")
    found = []
    for place, each in enumerate(value):
        if not isinstance(each, list | tuple) or len(each) != 2:  # noqa: PLR2004
            raise InputError.at(f"given.tensors.{place}", "must be [shape, dtype]")
        path = f"tensors.{place}"
        found.append((_shape(path, each[0]), _dtype(path, each[1])))
    return found


def _shape(path: str, value: Any) -> tuple[int, ...]:
    words = "must be whole numbers above 0, such as [3, 224, 224]"
    if isinstance(value, str):
        parts = re.findall(r"\d{1,12}", value[:200])
        value = [int(each) for each in parts]
    if not isinstance(value, list | tuple) or not 0 < len(value) <= MAX_DIMENSIONS:
        raise InputError.at(f"given.{path}", words)
    good = all(
        isinstance(each, int) and not isinstance(each, bool) and 0 < each <= MAX_BYTES
        for each in value
    )
    if not good or math.prod(value) > MAX_BYTES:
        raise InputError.at(f"given.{path}", words)
    return tuple(value)


def _dtype(path: str, value: Any) -> str:
    try:
        return canonical(str(value))
    except UnknownDtypeError as error:
        raise InputError.at(f"given.{path}", str(error)) from None
