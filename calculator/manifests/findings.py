"""What an audit can find, one row for each container and finding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from calculator import resources
from calculator.errors import shown
from calculator.recommend import Model

Level = Literal["error", "warning", "note"]


class Row(Model):
    """One finding about one container; `line` is where its object starts, 0 where unknown."""

    object: str
    container: str
    level: Level
    reason: str
    id: str
    file: str
    line: int


class Summary(Model):
    """How many there are: objects that run containers, their containers, findings by level."""

    objects: int
    containers: int
    errors: int
    warnings: int
    notes: int

    @property
    def found(self) -> bool:
        """Whether there is something to do."""
        return bool(self.errors or self.warnings)


class Audit(Model):
    """The whole table."""

    rows: tuple[Row, ...]
    summary: Summary


def table() -> dict[str, Any]:
    """Return what can be found, by id."""
    return resources.table("manifests", "findings")


@dataclass(frozen=True)
class Place:
    """A container of an object in a file."""

    file: str
    line: int
    owner: str
    container: str

    def row(self, finding: str, /, **values: str) -> Row:
        """Return a finding about this container."""
        entry = table()[finding]
        reason = entry["text"].format(**{k: shown(v) for k, v in values.items()})
        return Row(
            object=shown(self.owner),
            container=shown(self.container),
            level=values.get("level", entry["level"]),
            reason=reason,
            id=finding.removesuffix("_compose").removesuffix("_serving"),
            file=self.file,
            line=self.line,
        )


@dataclass(frozen=True)
class Need:
    """What a workload needs, in bytes, and what it is called."""

    workload: str
    bytes: int


class UnknownWorkloadError(LookupError):
    """A workload that is named and not there; the message says why."""


Needs = Callable[[str, str, str], Need | None]
"""From file, object (NAMESPACE/KIND/NAME) and annotation to what is needed, if that is known.

Raises UnknownWorkloadError."""
