"""A unified diff of changes whose places are known: nothing is searched for."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

from calculator.manifests.editing import Span

_CONTEXT: Final = 3


@dataclass(frozen=True)
class Hunk:
    """Lines `start` to `end` (from 0, end excluded) of the old text become `new`."""

    start: int
    end: int
    new: list[str]


def hunks(text: str, spans: list[Span]) -> list[Hunk]:
    """Turn changes of characters, in order, into changes of whole lines."""
    lines = _lines(text)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    found: list[Hunk] = []
    i = 0
    while i < len(spans):
        first = _line(starts, spans[i].start, len(lines))
        last = _line(starts, spans[i].end, len(lines))
        j = i + 1
        while j < len(spans) and _line(starts, spans[j].start, len(lines)) <= last:
            last = max(last, _line(starts, spans[j].end, len(lines)))
            j += 1
        found.append(_hunk(text, starts, first, min(last + 1, len(lines)), spans[i:j]))
        i = j
    return [_trimmed(lines, hunk) for hunk in found]


def _lines(text: str) -> list[str]:
    """Split at line feeds only."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _line(starts: list[int], at: int, total: int) -> int:
    return min(bisect_right(starts, at) - 1, max(total - 1, 0))


def _hunk(text: str, starts: list[int], first: int, end: int, spans: list[Span]) -> Hunk:
    at, parts = starts[first], []
    for span in spans:
        parts += [text[at : span.start], span.new]
        at = span.end
    return Hunk(first, end, _lines("".join([*parts, text[at : starts[end]]])))


def _trimmed(lines: list[str], hunk: Hunk) -> Hunk:
    """Leave out the lines at both ends that are the same."""
    start, end, new = hunk.start, hunk.end, hunk.new
    while start < end and new and lines[start] == new[0]:
        start, new = start + 1, new[1:]
    while end > start and new and lines[end - 1] == new[-1]:
        end, new = end - 1, new[:-1]
    return Hunk(start, end, new)


def unified(text: str, spans: list[Span]) -> str:
    """Return the changes as a unified diff, with three lines around each."""
    changed = _joined([hunk for hunk in hunks(text, spans) if hunk.new or hunk.start < hunk.end])
    if not changed:
        return ""
    lines = _lines(text)
    groups: list[list[Hunk]] = []
    for hunk in changed:
        if groups and hunk.start - groups[-1][-1].end <= 2 * _CONTEXT:
            groups[-1].append(hunk)
        else:
            groups.append([hunk])
    out, moved = ["--- before\n", "+++ after\n"], 0
    for group in groups:
        start, end = max(group[0].start - _CONTEXT, 0), min(group[-1].end + _CONTEXT, len(lines))
        growth = sum(len(hunk.new) - (hunk.end - hunk.start) for hunk in group)
        old, new = _range(start, end - start), _range(start + moved, end - start + growth)
        out.append(f"@@ -{old} +{new} @@\n")
        out += _body(lines, start, end, group)
        moved += growth
    return "".join(out)


def _joined(found: list[Hunk]) -> list[Hunk]:
    """Make one of changes that touch."""
    out: list[Hunk] = []
    for hunk in found:
        if out and out[-1].end == hunk.start:
            hunk = Hunk(out[-1].start, hunk.end, out.pop().new + hunk.new)  # noqa: PLW2901
        out.append(hunk)
    return out


def _range(start: int, length: int) -> str:
    return f"{start + 1 if length else start},{length}"


def _body(lines: list[str], start: int, end: int, group: list[Hunk]) -> list[str]:
    out, at = [], start
    for hunk in group:
        out += [_row(" ", line) for line in lines[at : hunk.start]]
        out += [_row("-", line) for line in lines[hunk.start : hunk.end]]
        out += [_row("+", line) for line in hunk.new]
        at = hunk.end
    return out + [_row(" ", line) for line in lines[at:end]]


def _row(sign: str, line: str) -> str:
    return sign + line if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"
