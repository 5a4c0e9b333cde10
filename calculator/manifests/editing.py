"""Changes to a text at the places its tree names; everything else stays as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from calculator.manifests.tree import Node
from calculator.manifests.writing import Data, Manner, entry, flow, item

_PROPERTIES: Final = re.compile(r"(?:[&!][^\s,\[\]{}]*[ \t]*)*")
_UNQUOTED: Final = re.compile(r"[/$](?:[\w/.,=${}?-]|:(?=\S))*", re.ASCII)
_BLANK: Final = re.compile(r"(?:[ \t\r\n\ufeff]|#[^\n]*)*")


class CannotEditError(ValueError):
    """The place is written in a way that is not changed safely."""


@dataclass(frozen=True)
class Span:
    """Text from `start` to `end` becomes `new`; whole new lines are indented by `column`."""

    start: int
    end: int
    new: str
    why: str
    column: int = 0


@dataclass
class Editor:
    """Collects changes to one text, as spans and as what they mean for the tree.

    The meaning, by the identity of a node: `values` become other data, `added` get entries,
    `appended` get items, `removed` go.  `why` stands beside each change.
    """

    text: str
    manner: Manner
    spans: list[Span] = field(default_factory=list)
    values: dict[int, Data] = field(default_factory=dict)
    added: dict[int, list[tuple[str, Data]]] = field(default_factory=dict)
    appended: dict[int, list[Data]] = field(default_factory=dict)
    removed: set[int] = field(default_factory=set)
    touched: list[Node] = field(default_factory=list)

    # ------------------------------------------------------------ single values

    def set_scalar(self, node: Node, value: str | bool, why: str) -> None:  # noqa: FBT001 - a value
        """Put another value in the place of one, quoted as it was."""
        start = node.start + len(_PROPERTIES.match(self.text, node.start, node.end)[0])  # type: ignore[index]
        new = flow(value, quoted=node.style == '"')
        if isinstance(value, str) and node.style == "'" and "'" not in value:
            new = f"'{value}'"
        plain = not node.style and not node.flow
        if isinstance(value, str) and plain and _UNQUOTED.fullmatch(value):
            new = value
        if node.style in {"|", ">"}:
            raise CannotEditError("a value is written over several lines")
        self._span(node, start if node.kind != "alias" else node.start, node.end, new, why)
        self.values[id(node)] = value

    def set_value(self, parent: Node, key: str, value: Data, why: str) -> None:
        """Give a key of a mapping another value, or the key itself where it is not there."""
        parent = parent.real
        pair = next((pair for pair in parent.pairs if pair[0].text == key), None)
        if pair is None:
            self.add(parent, key, value, why)
            return
        name, old = pair
        if isinstance(value, str) and old.kind == "scalar" and not old.is_null:
            self.set_scalar(old, value, why)
            return
        self.values[id(old)] = value
        if old.anchor or old.tag:
            raise CannotEditError(f"{key} carries an anchor or a tag")
        if parent.flow or isinstance(value, str | int):
            space = {" ": "", "\t": "", ":": " "}.get(self.text[old.start - 1], ": ")
            self._span(old, old.start, old.end, space + self._flow(parent, value), why)
            return
        lines = entry(key, value, self.manner)
        if old.kind in {"scalar", "alias"} or old.flow:
            self._block_after(name, old, lines[1:], why)
        else:
            end = self.content_end(old)
            new = self.manner.newline.join([lines[0], *self._indented(lines[1:], name.column)])
            self._span(old, name.start, end, new, why)

    def _block_after(self, name: Node, old: Node, lines: list[str], why: str) -> None:
        """Take a value on the key's line away, and write the new one below that line."""
        if old.start != old.end:
            start = old.start
            while self.text[start - 1] in " \t":
                start -= 1
            self._span(old, start, old.end, "", why)
        self._insert(self.line_end(old.end), self._indented(lines, name.column), why, old)

    # ------------------------------------------------------------ entries and items

    def add(self, node: Node, key: str, value: Data, why: str, *, after: str = "") -> None:
        """Add an entry to a mapping, at its end or after a key."""
        node = node.real
        if node.kind != "map" or not (node.pairs or node.flow):
            raise CannotEditError(f"{key} would stand in what is no set of keys")
        self.added.setdefault(id(node), []).append((key, value))
        if node.flow:
            quoted = bool(node.pairs) and all(name.style == '"' for name, _ in node.pairs)
            new = f"{flow(key, quoted=quoted)}: {flow(value, quoted=quoted)}"
            self._into_flow(node, node.pairs[-1] if node.pairs else None, new, why)
            return
        named = [pair for pair in node.pairs if pair[0].text == after]
        name, last = (named or node.pairs)[-1]
        lines = entry(key, value, self.manner)
        end = self._after(max(self.content_end(last), name.end), 0 if named else name.column)
        self._insert(end, self._indented(lines, node.pairs[0][0].column), why, node)

    def append(self, node: Node, value: Data, why: str) -> None:
        """Add an item to a list that has some."""
        node = node.real
        if node.kind != "seq" or not node.items:
            raise CannotEditError("an item would stand in what is no list")
        self.appended.setdefault(id(node), []).append(value)
        last = node.items[-1]
        if node.flow:
            new = flow(value, quoted=self._is_json(last))
            self._into_flow(node, (last, last), new, why)
            return
        dash = self._skip(node)
        column = dash - self.line_start(dash)
        as_flow = last.flow and last.kind == "map"
        lines = [f"- {flow(value)}"] if as_flow else item(value, self.manner)
        end = self._after(self.content_end(last), column + 1)
        self._insert(end, self._indented(lines, column), why, node)

    def remove(self, node: Node, child: Node, why: str) -> None:
        """Take an entry (named by its key) or an item away; not the only one."""
        node = node.real
        rows = node.pairs if node.kind == "map" else [(each, each) for each in node.items]
        if len(rows) < 2:  # noqa: PLR2004 - one is left
            raise CannotEditError("the only entry of its kind cannot be taken away")
        at = next(i for i, row in enumerate(rows) if row[0] is child)
        name, value = rows[at]
        self.removed.add(id(name))
        if node.flow:
            start, end = (rows[at - 1][1].end, value.end) if at else (name.start, rows[1][0].start)
            self._span(name, start, end, "", why)
            return
        start = self.line_start(name.start)
        first = self.text[start : name.start].strip(" \t")
        if first in {"", "-"} and (node.kind == "seq" or not first):
            end = self.line_end(max(self.content_end(value), name.end))
            end = end + 1 if end < len(self.text) else end
            self._span(name, start, end, "", why)
        elif at == 0 and node.kind == "map":
            self._span(name, name.start, rows[1][0].start, "", why)
        else:
            raise CannotEditError("an entry shares its line with others")

    # ------------------------------------------------------------ places

    def content_end(self, node: Node) -> int:
        """Where a part ends, without the blank lines and comments that follow it."""
        if node.kind == "scalar" and node.style in {"|", ">"}:
            said = self.text[node.start : node.end]
            keeps = "+" in said.partition("\n")[0].partition("#")[0]
            return (
                node.end - 1 if keeps and said.endswith("\n") else node.start + len(said.rstrip())
            )
        if node.flow or node.kind in {"scalar", "alias"}:
            return node.end
        if node.kind == "map":
            name, last = node.pairs[-1]
            return max(name.end, self.content_end(last))
        return self.content_end(node.items[-1])

    def line_start(self, at: int) -> int:
        """Where the line of a place starts."""
        return self.text.rfind("\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Where the line of a place ends: its line feed, or the end of the text."""
        found = self.text.find("\n", at)
        return len(self.text) if found < 0 else found

    def _after(self, at: int, column: int) -> int:
        """The end of the line of a place, and of the comments that directly follow, as deep."""
        end = self.line_end(at)
        while column and end < len(self.text):
            stop = self.line_end(end + 1)
            line = self.text[end + 1 : stop]
            said = line.lstrip(" ")
            if not said.startswith("#") or len(line) - len(said) < column:
                break
            end = stop
        return end

    def _skip(self, node: Node) -> int:
        """Where a part starts behind its anchor, tag and comments."""
        at = node.start + len(_PROPERTIES.match(self.text, node.start)[0])  # type: ignore[index]
        return at + len(_BLANK.match(self.text, at)[0])  # type: ignore[index]

    # ------------------------------------------------------------ text

    def _indented(self, lines: list[str], column: int) -> list[str]:
        return [" " * column + line for line in lines]

    def _insert(self, end: int, lines: list[str], why: str, node: Node) -> None:
        """Put lines below the line that ends at `end`."""
        new = self.manner.newline.join(lines)
        rest = self.text[end - 1 : end] == "\r"
        at = end - 1 if rest and self.text[end : end + 1] == "\n" else end
        column = len(lines[0]) - len(lines[0].lstrip(" "))
        self._span(node, at, at, self.manner.newline + new, why, column=column)

    def _into_flow(self, node: Node, last: tuple[Node, Node] | None, new: str, why: str) -> None:
        if last is None:
            start = self._skip(node) + 1
            self._span(node, start, node.end - 1, new, why)
            return
        name, value = last
        start = self.line_start(name.start)
        indent = self.text[start : name.start]
        line = (
            self.manner.newline + indent if not indent.strip(" \t") and start > node.start else " "
        )
        end = max(name.end, value.end)
        self._span(node, end, end, f",{line}{new}", why)

    def _flow(self, parent: Node, value: Data) -> str:
        return flow(
            value, quoted=any(name.style == '"' for name, _ in parent.pairs) and parent.flow
        )

    def _is_json(self, node: Node) -> bool:
        return bool(node.pairs) and all(name.style == '"' for name, _ in node.pairs)

    def _span(
        self, node: Node, start: int, end: int, new: str, why: str, *, column: int = 0
    ) -> None:
        self.spans.append(Span(start, end, new, why, column))
        self.touched.append(node)

    def result(self) -> str:
        """Return the text with all changes made."""
        parts, at = [], 0
        for span in self.ordered():
            if span.start < at:
                raise CannotEditError("two changes meet in one place")
            parts += [self.text[at : span.start], span.new]
            at = span.end
        return "".join([*parts, self.text[at:]])

    def ordered(self) -> list[Span]:
        """Return the changes from the first place to the last.

        Of lines put into one place the deepest come first: they end what stands above them.
        """
        return sorted(self.spans, key=lambda span: (span.start, span.end, -span.column))
