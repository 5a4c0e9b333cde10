"""The values of a platform's file: its size of /dev/shm and its memory limit, in bytes."""

from __future__ import annotations

import re
from typing import Any, Final

from calculator.readers.config.say import warn
from calculator.readers.config.tree import Node, find
from calculator.readers.reading import Remark
from calculator.typed import MAX_BYTES
from calculator.units import GIB, GRAMMARS, KIB, MIB, SizeError, ceil_to, parse_size, size

FLAG: Final = re.compile(r"--shm-size(?:=|\s+|$)(?P<size>[^\s\"',\]]{1,40})?")
WORDS: Final = {"options", "args"}
"""Units of places that hold options of docker run."""
_EXPECTED: Final = {
    "bytes": "a whole number of bytes, without quotes and suffix, such as {bytes}",
    "mib": "a whole number of MiB, such as {mib}",
    "docker": "a number with k, m or g, such as 8g",
    "gb": "a number with MB or GB, such as 8GB",
    "options": "a number with k, m or g, such as 8g",
    "args": "a number with k, m or g, such as 8g",
}
LOOKS_LIKE_BYTES: Final = 16 * MIB
"""So many MiB nobody has: the number was meant as bytes."""


def joined(node: Node) -> str:
    """The words of an option string, or of a list of arguments."""
    if isinstance(node.value, list):
        return " ".join(str(each.scalar) for each in node.items)
    return str(node.scalar)


def literal(node: Node, unit: str) -> str:
    """Return the text of the size; empty where there is none."""
    if unit in WORDS:
        match = FLAG.search(joined(node))
        return (match["size"] or "") if match else ""
    return "" if node.scalar is None else str(node.scalar)


def value(text: str, unit: str, warnings: list[Remark]) -> int | None:
    """Return the bytes a text means, or was meant to; what is wrong with it goes to `warnings`."""
    if not text and unit in WORDS:
        return None
    if "${" in text or text.startswith(("$", "var.")):
        warnings.append(warn("interpolated_value", value=text[:80]))
        return None
    grammar = GRAMMARS["docker" if unit in WORDS else unit]
    try:
        found = grammar.read(text.lower() if grammar.name == "docker" else text)
    except (SizeError, ValueError):
        return _meant(text, unit, warnings)
    if unit == "mib" and int(text) >= LOOKS_LIKE_BYTES:
        meant = size(min(found, MAX_BYTES * KIB))
        warnings.append(warn("unit_mismatch", value=text[:40], unit="MiB (MB)", meant=meant))
        found = int(text)
    if found > MAX_BYTES:
        warnings.append(warn("unit_invalid", value=text[:80], expected="a size some machine has"))
        return None
    if unit == "bytes" and 0 < found < MIB:
        warnings.append(warn("unitless_bytes", value=text, meant=size(found)))
    return found or None


def _meant(text: str, unit: str, warnings: list[Remark]) -> int | None:
    try:
        meant = parse_size(text)
    except (SizeError, ValueError):
        meant = 0
    example = meant or 8 * GIB
    expected = _EXPECTED[unit].format(bytes=example, mib=ceil_to(example, MIB) // MIB)
    warnings.append(warn("unit_invalid", value=text[:80] or "nothing", expected=expected))
    return meant if 0 < meant <= MAX_BYTES else None


def memory(root: Node, data: dict[str, Any]) -> int | None:
    """Return the memory limit that the file sets."""
    for pattern, unit in data.get("memory", ()):
        for _, node in find(root, pattern):
            try:
                return _limited(GRAMMARS[unit].read(str(node.scalar).lower()))
            except (SizeError, ValueError):
                continue
    for _, node in find(root, data.get("requirements", "-")):
        for each in node.items:
            known = {key.lower(): str(child.scalar) for key, child in each.mapping.items()}
            amount = known.get("value", "")
            if known.get("type", "").upper() == "MEMORY" and re.fullmatch(r"\d{1,12}", amount):
                return _limited(int(amount) * MIB)
    return None


def _limited(found: int) -> int | None:
    return found if 0 < found <= MAX_BYTES else None
