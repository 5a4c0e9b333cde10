"""Applies a unified diff, by its own rules."""

from __future__ import annotations

import re


def patched(text: str, diff: str) -> str:
    """Return the text with the diff applied; every line of it must be as the diff says."""
    old = re.findall(r"[^\n]*\n|[^\n]+\Z", text)
    out: list[str] = []
    at = 0
    for hunk in re.split(r"^@@ ", diff, flags=re.MULTILINE)[1:]:
        head, _, body = hunk.partition("\n")
        start, length = map(int, re.match(r"-(\d+),(\d+)", head).groups())  # type: ignore[union-attr]
        start = start - 1 if length else start
        out += old[at:start]
        at = start
        for sign, line in _rows(body):
            if sign in " -":
                assert old[at] == line, (old[at], line)
                at += 1
            if sign in " +":
                out.append(line)
    return "".join(out + old[at:])


def _rows(body: str) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for line in re.findall(r"[^\n]*\n|[^\n]+\Z", body):
        if line.startswith("\\"):
            sign, last = rows.pop()
            rows.append((sign, last.removesuffix("\n")))
        else:
            rows.append((line[0], line[1:]))
    return rows
