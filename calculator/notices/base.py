"""What a notice is, and what notices look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from calculator import resources
from calculator.descriptors import Descriptors
from calculator.errors import InputError
from calculator.loader import Loader
from calculator.recommend import Memory, Model
from calculator.sizing import Sizing


class Fix(Model):
    """Inputs to change (`set`: dotted path -> value) and the answer that gives, in bytes."""

    label: str
    set: dict[str, Any]
    need_bytes: int
    recommended_bytes: int


class Notice(Model):
    """One thing to know; `source` is where it can be read."""

    id: str
    level: Literal["warning", "tip"]
    text: str
    fix: Fix | None
    source: str


@dataclass(frozen=True)
class Case:
    """What the notices look at."""

    sizing: Sizing
    memory: Memory
    descriptors: Descriptors

    def what_if(self, changes: Mapping[str, Any]) -> Sizing | None:
        """Size the job with some inputs changed; None where no machine has that much."""
        try:
            return self.sizing.what_if(changes)
        except InputError:
            return None

    def fix(self, label: str, changes: Mapping[str, Any]) -> Fix | None:
        """Evaluate changes by the engine; None where they come to more than any machine has."""
        changed = self.what_if(changes)
        if changed is None:
            return None
        return Fix(
            label=label,
            set=dict(changes),
            need_bytes=changed.need_bytes,
            recommended_bytes=changed.recommended_bytes,
        )


def source(name: str) -> str:
    """Return the address of a source by its short name."""
    return str(resources.table("facts", "sources")[name]["url"])


def notice(
    name: str,
    text: str,
    cite: str,
    fix: Fix | None = None,
    level: Literal["warning", "tip"] = "warning",
) -> Notice:
    """Make a notice; `cite` is a short name of facts/sources.toml."""
    return Notice(id=name, level=level, text=text, fix=fix, source=source(cite))


def tip(name: str, text: str, cite: str, fix: Fix | None, case: Case) -> Notice | None:
    """Make a tip: worth its place only if it lowers the recommended size."""
    if fix is None or fix.recommended_bytes >= case.sizing.recommended_bytes:
        return None
    return notice(name, text, cite, fix, level="tip")


def first(case: Case, wanted: Callable[[Loader], object]) -> int | None:
    """Return the position of the first loader with workers that is `wanted`."""
    for position, loader in enumerate(case.sizing.workload.loaders):
        if loader.num_workers and wanted(loader):
            return position
    return None
