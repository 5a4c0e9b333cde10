"""The answer: the mended file, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from calculator.manifests.editing import Editor
from calculator.manifests.tree import Document, Node
from calculator.manifests.words import Remark, say, warning
from calculator.recommend import Model
from calculator.units import GRAMMARS, size

Action = Literal["patch", "no_change", "ask", "advise", "refuse"]


class Reason(Model):
    """Why a line of the mended file is as it is; lines count from 1."""

    line: int
    text: str


class Target(Model):
    """A container that has the size now."""

    document: int
    object: str
    container: str


class Mended(Model):
    """What became of a file.

    `text` is the whole mended file, or the input untouched.  `parse` says whether the
    input could be read.  `choices` are names to choose from where the action is to ask, and
    else those of services that are left as they are; `snippet` is what to put in by hand, and
    `message` says where.
    """

    format: str
    parse: Literal["ok", "error"]
    action: Action
    text: str
    diff: str
    message: str
    reasons: tuple[Reason, ...]
    warnings: tuple[Remark, ...]
    targets: tuple[Target, ...]
    notes: tuple[str, ...]
    choices: tuple[str, ...]
    snippet: str

    @property
    def answer(self) -> str:
        """All that is said, for people to read."""
        said = [self.message, *self.notes, *(each.text for each in self.reasons)]
        said += [each.text for each in self.warnings]
        return "\n".join([*said, self.snippet]).strip()


class Stopped(Exception):  # noqa: N818 - not an error: the answer is known
    """The file is not changed: this is the answer."""

    def __init__(self, action: Action, message: str, *, choices: tuple[str, ...] = ()) -> None:
        self.action: Action = action
        self.message = message
        self.choices = choices
        super().__init__(message)


@dataclass
class Draft:
    """What a plan collects: changes, reasons, warnings."""

    shm_bytes: int
    editor: Editor
    documents: list[Document]
    container: str | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    warnings: list[Remark] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    snippet: str = ""
    others: tuple[str, ...] = ()
    seen: set[tuple[int, str]] = field(default_factory=set)
    sized: set[int] = field(default_factory=set)
    names: dict[tuple[int, str], str] = field(default_factory=dict)

    @property
    def size(self) -> str:
        """The size as people read it."""
        return size(self.shm_bytes)

    def write(self, grammar: str) -> str:
        """Write the size as a platform spells it."""
        return GRAMMARS[grammar].write(self.shm_bytes)

    def warn(self, name: str, /, **values: object) -> None:
        """Add a warning, once."""
        found = warning(name, **values)
        if found not in self.warnings:
            self.warnings.append(found)

    def note(self, name: str, /, **values: object) -> None:
        """Add a sentence of what is said of the whole, once."""
        said = say("says", name, **values)
        if said not in self.notes:
            self.notes.append(said)

    def keep(self, name: str, /, **values: object) -> None:
        """Say why a part is left as it is."""
        said = say("says", name, **values)
        if said not in self.kept:
            self.kept.append(said)

    def why(self, name: str, /, **values: object) -> str:
        """Return the reason of a change."""
        return say("reasons", name, **{"size": self.size, **values})

    def wanted(self, key: str) -> str:
        """Return what a person said beside the file, as text."""
        return str(self.given.get(key) or "")

    def done(self, node: Document | None, owner: str, container: str) -> None:
        """Note a container that has the size, changed or not."""
        target = Target(document=node.index if node else 0, object=owner, container=container)
        if target not in self.targets:
            self.targets.append(target)


def listed(names: object) -> str:
    """Write names for a sentence, not more than a person reads."""
    each = [str(name) for name in names] if isinstance(names, list | tuple) else [str(names)]
    return ", ".join(each[:12]) + (f" and {len(each) - 12} more" if len(each) > 12 else "")  # noqa: PLR2004


def memory_room(draft: Draft, where: str, limit: int | None, shm: int) -> None:
    """Warn where /dev/shm takes much of the memory limit, both in bytes."""
    if limit is None or shm * 10 <= limit * 3:
        return
    close = shm * 10 >= limit * 8
    name = "shm_counts_toward_memory" if close else "shm_large_share_of_memory"
    draft.warn(name, where=where, limit=size(limit), size=size(shm))


def line_of(text: str, node: Node) -> int:
    """Return the line of a part, from 1."""
    return text.count("\n", 0, node.start) + 1
