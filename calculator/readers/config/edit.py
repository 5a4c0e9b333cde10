"""One value put into a text, everything else left as it is."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from calculator.readers.config.tree import Node, Path, find

_FLAG: Final = re.compile(r"--shm-size(?P<by>=|\s+)?(?P<size>[^\s\"',\]]{1,40})?")


def put(
    text: str, root: Node, data: dict[str, Any], place: tuple[Path, Node] | None, literal: str
) -> str | None:
    """Return the text with the size in its place; None where no place for it is found.

    Args:
        text: the paste.
        root: its tree.
        data: the platform.
        place: path and node of the value that is there; None: it has to be added.
        literal: the size as the platform writes it.
    """
    unit = data["unit"]
    if place is not None and place[1].start >= 0:
        return _replace(text, place[1], unit, literal, data)
    if not data["insert"]:
        return None
    return _insert(text, root, data, literal)


def _replace(text: str, node: Node, unit: str, literal: str, data: dict[str, Any]) -> str | None:
    old = text[node.start : node.end]
    if unit == "args":
        new = _arguments(text, node, f"--shm-size={literal}")
    elif unit == "options":
        new = _string(old, literal)
    else:
        quote = old[:1] if old[:1] in {'"', "'"} and unit in {"docker", "gb"} else ""
        quote = '"' if data.get("quoted") and not quote else quote
        new = f"{quote}{literal}{quote}"
    return None if new is None else text[: node.start] + new + text[node.end :]


def _string(old: str, literal: str) -> str:
    flag = f"--shm-size={literal}"
    if "--shm-size" in old:
        return _FLAG.sub(flag, old, count=1)
    trimmed = old.rstrip()
    if trimmed[-1:] in {'"', "'"} and trimmed[:1] == trimmed[-1:]:
        inner = trimmed[1:-1]
        return f"{trimmed[0]}{inner}{' ' if inner else ''}{flag}{trimmed[-1]}"
    return f"{trimmed} {flag}".strip() + old[len(trimmed) :]


def _arguments(text: str, node: Node, flag: str) -> str | None:
    """Put the flag into a list of arguments, or replace the one that is there."""
    old = text[node.start : node.end]
    words = [str(each.scalar) for each in node.items]
    at = next((i for i, word in enumerate(words) if word.startswith("--shm-size")), None)
    if at is not None:
        each = node.items[at]
        split = words[at] == "--shm-size" and at + 1 < len(words)
        last = node.items[at + 1] if split else each
        if each.start < node.start:
            return None
        begin, end = each.start - node.start, last.end - node.start
        quote = '"' if old[begin : begin + 1] == '"' else ""
        return f"{old[:begin]}{quote}{flag}{quote}{old[end:]}"
    quoted = json.dumps(flag)
    if node.flow:
        inner = old[1:-1].rstrip()
        comma = ", " if inner.strip() and not inner.endswith(",") else " " if inner else ""
        return f"[{inner}{comma}{quoted}{old[1:-1][len(inner) :]}]"
    if not node.items:
        return f"[{quoted}]"
    column = node.start - (text.rfind("\n", 0, node.start) + 1)
    return f"- {flag}\n{' ' * column}{old}"


def _insert(text: str, root: Node, data: dict[str, Any], literal: str) -> str | None:
    parent: Node | None = root
    if data["place"]:
        places = data["place"] if isinstance(data["place"], list) else [data["place"]]
        parent = next((hit[1] for each in places for hit in find(root, each)), None)
        if parent is None and data["syntax"] == "yaml" and "*" not in places[0]:
            names = [*places[0].split("."), *data["insert"].split(".")]
            return _at_root(text, root, names, data, literal)
    names = data["insert"].split(".")
    while parent is not None and len(names) > 1 and names[0] in parent.mapping:
        parent = parent.mapping[names.pop(0)]
    if parent is None:
        return None
    return _at_root(text, parent, names, data, literal)


def _at_root(
    text: str, parent: Node, names: list[str], data: dict[str, Any], literal: str
) -> str | None:
    """Add a key, before the first one of its mapping or after the line that opens it."""
    if any("*" in name for name in names) or not isinstance(parent.value, dict):
        return None
    if data["syntax"] in {"hcl", "toml"}:
        quoted = '"' if data.get("quoted") else ""
        return _line(text, parent, names, f"{quoted}{literal}{quoted}", data)
    value: Any = literal if data["unit"] in {"docker", "gb"} else None
    if data["unit"] in {"bytes", "mib"}:
        value = int(literal)
    elif data["unit"] == "args":
        value = [f"--shm-size={literal}"]
    elif data["unit"] == "options":
        value = f"--shm-size={literal}"
    for name in reversed(names[1:]):
        value = {name: value}
    first = next((each for each in parent.mapping.values() if each.key_start >= 0), None)
    if parent.flow:
        at = parent.start + 1
        comma = "," if parent.mapping else ""
        inside = text[at : first.key_start] if first else ""
        gap = inside if inside.strip() == "" else ""
        pair = f"{json.dumps(names[0])}: {json.dumps(value)}{comma}"
        return f"{text[:at]}{gap}{pair}{text[at:]}"
    if first is None:
        return None
    column = first.key_start - (text.rfind("\n", 0, first.key_start) + 1)
    lines = _block(names[0], value, column)
    return f"{text[: first.key_start]}{lines}\n{' ' * column}{text[first.key_start :]}"


def _block(name: str, value: Any, column: int) -> str:
    if isinstance(value, dict):
        inner = next(iter(value.items()))
        return f"{name}:\n{' ' * (column + 2)}{_block(inner[0], inner[1], column + 2)}"
    return f"{name}: {json.dumps(value) if isinstance(value, list) else value}"


def _line(
    text: str, parent: Node, names: list[str], value: str, data: dict[str, Any]
) -> str | None:
    if len(names) > 1:
        return None
    lines = text.split("\n")
    at = parent.line
    following = lines[at] if at < len(lines) else ""
    indent = following[: len(following) - len(following.lstrip())]
    if data["syntax"] == "hcl":
        indent = indent or "  "
    sign = "=" if data["format"] == "quadlet" else " = "
    return "\n".join([*lines[:at], f"{indent}{names[0]}{sign}{value}", *lines[at:]])
