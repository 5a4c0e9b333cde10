"""The measurements as people read them: a Markdown table, which the README shows as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from web.bench.summary import Summary
from web.bench.targets import Target
from web.bench.variants import SLOW_LINE

NAMES = {
    "usual": "the usual way: Pyodide as it comes, micropip, the same wheels",
    "bare_stock": "Pyodide as it comes, nothing else",
    "bare_pruned": "Pyodide with a pruned, compiled library, nothing else",
    "direct": "this page, direct start",
    "resumed": "this page, resumed from a snapshot",
    "first_visit": "this page, first visit with a profile on disk",
    "second_visit": "this page, second visit",
}
STARTS = (
    *("navigation to the first answer", "s", "of the usual"),
    *("slow line, s", "of the usual", "MB"),
)
LIMITS = ("limit", "at most", "measured", "")


def lines(summary: Summary, targets: Sequence[Target]) -> Iterator[str]:
    """Yield all that is to be printed."""
    yield f"{summary['date']}, {summary['machine']}; medians of {summary['runs']} visits"
    for head, rows in ((STARTS, [*starts(summary)]), (LIMITS, [*limits(targets)])):
        if rows:
            yield ""
            yield from table(head, rows)


def starts(summary: Summary) -> Iterator[Sequence[str]]:
    """Yield a row for each way to a first answer that was measured."""
    fast = summary["variants"]
    slow = fast[SLOW_LINE]
    for name, words in NAMES.items():
        if name in fast or name in slow:
            times = (measured.get(name) for measured in (fast, slow))
            cells = [cell for each in times for cell in (seconds(each), part(each))]
            yield (words, *cells, megabytes(summary["bytes"], name))


def limits(targets: Iterable[Target]) -> Iterator[Sequence[str]]:
    """Yield a row for each limit."""
    for each in targets:
        yield (each.name, f"{each.limit:g}", f"{each.value:.3g}", "met" if each.met else "MISSED")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a Markdown table whose columns stand under each other."""
    whole = [head, *rows]
    widths = [max(len(row[at]) for row in whole) for at in range(len(head))]
    yield row_of(head, widths)
    yield (
        "| "
        + " | ".join(("-" * (w - 1) + ":") if n else "-" * w for n, w in enumerate(widths))
        + " |"
    )
    for row in whole[1:]:
        yield row_of(row, widths)


def row_of(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return one row; numbers stand to the right."""
    first, *rest = zip(cells, widths, strict=True)
    return "| " + " | ".join([first[0].ljust(first[1]), *(c.rjust(w) for c, w in rest)]) + " |"


def seconds(measured: dict[str, Any] | None) -> str:
    """Return a median in seconds; nothing where there is none."""
    return f"{measured['median_ms'] / 1000:.2f}" if measured else ""


def part(measured: dict[str, Any] | None) -> str:
    """Return what part of the usual way's time it is."""
    ratio = measured and measured["ratio_to_usual"]
    return f"{ratio:.2f}" if ratio else ""


def megabytes(sent: dict[str, int], name: str) -> str:
    """Return what goes over the wire."""
    titles = (name, f"{SLOW_LINE}.{name}")
    found = next((sent[title] for title in titles if title in sent), None)
    return "" if found is None else f"{found / 10**6:.2f}"
