"""Files of other platforms: where the size of /dev/shm stands in them, read and mended.

Each platform is a few lines of data in `calculator/readers/platforms/`: where it is, in which
unit, and what to know.  The mended text differs from the paste only in that value.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final

from calculator import resources
from calculator.readers.config import edit
from calculator.readers.config.answer import answer
from calculator.readers.config.paste import Paste
from calculator.readers.config.say import memory_warnings, note, warn
from calculator.readers.config.tree import Node, Path, find
from calculator.readers.reading import Reading, Remark
from calculator.typed import MAX_BYTES
from calculator.units import GIB, GRAMMARS, MIB, SizeError, ceil_to, parse_size, size

ORDER = 40
_FLAG: Final = re.compile(r"--shm-size(?:=|\s+|$)(?P<size>[^\s\"',\]]{1,40})?")
_EXPECTED: Final = {
    "bytes": "a whole number of bytes, without quotes and suffix, such as {bytes}",
    "mib": "a whole number of MiB, such as {mib}",
    "docker": "a number with k, m or g, such as 8g",
    "gb": "a number with MB or GB, such as 8GB",
    "options": "a number with k, m or g, such as 8g",
    "args": "a number with k, m or g, such as 8g",
}
MOST_RANKS: Final = 1024
LOOKS_LIKE_BYTES: Final = 16 * MIB
"""So many MiB nobody has: the number was meant as bytes."""


@cache
def platforms() -> tuple[tuple[str, dict[str, Any]], ...]:
    """Return the name and data of every platform."""
    names = resources.names("readers/platforms", ".toml")
    return tuple((name, resources.table("readers/platforms", name)) for name in names)


def reads(paste: Paste) -> bool:
    """Whether the paste is a file of one of the platforms."""
    return _which(paste) is not None


def _tree(paste: Paste, data: dict[str, Any]) -> Node | None:
    if data["syntax"] == "yaml":
        return paste.yaml
    if data["syntax"] == "hcl":
        return paste.hcl if "{" in paste.text else None
    return None if paste.is_json else paste.toml


def _which(paste: Paste) -> tuple[dict[str, Any], Node] | None:
    best: tuple[int, dict[str, Any], Node] | None = None
    for _, data in platforms():
        root = _tree(paste, data)
        if root is None or (
            data["syntax"] == "toml" and not re.search(r"^\s*\[", paste.text, re.MULTILINE)
        ):
            continue
        if any(next(find(root, each), None) for each in data.get("not", ())):
            continue
        if not all(next(find(root, each), None) for each in data.get("require", ())):
            continue
        score = sum(next(find(root, each), None) is not None for each in data["detect"])
        score += 2 * any(next(find(root, each), None) for each in data["shm"])
        score += 5 * (bool(score) and paste.hint == data["format"])
        if score and (best is None or score > best[0]):
            best = (score, data, root)
    return (best[1], best[2]) if best else None


def read(paste: Paste) -> Reading | None:
    """Read the size and the memory limit, and write the file with the size that is wanted."""
    which = _which(paste)
    if which is None:
        return None
    data, root = which
    warnings: list[Remark] = []
    notes = list(data["notes"])
    unsupported = bool(data.get("unsupported")) or _refuses(root, data)
    if unsupported:
        warnings.append(warn("platform_unsupported", platform=data.get("refuses", data["title"])))
    place = next((hit for each in data["shm"] for hit in find(root, each)), None)
    shm, literal = _value(place[1], data, warnings) if place else (None, "")
    memory = _memory(root, data)
    ipc = next((str(node.scalar) for _, node in find(root, data.get("ipc", "-"))), None)
    if re.search(r"--ipc[= ]host", _joined(place[1]) if place else ""):
        ipc = "host"
        warnings.append(warn("host_ipc_security"))
        if shm:
            warnings.append(warn("ipc_host_makes_shm_size_moot"))
    wanted = paste.wanted
    if wanted and shm and shm > wanted:
        warnings.append(warn("existing_larger", existing=size(shm), wanted=size(wanted)))
    elif wanted and shm and shm < wanted:
        warnings.append(warn("existing_smaller", existing=size(shm), wanted=size(wanted)))
    warnings += memory_warnings(max(shm or 0, wanted or 0), memory)
    parsed: dict[str, Any] = {"shm_bytes": shm}
    known = {"memory_bytes": memory, "ipc": ipc, "image": _first(root, data.get("image", "-"))}
    parsed |= {key: value for key, value in known.items() if value is not None}
    target = max(wanted or 0, shm or 0)
    wrong = any(each.id in {"unit_invalid", "unit_mismatch", "unitless_bytes"} for each in warnings)
    text, patched = (None, {})
    if target and not unsupported and (wrong or wanted):
        text, patched = _patch(paste, root, data, place, target)
        if target == shm and not wrong:
            text = paste.text
        if text is None:
            notes.append(note("no_place", place=data["shm"][0]))
    if shm is None and not unsupported:
        notes.append(note("docker_default"))
    line = place[1].line if place else 0
    return answer(
        paste, [], format=data["format"], framework=data["title"], shm=shm, memory=memory,
        warnings=warnings, notes=notes, parsed=parsed, patched=patched, text=text,
        effective="host /dev/shm" if ipc == "host" else "",
        origins=[paste.origin("current_shm", line)] if line and shm else [],
        ranks=_ranks(root, data), extra={"literal": literal} if literal else {},
    )  # fmt: skip


def _refuses(root: Node, data: dict[str, Any]) -> bool:
    """Whether the file asks for the variant of the platform that takes no size."""
    names = [
        str(node.scalar).upper() for each in data.get("refuse", ()) for _, node in find(root, each)
    ]
    return "FARGATE" in names and "EC2" not in names


def _first(root: Node, pattern: str) -> str | None:
    found = next((node.scalar for _, node in find(root, pattern)), None)
    return None if found is None else str(found)


def _ranks(root: Node, data: dict[str, Any]) -> int | None:
    found = next((node.scalar for _, node in find(root, data.get("ranks", "-"))), None)
    return found if type(found) is int and 0 < found <= MOST_RANKS else None


def _joined(node: Node) -> str:
    """The words of an option string, or of a list of arguments."""
    if isinstance(node.value, list):
        return " ".join(str(each.scalar) for each in node.items)
    return str(node.scalar)


def _value(node: Node, data: dict[str, Any], warnings: list[Remark]) -> tuple[int | None, str]:
    """Return the bytes a value means, or was meant to, and its text."""
    unit = data["unit"]
    if unit in {"options", "args"}:
        match = _FLAG.search(_joined(node))
        text = (match["size"] or "") if match else ""
        if not text:
            return None, ""
        grammar = GRAMMARS["docker"]
    else:
        text = "" if node.scalar is None else str(node.scalar)
        grammar = GRAMMARS[unit]
    if "${" in text or text.startswith(("$", "var.")):
        warnings.append(warn("interpolated_value", value=text[:80]))
        return None, text
    try:
        value = grammar.read(text.lower() if unit == "docker" else text)
    except (SizeError, ValueError):
        return _meant(text, unit, warnings), text
    if unit == "mib" and int(text) >= LOOKS_LIKE_BYTES:
        meant = size(min(value, MAX_BYTES * 1024))
        warnings.append(warn("unit_mismatch", value=text, unit="MiB (MB)", meant=meant))
        return int(text), text
    if value == 0:
        return None, text
    if unit == "bytes" and value < MIB:
        warnings.append(warn("unitless_bytes", value=text, meant=size(value)))
    if value > MAX_BYTES:
        warnings.append(warn("unit_invalid", value=text[:80], expected="a size some machine has"))
        return None, text
    return value, text


def _meant(text: str, unit: str, warnings: list[Remark]) -> int | None:
    try:
        meant = parse_size(text)
    except (SizeError, ValueError):
        meant = 0
    example = meant or 8 * GIB
    expected = _EXPECTED[unit].format(bytes=example, mib=ceil_to(example, MIB) // MIB)
    warnings.append(warn("unit_invalid", value=text[:80] or "nothing", expected=expected))
    return meant if 0 < meant <= MAX_BYTES else None


def _memory(root: Node, data: dict[str, Any]) -> int | None:
    for pattern, unit in data.get("memory", ()):
        for _, node in find(root, pattern):
            try:
                return GRAMMARS[unit].read(str(node.scalar).lower())
            except (SizeError, ValueError):
                continue
    for _, node in find(root, data.get("requirements", "-")):
        for each in node.items:
            kind, value = each.mapping.get("type"), each.mapping.get("value")
            if (
                kind
                and value
                and str(kind.scalar).upper() == "MEMORY"
                and str(value.scalar).isdigit()
            ):
                return int(str(value.scalar)) * MIB
    return None


def _patch(
    paste: Paste, root: Node, data: dict[str, Any], place: tuple[Path, Node] | None, target: int
) -> tuple[str | None, dict[str, Any]]:
    """Return the mended text and the values in it, under the names that people check."""
    unit = data["unit"]
    whole = ceil_to(target, MIB)
    literal = GRAMMARS["docker" if unit in {"options", "args"} else unit].write(whole)
    raw: Any = int(literal) if unit in {"bytes", "mib"} else literal
    key = place[0][-1] if place else (data["insert"].rpartition(".")[2] or "shm_size")
    values = {"shm_bytes": whole, key: raw, "value": whole if unit == "bytes" else raw}
    values[data.get("named", f"{key}_shm_bytes")] = whole
    if unit in {"options", "args"}:
        values[key] = _options(_joined(place[1]) if place else "", literal)
    text = edit.put(paste.text, root, data, place, literal)
    return text, values if text is not None else {}


def _options(old: str, literal: str) -> str:
    flag = f"--shm-size={literal}"
    if _FLAG.search(old):
        return _FLAG.sub(flag, old, count=1)
    return f"{old} {flag}".strip()
