"""What stands before a message in a log, and what it says: who wrote the line, and when."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        # kubectl logs --prefix; kubetail and some collectors
        r"\[pod/(?P<pod>[^/\]\s]{1,253})/(?P<container>[^\]\s]{1,253})\]\s?",
        r"\[(?P<pod>[a-z0-9][a-z0-9.-]{0,252}) (?P<container>[a-z0-9][a-z0-9-]{0,62})\] ",
        # stern: pod, container, message
        r"(?:[+-] )?(?P<pod>[a-z][a-z0-9.-]{0,200}-[a-z0-9]{1,60}) (?:› )?"
        r"(?P<container>[a-z][a-z0-9-]{0,62}) (?=\d{4}-\d\d-\d\d[T ]|[A-Z]\w{0,60}Error|ERROR|\[rank)",
        # docker compose
        r"(?P<service>[A-Za-z][\w.-]{0,80}?)(?:[-_]\d{1,4})?\s{1,40}\| ?",
        # CRI, GitHub, GitLab, Python's logging: dates
        r"\[?(?P<time>\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)\]?"
        r"(?: std(?:out|err) [FP])?[:,]?\s?",
        r"\[(?P<time>[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})\] ?",
        r"(?P<time>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d) (?P<host>[\w.-]{1,253}) "
        r"(?=[\w./-]{1,60}(?:\[\d{1,9}\])?: )",
        r"\[ {0,8}(?P<time>\d{1,9}\.\d{3,9})\] ?",
        r"\[?(?P<time>\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)\]? ",
        r"std(?:out|err) [FP] ",
        # ranks: torch, torchrun, MPI, Horovod, Lightning, a logger's own
        r"\[rank ?:? ?(?P<rank>\d{1,6})\]:? ?",
        r"\[(?:default|trainer|worker|local_rank|gpu|GPU)[ _-]?(?P<rank>\d{1,6})\]:? ?",
        r"\[\d{1,6},(?P<rank>\d{1,6})\](?:<std(?:out|err)>)?: ?",
        r"\[(?P<rank>\d{1,6})\]<std(?:out|err)>: ?",
        r"\(?[Rr](?:ank|ANK)[ _]?[=:#]?\s?(?P<rank>\d{1,6})\)?\s?[:|>-]+\s?",
        r"\[[Rr](?:ank|ANK)[ _]?[=:#]?\s?(?P<rank>\d{1,6})\]:?\s?",
        # srun --label
        r"\s{0,6}(?P<rank>\d{1,5}): ",
        # Ray, vLLM
        r"\((?:[A-Za-z_]\w{0,60}?(?:_(?:TP|PP|DP|rank)?(?P<rank>\d{1,5}))? )?"
        r"pid=(?P<process>\d{1,9})(?:, ip=[\d.]{7,15})?\)(?: \[repeated \d{1,9}x[^\]]{0,80}\])? ?",
        # a logger's level
        r"\[?(?:INFO|WARNING|WARN|DEBUG)\]? {0,8}[:|-]? ?",
    )
)

_PEELS: Final = 8
_MESSAGES: Final = ("log", "message", "msg", "textPayload", "text", "line", "body", "content")
_MORE: Final = ("exc_info", "exception", "traceback", "stack", "stack_trace", "stacktrace")
_NAMES: Final = {
    "pod": ("pod_name", "pod", "podName"),
    "container": ("container_name", "container", "containerName"),
    "rank": ("rank", "global_rank", "node_rank"),
    "time": ("time", "timestamp", "@timestamp", "ts", "asctime"),
}


def peel(text: str) -> tuple[str, dict[str, str]]:
    """Return the message without what stands before it, and what that said.

    The innermost prefix does not override an outer one, except the rank: the process knows
    it better than who collected its output.
    """
    told: dict[str, str] = {}
    for _ in range(_PEELS):
        found = next((match for each in _PATTERNS if (match := each.match(text))), None)
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
