"""From a value to a number: the larger of several, an upper bound, or a question."""

from __future__ import annotations

from dataclasses import dataclass, field

from calculator.readers.code.values import Choice, Const, Unknown, Value, whole


@dataclass
class Number:
    """A whole number as far as the paste tells it.

    `value` is None where nothing bounds it; `exact` tells a known one from an upper bound;
    `text` is the expression then.  `options` are the values it can have by a condition.
    """

    value: int | None = None
    exact: bool = False
    none: bool = False
    text: str = ""
    machine: bool = False
    line: int = 0
    by_default: str = ""
    options: list[tuple[int | None, str]] = field(default_factory=list)


def number(value: Value | None, absent: int, picks: dict[object, int] | None = None) -> Number:
    """Resolve a value; `absent` is what an argument that is not given comes to."""
    match value:
        case None:
            return Number(absent, exact=True)
        case Const():
            return _constant(value, absent)
        case Unknown():
            return Number(value.upper, text=value.text, machine=value.machine, line=value.line)
        case Choice():
            return _choice(value, absent, picks if picks is not None else {})
        case _:
            text = getattr(value, "text", "") or getattr(value, "name", "") or "an expression"
            return Number(text=str(text), line=value.line)


def _constant(value: Const, absent: int) -> Number:
    if value.value is None:
        if value.by_default == "absent":
            return Number(absent, exact=True, line=value.line)
        return Number(absent, exact=True, none=True, line=value.line, by_default=value.by_default)
    found = whole(value)
    if found is None and isinstance(value.value, bool):
        found = int(value.value)
    if found is None:
        return Number(text=str(value.value)[:60], line=value.line)
    return Number(found, exact=True, line=value.line, by_default=value.by_default)


def _choice(value: Choice, absent: int, picks: dict[object, int]) -> Number:
    """Take the larger; further choices by the same condition follow it."""
    found = [number(each, absent, picks) for each in value.options[:8]]
    if value.key in picks and picks[value.key] < len(found):
        best = found[picks[value.key]]
    else:
        bounded = [each for each in found if each.value is not None]
        if len(bounded) < len(found):
            open_one = next(each for each in found if each.value is None)
            return Number(
                text=open_one.text or value.condition, machine=open_one.machine, line=value.line
            )
        best = max(bounded, key=lambda each: each.value or 0)
        if len({each.value for each in found}) > 1:
            picks[value.key] = found.index(best)
    different = {each.value for each in found}
    options = [(each.value, value.condition) for each in found] if len(different) > 1 else []
    return Number(
        best.value, best.exact, best.none, best.text, best.machine, best.line or value.line,
        best.by_default, [*options, *best.options],
    )  # fmt: skip


def truth(value: Value | None, picks: dict[object, int], *, default: bool = False) -> bool | None:
    """Resolve a flag; None where nobody knows."""
    match value:
        case None:
            return default
        case Const():
            return default if value.value is None else bool(value.value)
        case Choice():
            if value.key in picks and picks[value.key] < len(value.options):
                return truth(value.options[picks[value.key]], picks, default=default)
            found = {truth(each, picks, default=default) for each in value.options}
            return found.pop() if len(found) == 1 else None
        case Unknown() if "cuda" in value.text and "available" in value.text:
            return True
        case _:
            return None
