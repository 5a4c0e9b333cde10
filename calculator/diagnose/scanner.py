"""Reading a log of any length: what may matter is kept, the rest is only counted.

Lines with a trigger of some signature are kept with those around them, and so are the
beginning and the end.  Memory is bounded, time is linear, and where the pieces that are
fed were cut makes no difference.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Final

from calculator.diagnose.lines import strip_colours
from calculator.diagnose.stems import present

BLOCK: Final = 256_000
"""Characters that are looked through at a time; a longer line is read in pieces."""

_WINDOW: Final = (3_000, 6_000)
"""Of a line longer than both together, what is kept before and after the trigger."""

_OVERLAP: Final = 500
_HEAD: Final = 600
_TAIL: Final = 200
_BEFORE: Final = 30
_AFTER: Final = 6
_FIRST_HITS: Final = 60
_LAST_HITS: Final = 4
_BUDGET: Final = 4_000_000
_ASCII_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


class Sieve:
    """Takes a log piece by piece and keeps what may matter."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.lines = 0
        self._parts: list[str] = []
        self._size = 0
        self._kept: dict[int, str] = {}
        self._spent = 0
        self._previous: deque[str] = deque(maxlen=_TAIL)
        self._recent: dict[str, deque[tuple[int, str]]] = {}
        self._owed = 0

    def feed(self, chunk: str) -> None:
        """Take the next piece; it may end anywhere."""
        self._parts.append(chunk)
        self._size += len(chunk)
        if self._size >= BLOCK:
            self._drain()

    def finish(self) -> list[tuple[int, str]]:
        """Return the lines that were kept, each with its number, in order."""
        self._drain()
        self._read("".join(self._parts), ended=True)
        self._parts.clear()
        self._size = 0
        first = self.lines - len(self._previous) + 1
        tail = dict(enumerate(self._previous, first))
        late = {number: text for ring in self._recent.values() for number, text in ring}
        return sorted({**tail, **late, **self._kept}.items())

    def _drain(self) -> None:
        """Read whole blocks; what is left is shorter than one."""
        text = "".join(self._parts)
        start = 0
        while len(text) - start >= BLOCK:
            end = text.rfind("\n", start, start + BLOCK) + 1
            if end > start:
                self._read(text[start:end], ended=True)
                start = end
            else:
                self._read(text[start : start + BLOCK], ended=False)
                start += BLOCK - _OVERLAP
        self._parts = [text[start:]]
        self._size = len(text) - start

    def _read(self, block: str, *, ended: bool) -> None:
        """Look through some whole lines, or through a piece of one that goes on."""
        if not block:
            return
        block = strip_colours(block)
        texts = block.removesuffix("\n").split("\n")
        first = self.lines + 1
        hits = self._hits(block)
        wanted = self._around(hits, len(texts))
        wanted.update(range(min(len(texts), max(0, _HEAD - self.lines))))
        wanted.update(range(min(len(texts), self._owed)))
        owed = max((at + _AFTER + 1 for at in hits), default=0)
        self._owed = max(0, self._owed - len(texts), owed - len(texts))
        for back in range(1, min(_BEFORE - min(hits, default=_BEFORE), len(self._previous)) + 1):
            self._keep(first - back, self._previous[-back], 0)
        for index in sorted(wanted):
            self._keep(first + index, texts[index], hits.get(index, 0))
        whole = texts if ended else texts[:-1]
        self._previous.extend(_cut(text, 0) for text in whole[-_TAIL:])
        self.lines += len(whole)

    def _hits(self, block: str) -> dict[int, int]:
        """Return the lines with triggers, and where in them the first stands."""
        low = block.lower()
        if len(low) != len(block):
            low = block.translate(_ASCII_LOWER)
        places: set[int] = set()
        for trigger in present(low):
            at = low.find(trigger)
            seen = self.counts[trigger]
            self.counts[trigger] += low.count(trigger, at)
            while at >= 0 and seen < _FIRST_HITS:
                places.add(at)
                seen += 1
                at = low.find(trigger, low.find("\n", at) + 1 or len(low))
            if at >= 0:
                self._remember(trigger, block, low)
        return _lines_of(block, sorted(places))

    def _remember(self, trigger: str, block: str, low: str) -> None:
        """Keep the latest lines with a trigger that was there often enough already."""
        ring = self._recent.setdefault(trigger, deque(maxlen=_LAST_HITS))
        end = len(low)
        found: list[tuple[int, str]] = []
        while len(found) < _LAST_HITS and (at := low.rfind(trigger, 0, end)) >= 0:
            start = low.rfind("\n", 0, at) + 1
            stop = low.find("\n", at)
            text = block[start : stop if stop >= 0 else len(block)]
            found.append((self.lines + 1 + low.count("\n", 0, start), _cut(text, at - start)))
            end = start
        ring.extend(reversed(found))

    @staticmethod
    def _around(hits: dict[int, int], count: int) -> set[int]:
        wanted: set[int] = set()
        for index in hits:
            wanted.update(range(max(0, index - _BEFORE), min(count, index + _AFTER + 1)))
        return wanted

    def _keep(self, number: int, text: str, at: int) -> None:
        if number in self._kept and not at:
            return
        text = _cut(text, at)
        if number in self._kept:
            text = f"{self._kept[number]}\n{text}" if text not in self._kept[number] else text
        if self._spent + len(text) <= _BUDGET:
            self._spent += len(text) + 60
            self._kept[number] = text


def _lines_of(block: str, places: list[int]) -> dict[int, int]:
    """Turn places in a block into line -> place in that line; the first of each line."""
    found: dict[int, int] = {}
    line = start = 0
    for place in places:
        line += block.count("\n", start, place)
        start = place
        if line not in found:
            found[line] = place - (block.rfind("\n", 0, place) + 1)
    return found


def _cut(text: str, at: int) -> str:
    """Return what is kept of a line: all of it, or what stands around the trigger."""
    before, after = _WINDOW
    if len(text) <= before + after:
        return text
    return text[max(0, at - before) : at + after]
