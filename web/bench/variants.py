"""What is held against each other: ways to a live page, each over a fast and a slow line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from web.bench.line import FAST, SLOW, Line
from web.make.failure import BuildError
from web.make.places import Places

USUAL = "usual"
EDITS, PASTE = "edits", "paste"
SLOW_LINE = "slow_line"


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to open a page: which one, over which line, and whether for the second time."""

    name: str
    path: str
    of_site: bool = False
    again: bool = False
    never: str = ""
    """A file that it does not fetch: that of the other start."""
    line: Line = FAST

    @property
    def title(self) -> str:
        """Its name, with the line where that is not the fast one."""
        return self.name if self.line is FAST else f"{SLOW_LINE}.{self.name}"


def all_of(places: Places) -> list[Variant]:
    """Return every variant that this build has."""
    ways = [
        Variant(USUAL, "usual.html"),
        Variant("bare_stock", "bare.html?stock"),
        Variant("bare_pruned", "bare.html?pruned"),
        Variant("direct", "?start=direct", of_site=True, never="snapshot.bin"),
        *(
            [Variant("resumed", "?start=resumed", of_site=True, never="start.zip")]
            if has_snapshot(places.dist)
            else []
        ),
        Variant("second_visit", "", of_site=True, again=True),
    ]
    return [*ways, *(replace(way, line=SLOW) for way in ways)]


def has_snapshot(dist: Path) -> bool:
    """Tell whether this build made one: without it there is no start to resume."""
    return any((dist / "py").rglob("snapshot*"))


def chosen(known: Sequence[Variant], only: Sequence[str]) -> list[Variant]:
    """Return the variants of these names, or all.

    Raises:
        BuildError: there is none of that name.
    """
    titles = [each.title for each in known]
    for name in only:
        if name not in {*titles, EDITS, PASTE}:
            names = ", ".join([*titles, EDITS, PASTE])
            raise BuildError(f"nothing to measure is called {name}; there are {names}")
    return [each for each in known if not only or each.title in only]
