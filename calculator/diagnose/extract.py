"""What a log names: process, rank, object, sizes, versions, exit code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from calculator.diagnose import values
from calculator.diagnose.context import Context
from calculator.diagnose.decide import Decision
from calculator.diagnose.lines import Line
from calculator.diagnose.signatures import BEFORE, Finding

_OBJECT: Final = re.compile(r"/?torch_\d+_\w+_(?P<counter>\d+)$")
_IN_LINE: Final = re.compile(r"\b[Rr]ank[ :=]?\s?(?P<rank>\d{1,6})\b")
_MOST: Final = 64
_NCCL_COUNTER: Final = 4
"""NCCL extends a segment's file by a counter of its users."""


def extract(
    made: Decision,
    found: Context,
    lines: Sequence[Line],
    findings: Sequence[Finding],
    counts: Counter[str],
) -> dict[str, Any]:
    """Put together what is known; what stands in the cause's own line comes first."""
    named: dict[str, Any] = {}
    primary = made.primary
    if primary is not None:
        own = [primary, *(each for each in made.same if each is not primary)]
        for each in own:
            _add(named, _of(each))
        _lists(named, own)
        _from_echoes(named, made)
        _nearby(named, primary, lines, findings)
        _places(named, primary.line, own)
        if primary.signature.id == "vllm-broadcast":
            named["repeats"] = counts["no available shared memory broadcast block found"]
    _sizes(named, made, found)
    _add(named, {key: value for key, value in found.named.items() if _wanted(key, made)})
    if "extended_bytes" in named:
        named.setdefault("segment_bytes", named["extended_bytes"] - _NCCL_COUNTER)
    _consistent(named)
    return named


def _add(named: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        named.setdefault(key, value)


def _of(finding: Finding) -> dict[str, Any]:
    """Return what one failing line names."""
    found = values.read(finding.groups)
    found.update((k, v) for k, v in finding.signature.sets.items() if k != "grammar")
    number = values.errno_of(finding.line.text)
    if number is not None and "signal" not in found:
        found.setdefault("errno", number)
        text = next((t for t in values.ERRNO_TEXTS if t in finding.line.low), None)
        if text:
            at = finding.line.low.index(text)
            found.setdefault("errno_text", finding.line.text[at : at + len(text)])
    counter = _OBJECT.search(str(found.get("object", "")))
    if counter:
        found.setdefault("object_counter", int(counter["counter"]))
    if "exit_code" in found and "signal" not in found:
        signal = values.signal_of(found["exit_code"])
        if signal:
            found["signal"] = signal
    return found


def _lists(named: dict[str, Any], own: Sequence[Finding]) -> None:
    """Give every process and rank that failed in the same way, in order."""
    pids = list(named.get("pids", ()))
    ranks: list[int] = []
    for each in own:
        found = values.read(each.groups)
        pids += [found["pid"]] if "pid" in found else found.get("pids", [])
        rank = found.get("rank", _rank(each.line))
        ranks += [] if rank is None else [rank]
    if pids:
        named["pids"] = list(dict.fromkeys(pids))[:_MOST]
        named.setdefault("pid", named["pids"][0])
    if ranks:
        named["ranks"] = list(dict.fromkeys(ranks))[:_MOST]
        named.setdefault("rank", ranks[0])


def _from_echoes(named: dict[str, Any], made: Decision) -> None:
    """Where the cause names no process, its echo does."""
    gone = [each for each in made.others if each.signature.id == "exited-unexpectedly"]
    if gone and "pid" not in named:
        _lists(named, gone[:1])
    if "rank" not in named:
        ended = [each for each in made.others if "local_rank" in each.groups]
        _add(named, values.read(ended[0].groups) if ended else {})


def _rank(line: Line) -> int | None:
    if line.rank is not None:
        return line.rank
    stated = _IN_LINE.search(line.text)
    return int(stated["rank"]) if stated else None


_NEAR: Final = {"worker-index": 12, "elastic-rank": 6, "exit-code-137": 4, "oom-pid": 12}


def _nearby(
    named: dict[str, Any], primary: Finding, lines: Sequence[Line], findings: Sequence[Finding]
) -> None:
    """Add what the lines around the cause name: the worker, torchrun's rank, the progress."""
    for each in sorted(findings, key=lambda each: abs(each.position - primary.position)):
        distance = each.position - primary.position
        reach = _NEAR.get(each.signature.id)
        if reach is not None and -BEFORE <= distance <= reach and _same_writer(each, primary):
            _add(named, values.read(each.groups))
    elastic = [each for each in findings if each.signature.id == "elastic-rank"]
    if elastic and "rank" not in named:
        _add(named, values.read(_root(elastic, lines).groups))
    steps = [
        each
        for each in findings
        if each.signature.id == "progress" and each.position < primary.position
    ]
    if steps:
        _add(named, values.read(steps[-1].groups))


def _same_writer(each: Finding, primary: Finding) -> bool:
    return each.line.source == primary.line.source


def _root(elastic: Sequence[Finding], lines: Sequence[Line]) -> Finding:
    """Return the rank under torchrun's "Root Cause", else the first."""
    for each in elastic:
        before = lines[max(0, each.position - 6) : each.position]
        if any("root cause" in line.low for line in before):
            return each
    return elastic[0]


def _places(named: dict[str, Any], line: Line, own: Sequence[Finding]) -> None:
    for key in ("pod", "container", "service", "host"):
        value = getattr(line, key) or next((v for f in own if (v := getattr(f.line, key))), "")
        if value:
            named.setdefault(key, value)
    if line.process:
        named.setdefault("pid", int(line.process))


def _sizes(named: dict[str, Any], made: Decision, found: Context) -> None:
    if made.space is not None:
        named["shm_size_bytes"] = made.space.size
        named["shm_used_bytes"] = made.space.used
        named["shm_available_bytes"] = made.space.available
    asked = found.named.get("shm_limit_bytes")
    if made.diagnosis == "shm_size_not_applied" and asked:
        named.setdefault("asked_bytes", asked)


_ONLY_FOR: Final = {
    "volume": ("emptydir",),
    "exit_code": ("oom", "bus", "worker", "unknown"),
}


def _wanted(key: str, made: Decision) -> bool:
    only = _ONLY_FOR.get(key)
    return only is None or made.diagnosis.startswith(only)


def _consistent(named: dict[str, Any]) -> None:
    """A code of 137 comes with its signal; an asked size is the same as the limit."""
    code = named.get("exit_code")
    if isinstance(code, int) and "signal" not in named:
        signal = values.signal_of(code)
        if signal:
            named["signal"] = signal


def missing_ranks(findings: Sequence[Finding]) -> Iterator[int]:
    """Yield the ranks that did not complain of a timeout although their neighbours did."""
    waiting = {
        rank
        for each in findings
        if each.signature.id == "nccl-watchdog" and (rank := _rank(each.line)) is not None
    }
    if len(waiting) > 1 and max(waiting) < _MOST:
        yield from sorted(set(range(max(waiting) + 1)) - waiting)
