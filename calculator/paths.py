"""Dotted paths into the workload's JSON: `loaders.0.batch_size`, positions from 0."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from calculator.errors import InputError


def assign(data: Any, changes: Mapping[str, Any]) -> Any:
    """Return a copy of `data` with values set; the position after the last appends.

    Raises:
        InputError: a path leads nowhere.
    """
    result = _copied(data)
    for path, value in changes.items():
        _assign(result, path, _parts(path), value)
    return result


def remove(data: Any, paths: Iterable[str]) -> Any:
    """Return a copy of `data` without the list entries or keys that `paths` name.

    Raises:
        InputError: a path leads nowhere.
    """
    result = _copied(data)
    for path in paths:
        *parents, last = _parts(path)
        holder = result
        for part in parents:
            holder = _step(holder, path, part)
        _step(holder, path, last)
        del holder[int(last) if isinstance(holder, list) else last]
    return result


def value_at(data: Any, path: str) -> Any:
    """Return what stands at a path.

    Raises:
        InputError: the path leads nowhere.
    """
    found = data
    for part in _parts(path):
        found = _step(found, path, part)
    return found


MAX_PARTS: Final = 16
"""No input lies deeper."""


def _copied(data: Any) -> Any:
    """Copy what JSON can hold; an edit has this done often, and what copies anything is slow."""
    if isinstance(data, dict):
        return {key: _copied(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_copied(value) for value in data]
    return data


def _parts(path: str) -> list[str]:
    parts = path.split(".")
    if len(parts) > MAX_PARTS:
        raise InputError.at(path, "does not lead to an input")
    return parts


def _assign(holder: Any, path: str, parts: list[str], value: Any) -> None:
    part, *rest = parts
    if isinstance(holder, list):
        position = _position(path, part, len(holder))
        if position == len(holder):
            holder.append({})
        if rest:
            _assign(holder[position], path, rest, value)
        else:
            holder[position] = value
    elif isinstance(holder, dict):
        if rest:
            if part not in holder:
                holder[part] = [] if rest[0].isdecimal() else {}
            _assign(holder[part], path, rest, value)
        else:
            holder[part] = value
    else:
        raise InputError.at(path, "does not lead to an input")


def _step(holder: Any, path: str, part: str) -> Any:
    if isinstance(holder, list):
        position = _position(path, part, len(holder) - 1)
        return holder[position]
    if isinstance(holder, dict) and part in holder:
        return holder[part]
    raise InputError.at(path, "does not lead to an input")


def _position(path: str, part: str, last: int) -> int:
    if not re.fullmatch(r"[0-9]{1,6}", part):
        raise InputError.at(path, f"{part[:40]!r} is not a position in a list; count from 0")
    if int(part) > last:
        raise InputError.at(path, f"there is no position {part}; the next free one is {last}")
    return int(part)
