"""What a person is told of a link that could not be read as a whole: one sentence a kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from calculator.errors import shown

MAX_NAMED: Final = 3
MAX_NAME: Final = 40
"""More names, and longer ones, are cut off: a note is one line."""


@dataclass
class Notes:
    """What could not be read: keys that mean nothing, inputs with values that are none."""

    too_long: bool = False
    newer: bool = False
    damaged: bool = False
    unknown: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    platforms: list[str] = field(default_factory=list)

    def sentences(self) -> tuple[str, ...]:
        """Return the notes; none where all was read."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        if self.too_long:
            yield "This link is too long to be read; it was left out."
        if self.newer:
            yield "This link was made by a newer version of this page; it was left out."
        if self.damaged:
            yield "This link is damaged; it was left out."
        if self.unknown:
            named = _named(self.unknown)
            what = f" ({named})" if named else ""
            yield f"This link says more than this page understands{what}; that was left out."
        if self.wrong:
            named = _named(self.wrong)
            yield f"This link has values that cannot be used ({named}); the usual ones stand there."
        if self.platforms:
            named = _named(self.platforms)
            yield f"This link names a platform that is not here ({named}); that was left out."


def _named(names: Sequence[str]) -> str:
    """Name the first few, each once and on one line."""
    found = list(dict.fromkeys(map(_short, filter(None, names))))
    more = ["..."] if len(found) > MAX_NAMED else []
    return ", ".join(found[:MAX_NAMED] + more)


def _short(name: str) -> str:
    return shown(name if len(name) <= MAX_NAME else f"{name[:MAX_NAME]}...")
