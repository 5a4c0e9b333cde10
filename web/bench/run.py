"""python3 build.py bench: all that is promised of speed, measured in one run on one machine."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from playwright.sync_api import Error, sync_playwright

from web.bench import hands, stage, summary, table, targets, variants
from web.bench.summary import Runs
from web.bench.variants import EDITS, PASTE, Variant
from web.bench.visits import Visit, Visitor
from web.make import browser as chromium
from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import say

NAME = "bench.json"
FIRST = "first_visit"


def run(places: Places, *, runs: int, only: Sequence[str], strict: bool) -> int:
    """Measure, write dist/bench.json, print the tables.

    Args:
        places: the folders; dist/ is built.
        runs: visits of each variant; their median counts.
        only: names of what to measure, or nothing for all.
        strict: whether a limit that is not kept is an error.
    """
    idle = load()
    known = variants.all_of(places)
    wanted = variants.chosen(known, only)
    if not variants.has_snapshot(places.dist):
        say("bench: this build has no snapshot, so there is no resumed start to measure")
    try:
        with visitor() as someone:
            measured = measure(someone, places, wanted, runs)
            for name, sit in ((EDITS, hands.edit), (PASTE, hands.paste)):
                if not only or name in only:
                    say(f"bench: {name}")
                    measured.sittings[name] = sit(someone, places.dist)
            browser = f"Chromium {someone.browser.version}"
    except Error as failure:
        raise BuildError("the browser gave up", because=failure.message.splitlines()[0]) from None
    return report(
        places, measured, {"machine": machine(browser, idle), "runs": runs}, strict=strict
    )


@contextmanager
def visitor() -> Iterator[Visitor]:
    """Start the browser."""
    program = chromium.ensure()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=chromium.arguments())
        yield Visitor(browser)
        browser.close()


def measure(someone: Visitor, places: Places, wanted: Sequence[Variant], runs: int) -> Runs:
    """Visit every variant in turn, again and again: what the machine does meanwhile hits all."""
    measured = Runs()
    if not wanted:
        return measured
    say("bench: one visit that does not count")
    [warm] = someone.visit(places.dist, Variant("", "", of_site=True))
    folders = {True: places.dist}
    if not all(variant.of_site for variant in wanted):
        folders[False] = stage.make(places)
        stage.ask(places, folders[False], warm.request)
    for number in range(runs):
        for variant in wanted:
            *before, visit = someone.visit(folders[variant.of_site], variant)
            expect(variant, visit)
            for first in before:
                measured.add(variant.title.replace(variant.name, FIRST), first)
            measured.add(variant.title, visit)
            say(f"bench: {number + 1} of {runs}, {variant.title}: {visit.live_ms / 1000:.2f} s")
    return measured


def expect(variant: Variant, visit: Visit) -> None:
    """See that the start was the one that was asked for, and not the other in its stead."""
    if variant.never and any(path.endswith(f"/{variant.never}") for path in visit.paths):
        raise BuildError(f"{variant.title} fetched {variant.never}: it is not what it says")


def report(places: Places, measured: Runs, about: dict[str, Any], *, strict: bool) -> int:
    """Write and print what was found; return 1 where it has to be better."""
    found = {**about, "date": f"{datetime.now(UTC):%Y-%m-%d}", **summary.summarise(measured)}
    judged = targets.judge(found)
    found["targets"] = [target.row() for target in judged]
    (places.dist / NAME).write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    print("\n".join(table.lines(found, judged)))
    missed = [target.name for target in judged if not target.met]
    say(f"bench: dist/{NAME}; " + (f"missed: {', '.join(missed)}" if missed else "every limit met"))
    return 1 if strict and missed else 0


def load() -> float:
    """Return how many programs want to run; where the system does not say, none.

    Other work makes times longer and ratios shaky, so that is said first and kept with them.
    """
    wanting = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if wanting > (os.cpu_count() or 1) / 2:
        say(f"bench: this machine is busy (load {wanting:.1f}): times will be longer than they are")
    return wanting


def machine(browser: str, idle: float) -> str:
    """Describe what it was measured on, and how busy that was before."""
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return f"{system}, load {idle:.1f} before, {browser}"
