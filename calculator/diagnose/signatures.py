"""What failures look like: `facts/signatures.toml`, read once, and matched line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from calculator import resources
from calculator.diagnose.lines import Line

BEFORE: Final = 40
AFTER: Final = 4
_NEAR: Final = 600
_LONGEST: Final = 9_000
_CODE: Final = re.compile(
    r"\W{0,16}(?:\d{1,6}\W{1,12})?(?:raise|if|elif|except|return|for|def|class|assert|with) "
    r"[\w'\"(\[]|\W{0,16}\d{1,6}\W{1,12}# "
)
"""A line of source in a traceback: it quotes messages that were not said."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One thing a log can say.

    `role` is "cause" (this is it), "sign" (it says little by itself, such as an exit code),
    "echo" (what follows a failure elsewhere) or "context" (no failure, but worth knowing).
    """

    id: str
    diagnosis: str
    role: str
    confidence: str
    contains: tuple[str, ...]
    one_of: tuple[str, ...]
    unless: tuple[str, ...]
    near: tuple[str, ...]
    not_near: tuple[str, ...]
    pattern: re.Pattern[str] | None
    also: tuple[re.Pattern[str], ...]
    sets: Mapping[str, Any]
    actions: tuple[str, ...]
    says: str
    source: str

    def groups(self, line: Line) -> dict[str, str] | None:
        """Return what the line names if it carries this signature, else None."""
        low = line.low
        if self.contains and not all(each in low for each in self.contains):
            return None
        if self.one_of and not any(each in low for each in self.one_of):
            return None
        if any(each in low for each in self.unless):
            return None
        text = line.text[:_LONGEST]
        found = self.pattern.search(text) if self.pattern else None
        if found is None and self.pattern is not None:
            return None
        matches = [found, *(pattern.search(text) for pattern in self.also)]
        return {
            key: value
            for each in reversed(matches)
            if each is not None
            for key, value in each.groupdict().items()
            if value is not None
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """A signature at a place.  `position` is that of its line among those that were kept."""

    signature: Signature
    line: Line
    groups: Mapping[str, str]
    position: int


@cache
def signatures() -> tuple[Signature, ...]:
    """Return all signatures, in the order in which they are tried on a line."""
    return tuple(map(_read, resources.table("facts", "signatures")["signature"]))


@cache
def triggers() -> tuple[str, ...]:
    """Return the lower-case texts without which no signature matches a line."""
    found: dict[str, None] = {}
    for each in signatures():
        found.update(dict.fromkeys(each.contains[:1] or each.one_of))
    return tuple(found)


def match(lines: Sequence[Line]) -> list[Finding]:
    """Find every signature; of failures, the first that fits is what a line says."""
    found: list[Finding] = []
    for position, line in enumerate(lines):
        if not line.low.strip():
            continue
        said = _CODE.match(line.text) is not None
        for each in signatures():
            if said and each.role != "context":
                continue
            groups = each.groups(line)
            if groups is None or not _fits(each, lines, position):
                continue
            said = said or each.role != "context"
            found.append(Finding(each, line, groups, position))
    return found


def _fits(signature: Signature, lines: Sequence[Line], position: int) -> bool:
    """Whether the lines around it, of the same writer, allow the signature."""
    if not signature.near and not signature.not_near:
        return True
    around = list(neighbours(lines, position))
    if signature.near and not any(word in low for low in around for word in signature.near):
        return False
    return not any(word in low for low in around for word in signature.not_near)


def neighbours(lines: Sequence[Line], position: int) -> Iterator[str]:
    """Yield the lines of the same writer around a place, in lower case."""
    here = lines[position]
    for line in lines[max(0, position - BEFORE) : position + AFTER + 1]:
        if here.source in {line.source, (None, "", "")}:
            yield line.low[:_NEAR]


def _read(row: Mapping[str, Any]) -> Signature:
    pattern = row.get("pattern")
    return Signature(
        id=row["id"],
        diagnosis=row.get("diagnosis", ""),
        role=row.get("role", "cause"),
        confidence=row.get("confidence", "high"),
        contains=tuple(row.get("contains", ())),
        one_of=tuple(row.get("one_of", ())),
        unless=tuple(row.get("unless", ())),
        near=tuple(row.get("near", ())),
        not_near=tuple(row.get("not_near", ())),
        pattern=re.compile(pattern, re.IGNORECASE) if pattern else None,
        also=tuple(re.compile(each, re.IGNORECASE) for each in row.get("also", ())),
        sets=row.get("sets", {}),
        actions=tuple(row.get("actions", ())),
        says=row.get("says", ""),
        source=row.get("source", ""),
    )
