"""Sizes in bytes: how platforms write them, how they read them, how people see them.

Bytes are integers everywhere in the engine.  Only this module knows 1024, and only it
knows the size grammars.  Each grammar has a writer and a reader that were written
independently of each other, so that a test can hold one against the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from math import floor, log10
from typing import Final, Literal

KIB: Final = 1024
MIB: Final = 1024 * KIB
GIB: Final = 1024 * MIB
TIB: Final = 1024 * GIB

_UNITS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
_BINARY_POWER: Final = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5, "e": 6}


class SizeError(ValueError):
    """A text that is no size in the grammar at hand.

    Attributes:
        text: what was given.
        expected: what the grammar accepts, for people.
    """

    def __init__(self, text: str, expected: str) -> None:
        self.text = text
        self.expected = expected
        super().__init__(f"{text!r} is not a size; expected {expected}")


# ---------------------------------------------------------------- rounding


def ceil_to(value: int, step: int) -> int:
    """Round `value` up to a multiple of `step`; both in the same unit."""
    return -(-value // step) * step


def grow(value: int, share: float) -> int:
    """Return `value` x (1 + `share`), rounded up, exact: 0.1 is one tenth, not its float."""
    exact = value * _more(share)
    return -(-exact.numerator // exact.denominator)


@lru_cache(maxsize=64)
def _more(share: float) -> Fraction:
    return 1 + Fraction(str(share))


_LADDER_GIB: Final = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128)


def ladder(value: int) -> int:
    """Round bytes up to the next size people configure.

    1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128 GiB, and on in the same rhythm
    (192, 256, 384, 512 GiB, ...).
    """
    for gib in _LADDER_GIB:
        if value <= gib * GIB:
            return gib * GIB
    step = _LADDER_GIB[-1] * GIB
    while True:
        for rung in (step + step // 2, 2 * step):
            if value <= rung:
                return rung
        step *= 2


# ---------------------------------------------------------------- for people

Unit = Literal["auto", "MiB", "GiB"]
"""What a person may want all sizes in; `auto` takes for each the largest that gives 1 or more."""

_wanted: ContextVar[Unit] = ContextVar("unit", default="auto")


@contextmanager
def written_in(unit: Unit) -> Iterator[None]:
    """Have `size` write in this unit where nobody says another; afterwards as it was before."""
    before = _wanted.set(unit)
    try:
        yield
    finally:
        _wanted.reset(before)


def size(value: int, unit: str | None = None, *, usually: str | None = None) -> str:
    """Write bytes for people: `36.75 MiB`, `5.17 GiB`, `64 MiB`, `0.574 MiB`.

    Args:
        value: bytes.
        unit: one of bytes, KiB, MiB, ...; by default what `written_in` says.
        usually: the unit where that says `auto`; by default the largest that gives 1 or more.
    """
    wanted: Unit = "auto" if unit else _wanted.get()
    name = unit or (usually if wanted == "auto" else wanted)
    power = _UNITS.index(name) if name else _largest_power(value)
    if power == 0:
        return f"{count(value)} byte{'' if value == 1 else 's'}"
    whole = KIB**power
    small = wanted != "auto" and value < whole
    text = ratio(Fraction(value, whole)) if small else _short(value, whole)
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {_UNITS[power]}"


def _short(value: int, whole: int) -> str:
    """Write `value` / `whole` with the places that matter: `0.574`, `36.75`, `441.1`, `5,234`."""
    for below, places in ((1, 3), (100, 2), (1000, 1)):
        if abs(value) < below * whole:
            return f"{value / whole:.{places}f}"
    return f"{value / whole:,.0f}"


def ratio(value: Fraction) -> str:
    """Write a ratio with at most three digits that count: `0.42`, `86.6`, `442`, `5,230`."""
    if not value:
        return "0"
    places = 2 - floor(log10(abs(value)))
    text = f"{float(round(value, places)):,.{max(places, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def exact(value: int) -> str:
    """Write bytes so that `parse_size` reads the very same number: `64 MiB`, `67108865`."""
    power = _largest_power(value)
    while value % KIB**power:
        power -= 1
    return f"{value // KIB**power} {_UNITS[power]}" if power else str(value)


def typed(value: int) -> str:
    """Write bytes as `exact` does, with a fraction where that is shorter: `24105.5625 MiB`."""
    plain = exact(value)
    for power in range(_largest_power(value), 0, -1):
        number = Decimal(value) / KIB**power
        text = f"{number.normalize():f}"
        if len(plain.partition(" ")[0]) > _LONG and len(text.partition(".")[2]) <= _PLACES:
            return f"{text} {_UNITS[power]}"
    return plain


_LONG: Final = 5
"""Digits from which on a number is hard to read."""

_PLACES: Final = 4
"""Decimal places that are still easy to."""


def brief(value: int) -> str:
    """Write bytes as `exact` does, as short as can be: `64m`, `67108865`."""
    number, _, unit = exact(value).partition(" ")
    return f"{number}{unit[:1].lower()}"


def _largest_power(value: int) -> int:
    return min(max(value.bit_length() - 1, 0) // 10, len(_UNITS) - 1)


def count(value: int) -> str:
    """Write a whole number with thousands separators: `5,550,112,768`."""
    return f"{value:,}"


# ---------------------------------------------------------------- grammars


@dataclass(frozen=True)
class Grammar:
    """How one family of platforms spells a size.

    `write` gives the shortest text that is at least the bytes asked for and less than
    1 MiB above; `read` gives the bytes that the platform would understand.
    """

    name: str
    write: Callable[[int], str]
    read: Callable[[str], int]


def _write_with(gib: str, mib: str) -> Callable[[int], str]:
    def write(value: int) -> str:
        if value <= 0:
            raise SizeError(str(value), "more than 0 bytes")
        whole = ceil_to(value, MIB)
        return f"{whole // GIB}{gib}" if whole % GIB == 0 else f"{whole // MIB}{mib}"

    return write


_DOCKER = re.compile(r"(?P<number>\d+(?:\.\d+)?) ?(?P<unit>[kmgtp]?)(?P<tail>i?b)?", re.IGNORECASE)


def read_docker(text: str) -> int:
    """Read a size as Docker, Podman and Compose do.

    Suffixes k, m, g, t, p in either case, all powers of 1024, with an optional `b` or
    `ib`; one space allowed; fractions allowed; a bare number is bytes.  `16Gi` is refused.

    Source: docker/go-units `size.go`, RAMInBytes.
    """
    match = _DOCKER.fullmatch(text)
    if match is None or (not match["unit"] and (match["tail"] or "").lower() == "ib"):
        raise SizeError(text, "a number with k, m or g, such as 8g")
    return int(Decimal(match["number"]) * KIB ** _BINARY_POWER[match["unit"].lower()])


_QUANTITY = re.compile(
    r"(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+))"
    r"(?:(?P<binary>[KMGTPE]i)|(?P<decimal>[numkMGTPE])|[eE](?P<exponent>[+-]?\d+))?"
)
_DECIMAL_POWER: Final = {
    "n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18
}  # fmt: skip


def read_kubernetes(text: str) -> int:
    """Read a Kubernetes quantity, rounded up to whole bytes.

    `Gi` is 2^30, `G` is 10^9, `m` is a thousandth.

    Source: kubernetes/apimachinery `pkg/api/resource/quantity.go`.
    """
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise SizeError(text, "a Kubernetes quantity, such as 8Gi")
    number = Fraction(Decimal(match["number"]))
    if match["binary"]:
        number *= KIB ** _BINARY_POWER[match["binary"][0].lower()]
    elif match["decimal"]:
        number *= Fraction(10) ** _DECIMAL_POWER[match["decimal"]]
    elif match["exponent"]:
        number *= Fraction(10) ** int(match["exponent"])
    return int(-(-number.numerator // number.denominator))


_MEMPARSE = re.compile(
    r"(?P<number>0[xX][0-9a-fA-F]+|0|[1-9]\d*)(?P<unit>[kmgtpe]?)", re.IGNORECASE
)


def read_tmpfs(text: str) -> int:
    """Read the kernel's tmpfs `size=` option: k, m, g in either case, powers of 1024.

    Whole numbers only, no `b`, no `Gi`.  The percent form depends on the machine's RAM
    and is not read here.

    Source: Linux `lib/cmdline.c` memparse, `mm/shmem.c`.
    """
    match = _MEMPARSE.fullmatch(text)
    if match is None:
        raise SizeError(text, "a whole number with k, m or g, such as 8G")
    return int(match["number"], base=0) << 10 * _BINARY_POWER[match["unit"].lower()]


_GB = re.compile(r"(?P<number>\d+(?:\.\d*)?|\.\d+)(?P<unit>mb|gb|tb|)", re.IGNORECASE)


def read_gb(text: str) -> int:
    """Read a size as dstack does: MB, GB, TB in either case, powers of 1024; GB without one.

    Spaces are ignored.

    Source: dstackai/dstack `src/dstack/_internal/core/models/resources.py`, Memory.parse.
    """
    match = _GB.fullmatch(text.replace(" ", ""))
    if match is None:
        raise SizeError(text, "a number with MB, GB or TB, such as 8GB")
    unit = match["unit"].lower() or "gb"
    return int(Fraction(Decimal(match["number"])) * KIB ** _BINARY_POWER[unit[0]])


def _write_number(step: int) -> Callable[[int], str]:
    def write(value: int) -> str:
        if value <= 0:
            raise SizeError(str(value), "more than 0 bytes")
        return str(ceil_to(value, MIB) // step)

    return write


def _read_number(step: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal()):
            raise SizeError(text, "a whole number")
        return int(text) * step

    return read


GRAMMARS: Final[dict[str, Grammar]] = {
    grammar.name: grammar
    for grammar in (
        Grammar("docker", _write_with("g", "m"), read_docker),
        Grammar("kubernetes", _write_with("Gi", "Mi"), read_kubernetes),
        Grammar("tmpfs", _write_with("G", "M"), read_tmpfs),
        Grammar("gb", _write_with("GB", "MB"), read_gb),
        Grammar("bytes", _write_number(1), _read_number(1)),
        Grammar("mib", _write_number(MIB), _read_number(MIB)),
    )
}


# ---------------------------------------------------------------- what people type

_TYPED = re.compile(
    r"(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)\s*(?P<unit>bytes?|[kmgtpe]?(?:i?b|i)?)",
    re.IGNORECASE,
)


def parse_size(text: str) -> int:
    """Read a size as a person types it: Docker's grammar, and also `Ki`, `Mi`, `Gi`.

    All units are binary.  Thousands separators and spaces are forgiven.

    Raises:
        SizeError: the text is no size.
    """
    expected = "a size such as 64m, 8g, 8GiB or a number of bytes"
    match = _TYPED.fullmatch(text.strip())
    if match is None or not text.isascii():
        raise SizeError(text, expected)
    unit = match["unit"].lower()
    letter = "" if unit[:1] in {"", "b", "i"} else unit[0]
    if unit in {"i", "ib"}:
        raise SizeError(text, expected)
    try:
        number = Decimal(match["number"].replace(",", ""))
    except InvalidOperation:
        raise SizeError(text, expected) from None
    return int(number * KIB ** _BINARY_POWER[letter])
