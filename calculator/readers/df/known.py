"""What is known beside a paste: the need, the declared limit, the pod that crashed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calculator.errors import InputError
from calculator.sizing import size_job
from calculator.typed import MAX_BYTES
from calculator.workload import parse


@dataclass(frozen=True)
class Known:
    """Facts beside the paste; sizes in bytes, None and empty where nobody said."""

    need: int | None = None
    declared: int | None = None
    crashing: str = ""


def known(given: Mapping[str, Any] | None) -> Known:
    """Return what is given.

    Raises:
        InputError: a size is none, or the workload is not valid.
    """
    given = given or {}
    if isinstance(given.get("workload"), dict):
        need: int | None = size_job(parse(given["workload"])).need_bytes
    else:
        need = _whole(given, "need_bytes")
    crashing = given.get("crashing_pod") or given.get("crashing_container") or ""
    return Known(need, _whole(given, "declared_size_limit_bytes"), str(crashing))


def _whole(given: Mapping[str, Any], key: str) -> int | None:
    value = given.get(key)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_BYTES:
        raise InputError.at(f"given.{key}", "must be a number of bytes")
    return value
