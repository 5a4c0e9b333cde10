"""Every diagnosis as it reads when nothing of a job is known: the page's index of errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from calculator import resources
from calculator.diagnose.answer import advice_text, render

_ANY: Final = "any"
_NAMES: Final[Mapping[str, Any]] = {
    "extract": {},
    "signal_words": "segmentation fault, abort or illegal instruction",
}


@dataclass(frozen=True, slots=True)
class Message:
    """A message as people see it, X standing for what differs from run to run.

    `says` is a sentence about this message, or empty; `source` is a key of sources.toml, or empty.
    """

    text: str
    says: str
    source: str


@dataclass(frozen=True, slots=True)
class Known:
    """One diagnosis; `larger_shm` says whether a larger /dev/shm is the cure: yes, perhaps, no."""

    id: str
    title: str
    means: str
    dont: str
    larger_shm: str
    messages: tuple[Message, ...]
    advice: tuple[str, ...]
    sources: tuple[str, ...]


@cache
def known() -> tuple[Known, ...]:
    """Return all diagnoses, in the order of diagnoses.toml."""
    rows = resources.table("facts", "diagnoses")
    return tuple(_known(name, row) for name, row in rows.items())


def _known(name: str, row: Mapping[str, Any]) -> Known:
    messages = _messages(name, row.get("shown_first", ""))
    cited = [row["source"], *(each.source for each in messages)]
    return Known(
        id=name,
        title=render(row["title"], _NAMES).removesuffix("."),
        means=render(row["means"], _NAMES),
        dont=render(row["dont"], _NAMES),
        larger_shm=row["larger_shm"],
        messages=messages,
        advice=tuple(render(advice_text(each, _ANY), _NAMES) for each in row["actions"]),
        sources=tuple(dict.fromkeys(filter(None, cited))),
    )


def _messages(diagnosis: str, first: str) -> tuple[Message, ...]:
    """Return what is shown of a diagnosis's signatures; a warning belongs to "none"."""
    rows = resources.table("facts", "signatures")["signature"]
    own = [row for row in rows if row.get("diagnosis", "none") == diagnosis]
    return tuple(
        Message(text.strip("\n"), row.get("says", ""), row.get("source", ""))
        for row in sorted(own, key=lambda row: row["id"] != first)
        for text in shown(row)
    )


def shown(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the messages that a signature's row shows: none, one or several."""
    found = row.get("shown", ())
    return (found,) if isinstance(found, str) else tuple(found)
