"""The limits that the site keeps, each held against what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from web.bench.summary import Summary
from web.bench.variants import EDITS, PASTE, SLOW_LINE, USUAL

FRAME_MS: Final = 1000 / 60
_MB: Final = 10**6


@dataclass(frozen=True, slots=True)
class Target:
    """A limit, and whether the value is within it."""

    name: str
    limit: float
    value: float

    @property
    def met(self) -> bool:
        """Tell whether the limit is kept."""
        return self.value <= self.limit

    def row(self) -> dict[str, Any]:
        """Return the target as it stands in dist/bench.json."""
        return {**asdict(self), "value": round(self.value, 4), "met": self.met}


def judge(summary: Summary) -> list[Target]:
    """Return every target whose value was measured."""
    return [*speed(summary), *size(summary), *liveliness(summary)]


def speed(summary: Summary) -> Iterator[Target]:
    """Hold the starts against each other, over the same line and in the same run."""
    fast = summary["variants"]
    slow = fast[SLOW_LINE]
    live = "resumed" if "resumed" in fast else "direct"
    yield from ratio("live, of the usual way", 0.25, fast, live, USUAL)
    yield from ratio("live, of bare Pyodide as it comes", 0.40, fast, live, "bare_stock")
    yield from ratio("live, of bare Pyodide pruned and compiled", 0.85, fast, live, "bare_pruned")
    yield from ratio("second visit, of the first", 0.70, fast, "second_visit", "first_visit")
    for name in ("direct", "resumed"):  # whichever of them the page chooses
        yield from ratio(f"slow line: {name}, of the usual way", 0.55, slow, name, USUAL)


def ratio(name: str, limit: float, times: Mapping[str, Any], of: str, to: str) -> Iterator[Target]:
    """Yield the target that one median is at most this part of another, where both are known."""
    if of in times and to in times:
        value = times[of]["median_ms"] / times[to]["median_ms"]
        yield Target(name, limit, value)


def size(summary: Summary) -> Iterator[Target]:
    """Hold what goes over the wire before the first answer against the budgets."""
    sent = summary["bytes"]
    for name, limit in (("direct", 6.8), ("resumed", 9.5)):
        if name in sent:
            yield Target(f"MB to the first answer: {name}", limit, sent[name] / _MB)
    if sent:
        yield Target("files fetched twice", 0, len(summary["fetched_twice"]))


def liveliness(summary: Summary) -> Iterator[Target]:
    """Hold edits and the page's thread against what people notice."""
    edits = summary["edits"].get(EDITS)
    if edits:
        yield Target("edit: engine's call, ms, 95 %", 10, edits["engine_ms"]["p95"])
        beyond = edits["beyond_engine_ms"]["p95"]
        yield Target("edit: the page beyond it, ms, 95 %", round(FRAME_MS, 1), beyond)
    during = {"start": "the start", EDITS: "edits", PASTE: "reading 50 MB"}
    for name, words in during.items():
        if name in summary["long_tasks"]:
            longest = summary["long_tasks"][name]["longest_ms"]
            yield Target(f"longest task over 50 ms during {words}", 50, longest)
