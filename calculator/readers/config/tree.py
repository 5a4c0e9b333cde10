"""Configuration files as one kind of tree: values, the lines they stand in, and their spans.

YAML, JSON (with comments), TOML, HCL, INI and .env all become nodes.  Nothing is built
from tags, nothing is evaluated; size, depth and aliases are bounded.
"""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import ReusedAnchorWarning, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from calculator.errors import InputError

LONGEST_YAML: Final = 60_000
MAX_NODES: Final = 40_000
MAX_DEPTH: Final = 60
LONGEST_NUMBER: Final = 40
LONGEST_LINE: Final = 4000

Path = tuple[str, ...]


@dataclass
class Node:
    """One value: a scalar, a mapping or a list, where it stands, and its text."""

    value: Any
    line: int
    start: int = -1
    end: int = -1
    key_start: int = -1
    raw: str = ""
    flow: bool = False

    @property
    def mapping(self) -> dict[str, Node]:
        """Children by key; nothing where this is no mapping."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> list[Node]:
        """Entries of a list; nothing where this is none."""
        return self.value if isinstance(self.value, list) else []

    @property
    def scalar(self) -> Any:
        """The value, where it is no mapping and no list."""
        return None if isinstance(self.value, dict | list) else self.value


def walk(node: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Yield every node below, the node itself first, without recursion."""
    stack = [(path, node)]
    while stack:
        here, each = stack.pop()
        yield here, each
        children = (
            [((*here, key), child) for key, child in each.mapping.items()]
            if isinstance(each.value, dict)
            else [((*here, str(index)), child) for index, child in enumerate(each.items)]
        )
        stack.extend(reversed(children))


def find(node: Node, pattern: str) -> Iterator[tuple[Path, Node]]:
    """Yield the nodes at a dotted path in which `*` is any key; keys match in either case."""
    parts = pattern.split(".") if pattern else []
    yield from _find(node, parts, ())


def _find(node: Node, parts: list[str], path: Path) -> Iterator[tuple[Path, Node]]:
    if not parts:
        yield path, node
        return
    entries = (
        list(node.mapping.items())
        if isinstance(node.value, dict)
        else [(str(index), each) for index, each in enumerate(node.items)]
    )
    for key, child in entries:
        if parts[0] == "*" or key.lower() == parts[0].lower():
            yield from _find(child, parts[1:], (*path, key))


def plain(node: Node) -> Any:
    """Return the node as plain Python values."""
    if isinstance(node.value, dict):
        return {key: plain(each) for key, each in node.value.items()}
    if isinstance(node.value, list):
        return [plain(each) for each in node.value]
    return node.value


# ---------------------------------------------------------------- YAML and JSON

_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*\*/')
_TRAILING = re.compile(r",(?=\s*[}\]])")


def json_text(text: str) -> str:
    """Blank the comments and trailing commas that editors allow in JSON, keeping every place."""

    def blank(match: re.Match[str]) -> str:
        return match[0] if match[0][0] == '"' else re.sub(r"[^\n]", " ", match[0])

    return _TRAILING.sub(" ", _COMMENT.sub(blank, text).replace("\t", " "))


def yaml_tree(text: str) -> Node | None:
    """Read YAML or JSON; None where it is neither.  Of several documents the first counts.

    Raises:
        InputError: it is too long, too deep, or expands without bound.
    """
    if len(text) > LONGEST_YAML:
        raise InputError.at("", f"is longer than the {LONGEST_YAML:,} characters of any config")
    nesting = max(_indents(text), default=0)
    if nesting > MAX_DEPTH:
        raise InputError.at("", "is nested too deeply")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ReusedAnchorWarning)
            for document in YAML(typ="safe", pure=True).compose_all(text):
                if isinstance(document, MappingNode | SequenceNode):
                    return _Converter().convert(document, 0)
    except (YAMLError, ValueError, RecursionError, AttributeError, TypeError, IndexError, KeyError):
        return None
    return None


def _indents(text: str) -> Iterator[int]:
    depth = 0
    for char in text:
        if char in "[{":
            depth += 1
            yield depth
        elif char in "]}":
            depth = max(0, depth - 1)


class _Converter:
    """Turns composed nodes into ours, with a budget, so that aliases cannot explode."""

    def __init__(self) -> None:
        self.left = MAX_NODES

    def convert(self, node: Any, depth: int) -> Node:
        self.left -= 1
        if self.left < 0 or depth > MAX_DEPTH:
            raise InputError.at("", "expands to more than any config holds")
        line, start, end = node.start_mark.line + 1, node.start_mark.index, node.end_mark.index
        if isinstance(node, MappingNode):
            return Node(self._mapping(node, depth), line, start, end, flow=bool(node.flow_style))
        if isinstance(node, SequenceNode):
            items = [self.convert(each, depth + 1) for each in node.value]
            return Node(items, line, start, end, flow=bool(node.flow_style))
        return Node(_scalar(node), line, start, end, raw=str(node.value))

    def _mapping(self, node: MappingNode, depth: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        merged: dict[str, Node] = {}
        for key, value in node.value:
            name = str(key.value) if isinstance(key, ScalarNode) else ""
            child = self.convert(value, depth + 1)
            child.key_start = key.start_mark.index
            if name == "<<":
                for base in [child, *child.items]:
                    merged = {**base.mapping, **merged}
            else:
                found[name] = child
        return {**merged, **found}


def _scalar(node: ScalarNode) -> Any:
    text = str(node.value)
    kind = str(node.tag).rpartition(":")[2]
    if kind == "int":
        return number(text.replace("_", "")) if len(text) < LONGEST_NUMBER else text
    if kind == "float":
        return number(text)
    if kind == "bool":
        return text.lower() in {"true", "yes", "on"}
    return None if kind == "null" else text


def number(text: str) -> Any:
    """Return a text as int or float where it is one, else as it is."""
    short = text.strip()
    if re.fullmatch(r"[+-]?\d{1,18}", short):
        return int(short)
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,15}", short):
        return int(short, 16)
    if re.fullmatch(r"[+-]?(?:\d{1,18}\.\d{0,18}|\.\d{1,18}|\d{1,18})(?:[eE][+-]?\d{1,2})?", short):
        return float(short)
    return text


# ---------------------------------------------------------------- lines of `key = value`

_SECTION = re.compile(r"\s*(?P<open>\[\[?)\s*(?P<name>[^\[\]]{1,200}?)\s*\]\]?\s*(?:[#;].*)?")
_BLOCK = re.compile(
    r'\s*(?P<name>[\w.-]{1,80})(?P<labels>(?:\s+"[^"\n]{0,120}"){0,4})\s*=?\s*\{\s*(?:#.*|//.*)?'
)
_ASSIGN = re.compile(
    r"\s*(?:(?:export|ENV|set)\s+)?(?P<key>[\w.\"'-]{1,120})\s*[=:]\s*(?P<value>\S.*?)?\s*"
)
_VALUE = re.compile(
    r"\"(?P<double>(?:[^\"\\]|\\.)*)\"|'(?P<single>[^']*)'|(?P<bare>[^\s#;,][^#;]*?)"
    r"(?=\s*(?:[#;,]|$))"
)


def lines_tree(text: str, *, blocks: bool = False) -> Node:
    """Read TOML, INI, .env or (with `blocks`) HCL by its lines, as far as lines tell."""
    root = Node({}, 1)
    stack = [root]
    offset, left = 0, MAX_NODES
    for index, line in enumerate(text.split("\n"), 1):
        left -= 1
        if left < 0:
            raise InputError.at("", "has more lines than any config")
        start, offset = offset, offset + len(line) + 1
        if (
            len(line) > LONGEST_LINE
            or line.lstrip()[:1] in {"#", ";", ""}
            or line.lstrip()[:2] == "//"
        ):
            continue
        if blocks and (opened := _BLOCK.fullmatch(line)):
            names = [opened["name"], *re.findall(r'"([^"]*)"', opened["labels"] or "")]
            stack = [*stack[: MAX_DEPTH - 5], _child(stack[-1], names, index, start)]
        elif blocks and line.strip().rstrip(",") == "}":
            stack = stack[:-1] if len(stack) > 1 else stack
        elif not blocks and (section := _SECTION.fullmatch(line)):
            names = [name.strip("\"' ") for name in section["name"].split(".")[:MAX_DEPTH]]
            stack = [root, _child(root, names, index, start)]
        elif assigned := _ASSIGN.fullmatch(line):
            key = assigned["key"].strip("\"'")
            stack[-1].value[key] = _value(line, assigned, index, start, toml=not blocks)
    return root


def _child(parent: Node, names: list[str], line: int, start: int) -> Node:
    for name in names:
        below = parent.mapping.get(name)
        if below is None or not isinstance(below.value, dict):
            below = Node({}, line, start, start, start)
            parent.value[name] = below
        parent = below
    return parent


def _value(line: str, assigned: re.Match[str], index: int, start: int, *, toml: bool) -> Node:
    text = assigned["value"] or ""
    begin = start + assigned.start("value") if text else start + len(line)
    match = _VALUE.match(text)
    if text[:1] in {"[", "{"} or match is None:
        end = begin + len(text)
        return Node(_inline(text) if toml or text[:1] == "[" else text, index, begin, end,
                    start + assigned.start("key"), text)  # fmt: skip
    quoted = match["double"] if match["double"] is not None else match["single"]
    value: Any = quoted if quoted is not None else number(match["bare"])
    if value in {"true", "false"} and quoted is None:
        value = value == "true"
    end = begin + match.end()
    return Node(value, index, begin, end, start + assigned.start("key"), match[0])


def _inline(text: str) -> Any:
    """Read a list or an inline table as TOML."""
    try:
        value = tomllib.loads(f"x = {text}")["x"]
    except (ValueError, RecursionError):
        return text
    return _nodes(value)


def _nodes(value: Any) -> Any:
    if isinstance(value, list):
        return [Node(_nodes(each), 0) for each in value[:1000]]
    if isinstance(value, dict):
        return {str(key): Node(_nodes(each), 0) for key, each in value.items()}
    return value
