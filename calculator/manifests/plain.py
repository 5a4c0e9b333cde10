"""Objects that came as JSON, as the tree that the readers of pods walk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calculator.manifests.tree import MAX_DEPTH, Node

_HEAD: Final = ("name", "generateName", "namespace", "annotations", "labels")


def tree(data: Mapping[str, Any]) -> Node:
    """Return an object as a tree, without what nobody asks for: status, managed fields."""
    head = data.get("metadata")
    kept = {key: head[key] for key in _HEAD if key in head} if isinstance(head, Mapping) else {}
    rest = {key: value for key, value in data.items() if key not in {"metadata", "status"}}
    return _node({**rest, "metadata": kept}, 0)


def _node(value: Any, depth: int) -> Node:
    if depth > MAX_DEPTH:
        return _scalar("")
    if isinstance(value, Mapping):
        node = Node("map", 0, 0, 0, 0)
        node.pairs = [(_scalar(str(key)), _node(each, depth + 1)) for key, each in value.items()]
        return node
    if isinstance(value, list):
        node = Node("seq", 0, 0, 0, 0)
        node.items = [_node(each, depth + 1) for each in value]
        return node
    if isinstance(value, bool):
        return _scalar("true" if value else "false")
    return _scalar("" if value is None else str(value), '"' if isinstance(value, str) else "")


def _scalar(text: str, style: str = "") -> Node:
    return Node("scalar", 0, 0, 0, 0, text=text, style=style)
