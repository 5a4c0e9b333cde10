"""New parts of a document as text, in the manner of the text around them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from calculator.manifests.tree import Node

Data = str | int | bool | Mapping[str, "Data"] | Sequence["Data"]
"""What is put into a document."""

_PLAIN: Final = re.compile(r"[A-Za-z/_][\w./-]*|\d+(?:[gmGM]|[GM]i)", re.ASCII)
_WIDEST: Final = 8
"""Steps of indentation beyond this are somebody's table, not a manner."""
_WORDS: Final = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}


@dataclass(frozen=True)
class Manner:
    """How a document is written: steps of its indentation, and its line end."""

    step: int = 2
    dash: int = 2
    newline: str = "\n"

    @classmethod
    def of(cls, root: Node, text: str) -> Manner:
        """Take the manner of the first block mapping and the first block list."""
        step = dash = None
        for node in root.walk():
            for _, value in node.pairs if not node.flow else ():
                if value.flow or value.anchor or value.tag or value.line == node.line:
                    continue
                if value.kind == "map" and step is None:
                    step = value.column - node.pairs[0][0].column
                if value.kind == "seq" and dash is None:
                    dash = value.column - node.pairs[0][0].column
            if step and dash is not None:
                break
        ends = text.find("\n")
        crlf = ends > 0 and text[ends - 1] == "\r"
        step = step if step and 0 < step <= _WIDEST else 2
        dash = dash if dash is not None and 0 <= dash <= _WIDEST else 2
        return cls(step, dash, "\r\n" if crlf else "\n")


def scalar(value: str | int | bool, *, quoted: bool = False) -> str:  # noqa: FBT001 - a value
    """Write one value; text that could be read as something else is quoted."""
    if not isinstance(value, str):
        return json.dumps(value)
    if quoted or not _PLAIN.fullmatch(value) or value.lower() in _WORDS:
        return json.dumps(value, ensure_ascii=False)
    return value


def flow(data: Data, *, quoted: bool = False) -> str:
    """Write data on one line; `quoted` as JSON wants it."""
    if isinstance(data, Mapping):
        inner = (f"{scalar(k, quoted=quoted)}: {flow(v, quoted=quoted)}" for k, v in data.items())
        return "{" + ", ".join(inner) + "}"
    if isinstance(data, str | int):
        return scalar(data, quoted=quoted)
    return "[" + ", ".join(flow(each, quoted=quoted) for each in data) + "]"


def block(data: Data, manner: Manner) -> list[str]:
    """Write data as lines without indentation."""
    if isinstance(data, Mapping):
        return [line for key, value in data.items() for line in entry(key, value, manner)]
    if isinstance(data, str | int):
        return [scalar(data)]
    return [line for each in data for line in item(each, manner)]


def entry(key: str, value: Data, manner: Manner) -> list[str]:
    """Write a key with its value as lines."""
    if isinstance(value, str | int):
        return [f"{scalar(key)}: {scalar(value)}"]
    if not value:
        return [f"{scalar(key)}: {flow(value)}"]
    width = manner.step if isinstance(value, Mapping) else manner.dash
    return [f"{scalar(key)}:", *(" " * width + line for line in block(value, manner))]


def item(value: Data, manner: Manner) -> list[str]:
    """Write one item of a list as lines."""
    lines = block(value, manner)
    return ["- " + lines[0], *("  " + line for line in lines[1:])]
