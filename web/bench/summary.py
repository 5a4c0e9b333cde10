"""Many runs in few numbers, in the form of dist/bench.json."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from web.bench.hands import Edit, Sitting
from web.bench.variants import SLOW_LINE, USUAL
from web.bench.visits import Task, Visit

Summary = dict[str, Any]
SLOWEST = 5


@dataclass(slots=True)
class Runs:
    """Everything that was measured: the visits of each variant, by title, and the sittings."""

    visits: dict[str, list[Visit]] = field(default_factory=dict)
    sittings: dict[str, Sitting] = field(default_factory=dict)

    def add(self, title: str, visit: Visit) -> None:
        """Keep one more visit."""
        self.visits.setdefault(title, []).append(visit)


def summarise(runs: Runs) -> Summary:
    """Return medians, ratios, bytes, edits and long tasks."""
    return {
        "variants": {
            **variants(runs.visits, ""),
            SLOW_LINE: variants(runs.visits, f"{SLOW_LINE}."),
        },
        "bytes": {title: largest(visits) for title, visits in runs.visits.items()},
        "first_paint_ms": {
            title: rounded(statistics.median(visit.paint_ms for visit in visits))
            for title, visits in runs.visits.items()
        },
        "fetched_twice": sorted(
            {path for visits in runs.visits.values() for each in visits for path in each.repeated}
        ),
        "edits": {name: times(sitting) for name, sitting in runs.sittings.items()},
        "long_tasks": long_tasks(runs),
    }


def variants(visits: Mapping[str, Sequence[Visit]], prefix: str) -> Summary:
    """Return the times of the variants over one line, and how they compare to the usual way."""
    over = {
        title.removeprefix(prefix): [visit.live_ms for visit in seen]
        for title, seen in visits.items()
        if title.startswith(prefix) and "." not in title.removeprefix(prefix)
    }
    usual = statistics.median(over[USUAL]) if USUAL in over else None
    return {
        name: {
            "median_ms": rounded(statistics.median(runs)),
            "runs_ms": [rounded(run) for run in runs],
            "ratio_to_usual": round(statistics.median(runs) / usual, 3) if usual else None,
        }
        for name, runs in over.items()
    }


def largest(visits: Sequence[Visit]) -> int:
    """Return the most bytes that a visit took: a budget has no good days."""
    return max(visit.bytes for visit in visits)


def times(sitting: Sitting) -> Summary:
    """Return how long edits took: the middle one, and the one that 95 % do not exceed."""
    measures = {
        "engine_ms": [edit.engine_ms for edit in sitting.edits],
        "changed_ms": [edit.changed_ms for edit in sitting.edits],
        "painted_ms": [edit.painted_ms for edit in sitting.edits],
        "beyond_engine_ms": [beyond(edit) for edit in sitting.edits],
    }
    return {
        "count": len(sitting.edits),
        "inputs": len({edit.name for edit in sitting.edits}),
        **({"took_ms": rounded(sitting.ms)} if sitting.ms else {}),
        **{name: spread(values) for name, values in measures.items() if values},
        "slowest": slowest(sitting.edits),
    }


def slowest(edits: Sequence[Edit]) -> Summary:
    """Return the inputs whose edits took the engine longest, each with its longest time."""
    longest: dict[str, float] = {}
    for edit in edits:
        longest[edit.name] = max(longest.get(edit.name, 0.0), edit.engine_ms)
    ranked = sorted(longest.items(), key=lambda item: item[1], reverse=True)
    return {name: rounded(ms) for name, ms in ranked[:SLOWEST]}


def beyond(edit: Edit) -> float:
    """Return what an edit took beside the engine's call."""
    return edit.changed_ms - edit.engine_ms


def spread(values: Sequence[float]) -> Summary:
    """Return median, 95th percentile and the largest."""
    return {
        "p50": rounded(percentile(values, 50)),
        "p95": rounded(percentile(values, 95)),
        "max": rounded(max(values)),
    }


def percentile(values: Sequence[float], percent: int) -> float:
    """Return the smallest value that this many percent of the values do not exceed."""
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]


def long_tasks(runs: Runs) -> Summary:
    """Return how many long tasks the site's thread had, and the longest, by what was done."""
    ours = [visit for title, visits in runs.visits.items() if is_of_site(title) for visit in visits]
    starts = {"start": [task for visit in ours for task in visit.tasks]} if ours else {}
    sat = {name: list(sitting.tasks) for name, sitting in runs.sittings.items()}
    return {name: counted(tasks) for name, tasks in {**starts, **sat}.items()}


def is_of_site(title: str) -> bool:
    """Tell whether a variant is the site's own page, not one to compare with."""
    name = title.rpartition(".")[2]
    return name != USUAL and not name.startswith("bare_")


def counted(tasks: Sequence[Task]) -> Summary:
    """Return the number of tasks, and the longest with the moment it began."""
    longest = max(tasks, key=lambda task: task.ms, default=Task(0.0, 0.0))
    return {
        "count": len(tasks),
        "longest_ms": rounded(longest.ms),
        "longest_at_ms": rounded(longest.start_ms),
    }


def rounded(ms: float) -> float:
    """Round to what a browser's clock can tell."""
    return round(ms, 1)
