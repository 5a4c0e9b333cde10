"""Sizes as they stand in files: what a platform makes of them, and what is wrong with them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from calculator.units import (
    GRAMMARS,
    KIB,
    MIB,
    Grammar,
    SizeError,
    ceil_to,
    parse_size,
    read_kubernetes,
)

LONGEST: Final = 60
_VARIABLE: Final = re.compile(r"\$\{(?P<name>\w{1,80})(?P<kind>:?-)?(?P<default>[^${}]{0,60})\}")
_BARE: Final = re.compile(r"\$(?:\{(?P<braced>\w{1,80})[^}]{0,200}\}|(?P<plain>\w{1,80}))")
_BINARY: Final = re.compile(r"(\d{1,12}(?:\.\d{1,6})?) ?([KMGTkmgt])i")
_SMALL: Final = KIB * 4
"""A number of bytes below one page is hardly meant."""


@dataclass(frozen=True)
class Literal:
    """A size as written.

    `bytes` is what it comes to, None where nothing is known; `problem` the id of a warning
    about its spelling; `variable` what it is taken from.
    """

    text: str
    bytes: int | None
    problem: str = ""
    variable: str = ""


def compose(text: str) -> Literal:
    """Read a size of a Compose file, with the default of a variable in it."""
    variable = variable_of(text)
    plain = defaulted(text)
    if plain is None:
        return Literal(text, None, variable=variable)
    if len(plain) > LONGEST:
        return Literal(text, None, "unit_invalid", variable)
    try:
        found = GRAMMARS["docker"].read(plain)
    except (SizeError, ValueError, ArithmeticError):
        return Literal(text, _binary(plain), _wrong(plain), variable)
    small = plain.isdecimal() and found < _SMALL
    return Literal(text, found, "unitless_bytes" if small else "", variable)


def _binary(text: str) -> int | None:
    match = _BINARY.fullmatch(text.strip())
    return parse_size(match[1] + match[2]) if match else None


def _wrong(text: str) -> str:
    return "unit_portability" if _BINARY.fullmatch(text.strip()) else "unit_invalid"


def kubernetes(text: str) -> Literal:
    """Read a Kubernetes quantity."""
    plain = text.strip()
    if len(plain) > LONGEST or re.search(r"[eE][+-]?\d{3}", plain):
        return Literal(text, None, "unit_invalid")
    try:
        found = read_kubernetes(plain)
    except (SizeError, ValueError, ArithmeticError):
        return Literal(text, None, "unit_invalid")
    if plain.endswith("m"):
        return Literal(text, found, "unit_milli")
    return Literal(text, found, "unitless_bytes" if plain.isdecimal() and found < _SMALL else "")


def tmpfs(options: str) -> int | None:
    """Return the size that options of a tmpfs mount give; None where they give none."""
    for option in options.split(","):
        key, _, value = option.partition("=")
        if key.strip() == "size" and len(value) <= LONGEST:
            try:
                return GRAMMARS["tmpfs"].read(value.strip())
            except SizeError:
                return None
    return None


# ---------------------------------------------------------------- variables


def variable_of(text: str) -> str:
    """Return the name of the first variable in a value; empty where there is none."""
    match = _BARE.search(text.replace("$$", ""))
    return (match["braced"] or match["plain"]) if match else ""


def defaulted(text: str) -> str | None:
    """Return a value with the defaults of its variables; None where one has none."""
    if "$" not in text:
        return text
    plain = _VARIABLE.sub(lambda m: m["default"] if m["kind"] else m[0], text)
    return None if "$" in plain else plain


def with_default(text: str, size: int, grammar: Grammar) -> str:
    """Return a value whose variable has a default that comes to `size`, as near as can be.

    `${SHM:-2g}` becomes `${SHM:-8g}`, `${GB:-2}gb` becomes `${GB:-8}gb`.
    """
    match = _VARIABLE.fullmatch(text)
    if match:
        return f"${{{match['name']}:-{grammar.write(size)}}}"
    match = _VARIABLE.match(text)
    tail = text[match.end() :] if match else ""
    if match and match["kind"] and re.fullmatch(r"[kmgt](?:i?b)?", tail, re.IGNORECASE):
        unit = grammar.read(f"1{tail}")
        return f"${{{match['name']}:-{ceil_to(size, unit) // unit}}}{tail}"
    return grammar.write(size)


def same_or_above(found: int | None, wanted: int) -> bool:
    """Whether a size is enough; what rounding to whole MiB adds is not asked for twice."""
    return found is not None and found >= wanted


def rounded(size: int) -> int:
    """Return the size as it is written: whole MiB."""
    return ceil_to(size, MIB)
