"""What stands before a message in a log, and what it says: who wrote the line, and when."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from calculator import resources

_PEELS: Final = 8
_MESSAGES: Final = ("log", "message", "msg", "textPayload", "text", "line", "body", "content")
_MORE: Final = ("exc_info", "exception", "traceback", "stack", "stack_trace", "stacktrace")
_NAMES: Final = {
    "pod": ("pod_name", "pod", "podName"),
    "container": ("container_name", "container", "containerName"),
    "rank": ("rank", "global_rank", "node_rank"),
    "time": ("time", "timestamp", "@timestamp", "ts", "asctime"),
}


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    rows = resources.table("facts", "prefixes")["prefix"]
    return tuple(re.compile(row["pattern"]) for row in rows)


def peel(text: str) -> tuple[str, dict[str, str]]:
    """Return the message without what stands before it, and what that said.

    The innermost prefix does not override an outer one, except the rank: the process knows
    it better than who collected its output.
    """
    told: dict[str, str] = {}
    for _ in range(_PEELS):
        found = next((match for each in _patterns() if (match := each.match(text))), None)
        if found is None:
            unwrapped = unwrap(text)
            if unwrapped is None:
                break
            text, more = unwrapped
            told = {**more, **told}
            if "\n" in text:
                break
            continue
        named = {key: value for key, value in found.groupdict().items() if value}
        told = {**named, **told, **({"rank": named["rank"]} if "rank" in named else {})}
        text = text[found.end() :]
    return text, told


def unwrap(text: str) -> tuple[str, dict[str, str]] | None:
    """Read one line of JSON as log collectors write it; None when it is something else."""
    bare = text.strip().rstrip(",")
    if not (bare.startswith("{") and bare.endswith("}")):
        return None
    try:
        record = json.loads(bare)
    except (ValueError, RecursionError):
        return None
    payload = record.get("jsonPayload")
    inner = {**record, **payload} if isinstance(payload, dict) else record
    parts = [_first(inner, _MESSAGES), *(_text(inner.get(key)) for key in _MORE)]
    message = "\n".join(part for part in parts if part)
    return (message.rstrip("\r\n"), _told(inner)) if message else None


def _told(record: Mapping[str, Any]) -> dict[str, str]:
    places = [record, record.get("kubernetes"), record.get("labels")]
    resource = record.get("resource")
    if isinstance(resource, dict):
        places.append(resource.get("labels"))
    told: dict[str, str] = {}
    for place in places:
        if isinstance(place, dict):
            for name, keys in _NAMES.items():
                value = _first(place, keys)
                if value and (name != "rank" or value.isdecimal()):
                    told.setdefault(name, value[:253])
    return told


def _first(record: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    return next((text for key in keys if (text := _text(record.get(key)))), "")


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(part for part in value if isinstance(part, str))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value)
