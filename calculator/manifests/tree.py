"""YAML as a tree of places: what stands where, so that a change touches nothing else.

ruamel.yaml reads the text; this keeps the offset of each part of it.  Aliases stay aliases:
nothing is expanded, so that a small file cannot become a large one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, Literal

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

MAX_CHARACTERS: Final = 2_000_000
MAX_READ: Final = 250_000
"""Characters of the parts that matter; the rest of a file is passed over unread."""
MAX_EVENTS: Final = 20_000
MAX_EVENTS_OF_ONE: Final = 12_000
"""Parts of a text, and of one document in it: about a second each."""
MAX_DEPTH: Final = 80
MAX_EXPANDED: Final = 100_000
"""Parts a document may have once its aliases are followed."""


class NotReadError(ValueError):
    """The text is not read: a sentence says why; `line` counts from 1, 0 where it is the whole."""

    def __init__(self, message: str, line: int = 0) -> None:
        self.line = line
        start = f"Line {line}: {message[:1]}" if line else message[:1].upper()
        super().__init__(start + message[1:])


class GuardError(NotReadError):
    """The text is too large, too deep or grows too much: nothing is wrong with its syntax."""


@dataclass(eq=False, slots=True)
class Node:
    """One part of a document, from `start` to `end` in the text; `line` counts from 1."""

    kind: Literal["scalar", "map", "seq", "alias"]
    start: int
    end: int
    line: int
    column: int
    text: str = ""
    style: str = ""
    flow: bool = False
    anchor: str = ""
    tag: str = ""
    pairs: list[tuple[Node, Node]] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)
    target: Node | None = None
    expanded: int = 1

    @property
    def real(self) -> Node:
        """What an alias stands for; any other part itself."""
        return self if self.target is None else self.target

    @property
    def is_null(self) -> bool:
        """Whether nothing is said here."""
        own = self.real
        return own.kind == "scalar" and not own.style and own.text in {"", "~", "null", "Null"}

    @property
    def is_empty(self) -> bool:
        """Whether this is nothing, or a list or mapping without entries."""
        own = self.real
        return self.is_null or (own.kind in {"map", "seq"} and not own.pairs and not own.items)

    def own(self, key: str) -> Node | None:
        """Return the value of a key that stands here, not one that is merged in."""
        return next((value for name, value in self.real.pairs if name.text == key), None)

    def get(self, key: str) -> Node | None:
        """Return the value of a key, merged in or not; an alias is followed."""
        node = self.real
        found = node.own(key)
        if found is not None:
            return found.real
        for name, value in node.pairs:
            if name.text == "<<" and not name.style:
                many = value.real.items if value.real.kind == "seq" else [value]
                for each in many:
                    found = each.real.get(key)
                    if found is not None:
                        return found
        return None

    def at(self, *path: str) -> Node | None:
        """Return what a path of keys leads to."""
        node: Node | None = self
        for key in path:
            node = None if node is None else node.get(key)
        return node

    def say(self, *path: str) -> str | None:
        """Return the text at a path; None where there is none."""
        node = self.at(*path)
        return None if node is None or node.kind != "scalar" or node.is_null else node.text

    def names(self) -> list[str]:
        """Return the keys that stand here."""
        return [name.text for name, _ in self.real.pairs]

    def entries(self) -> list[Node]:
        """Return the items of a list, aliases followed; of anything else none."""
        return [item.real for item in self.real.items]

    def children(self) -> Iterator[Node]:
        """Yield the parts of this part, aliases as they stand."""
        for name, value in self.pairs:
            yield name
            yield value
        yield from self.items

    def walk(self) -> Iterator[Node]:
        """Yield this part and all in it, aliases as they stand."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children())


@dataclass(frozen=True)
class Document:
    """One document of a stream; `root` is None where nobody needed to read it."""

    index: int
    start: int
    end: int
    line: int
    root: Node | None


# ---------------------------------------------------------------- documents

_COLON: Final = re.compile(r"[ \t]*:")
_MARKER: Final = re.compile(r"^(?:---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_SAYS_NOTHING: Final = re.compile(r"(?:\s|---(?=\s|\Z)|\.\.\.(?=\s|\Z)|#[^\n]*|%[^\n]*)*\Z")


def spans(text: str) -> list[tuple[int, int]]:
    """Return where the documents that are not empty start and end.

    A marker in the first column ends a document wherever it stands, by the rules of YAML.
    """
    cuts = [0, *(match.start() for match in _MARKER.finditer(text)), len(text)]
    pieces = [(a, b) for a, b in pairwise(cuts) if a < b]
    return [(a, b) for a, b in pieces if not _SAYS_NOTHING.match(text, a, b)]


def read(
    text: str, start: int, end: int, line: int, *, most: int = MAX_EVENTS_OF_ONE
) -> tuple[Node | None, int]:
    """Read one document of a text; return its tree and how many parts were seen, `most` at most.

    Raises:
        NotReadError: it is not YAML, or beyond what is read.
    """
    builder = _Builder(text, start, line, most)
    try:
        for event in YAML(typ="safe", pure=True).parse(text[start:end]):
            builder.take(event)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        words = str(getattr(error, "problem", "") or "cannot be read").strip()
        raise NotReadError(f"this is not YAML: {words}.", line + mark.line if mark else 0) from None
    except NotReadError:
        raise
    except (ValueError, IndexError, AttributeError, AssertionError, TypeError):
        raise NotReadError("this is not YAML.", line) from None
    return builder.root, builder.events


class _Builder:
    """Makes a tree of the reader's events."""

    def __init__(self, text: str, base: int, line: int, most: int) -> None:
        self.text = text
        self.most = most
        self.base = base
        self.line = line
        self.events = 0
        self.root: Node | None = None
        self.open: list[Node] = []
        self.waiting: list[Node | None] = []
        self.anchors: dict[str, Node] = {}

    def take(self, event: Any) -> None:
        self.events += 1
        if self.events > self.most:
            raise GuardError("the file is too large to be mended at once: give its parts singly.")
        name = type(event).__name__
        if name in {"MappingEndEvent", "SequenceEndEvent"}:
            self.close(event)
        elif name in {"MappingStartEvent", "SequenceStartEvent"}:
            node = self.node("map" if name.startswith("M") else "seq", event)
            self.anchor(node)
            if len(self.open) >= MAX_DEPTH:
                raise GuardError(f"it is nested more than {MAX_DEPTH} levels deep.", node.line)
            self.open.append(node)
            self.waiting.append(None)
        elif name == "ScalarEvent":
            node = self.node("scalar", event)
            node.text, node.style = event.value, event.style or ""
            self.anchor(node)
            self.put(node)
        elif name == "AliasEvent":
            self.alias(event)

    def node(self, kind: Literal["scalar", "map", "seq", "alias"], event: Any) -> Node:
        mark = event.start_mark
        return Node(
            kind,
            self.base + mark.index,
            self.base + event.end_mark.index,
            self.line + mark.line,
            mark.column,
            flow=bool(getattr(event, "flow_style", self.open and self.open[-1].flow)),
            anchor=event.anchor or "",
            tag=str(getattr(event, "tag", None) or ""),
        )

    def anchor(self, node: Node) -> None:
        if node.anchor:
            self.anchors.pop(node.anchor, None)  # known once it is complete

    def alias(self, event: Any) -> None:
        node = self.node("alias", event)
        node.text, node.anchor = node.anchor, ""
        node.target = self.anchors.get(node.text)
        if node.target is None:
            raise NotReadError(f"the alias *{node.text[:60]} has no anchor before it.", node.line)
        node.expanded = node.target.expanded
        self.put(node)

    def close(self, event: Any) -> None:
        node = self.open.pop()
        if self.waiting.pop() is not None:
            raise NotReadError("a key has no value.", node.line)
        node.end = self.base + event.end_mark.index
        self.put(node)

    def put(self, node: Node) -> None:
        if node.anchor:
            self.anchors[node.anchor] = node
        if not self.open:
            self.root = node
            return
        parent = self.open[-1]
        parent.expanded += node.expanded
        if parent.expanded > MAX_EXPANDED:
            raise GuardError("its aliases make far too much of it.", node.line)
        if parent.kind == "seq":
            parent.items.append(node)
        elif self.waiting[-1] is None:
            self.waiting[-1] = node
        else:
            self.pair(parent, self.waiting[-1], node)
            self.waiting[-1] = None

    def pair(self, parent: Node, key: Node, value: Node) -> None:
        parent.pairs.append((key, value))
        if value.start == value.end:  # the reader says where the next part starts
            colon = _COLON.match(self.text, key.end)
            value.start = value.end = colon.end() if colon else key.end
        if key.kind not in {"scalar", "alias"}:
            raise NotReadError("a key that is itself a list or a set of keys.", key.line)


def doubled(root: Node) -> Node | None:
    """Return the first key that stands twice in one mapping."""
    for node in root.walk():
        seen: set[str] = set()
        for key, _ in node.pairs:
            if key.real.text in seen:
                return key
            seen.add(key.real.text)
    return None
