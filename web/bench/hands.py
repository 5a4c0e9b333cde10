"""Somebody at the live page: a hundred edits, and edits while a large log is being read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from web.bench import line
from web.bench.visits import Task, Visitor, numbers, open_live, wait_until_quiet
from web.make.failure import BuildError

HERE = Path(__file__).parent
HANDS = HERE / "hands.js"
INSIDE = HERE / "inside.js"
EDITS = 100
GAP_MS = 120
"""Between an answer and the next edit: quick typing, with no pause that the page would use."""
PASTED = 50_000_000
_LAST_TASK_MS = 300


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit, in milliseconds from its input event on."""

    name: str
    engine_ms: float
    """The engine's part, in its own thread."""
    changed_ms: float
    """Until the page's content has changed."""
    painted_ms: float
    """Until the next frame has been drawn."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """What somebody did in one go, and what kept the page's thread busy meanwhile."""

    edits: tuple[Edit, ...]
    tasks: tuple[Task, ...]
    ms: float = 0.0
    said: str = ""


def edit(visitor: Visitor, folder: Path, count: int = EDITS) -> Sitting:
    """Make edits in different inputs, one after the other."""
    return sit(visitor, folder, f"bench.edits({count}, {GAP_MS})")


def paste(visitor: Visitor, folder: Path, size: int = PASTED) -> Sitting:
    """Paste a log of that many characters, and type until it is read."""
    sitting = sit(visitor, folder, f"bench.paste({size}, {GAP_MS})")
    if "shared memory" not in sitting.said:
        raise BuildError(f"the pasted log was not understood: {sitting.said[:80]!r}")
    return sitting


def sit(visitor: Visitor, folder: Path, deed: str) -> Sitting:
    """Open the page, wait until it is live and has all it wants, and do it."""
    with line.running(folder, line.FAST) as server, visitor.fresh() as context:
        context.add_init_script(path=HANDS)
        page = context.new_page()
        open_live(page, server.address)
        wait_until_quiet(page, server)
        time_engine(page)
        done: dict[str, Any] = page.evaluate(deed)
        page.wait_for_timeout(_LAST_TASK_MS)
        return Sitting(
            edits=tuple(joined(done["edits"], engine_times(page))),
            tasks=tuple(
                Task(each["start"], each["ms"])
                for each in numbers(page)["busy"]
                if each["start"] >= done["from"]
            ),
            ms=done.get("ms", 0.0),
            said=done.get("said", ""),
        )


def time_engine(page: Page) -> None:
    """Have the engine's thread time each answer."""
    (worker,) = page.workers
    worker.evaluate(INSIDE.read_text("utf-8"))


def engine_times(page: Page) -> dict[str, float]:
    """Return how long the engine took for each request."""
    (worker,) = page.workers
    times: dict[str, float] = worker.evaluate("() => self.calls")
    return times


def joined(edits: list[dict[str, Any]], engine: dict[str, float]) -> list[Edit]:
    """Put both threads' times of each edit together."""
    return [
        Edit(each["name"], engine[str(each["id"])], each["changed"], each["painted"])
        for each in edits
    ]
