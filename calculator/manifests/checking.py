"""Holds a mended document against the one before: only what was meant may differ."""

from __future__ import annotations

from collections.abc import Mapping

from calculator.manifests.editing import Editor
from calculator.manifests.tree import Node
from calculator.manifests.writing import Data


def as_meant(old: Node, new: Node, editor: Editor) -> bool:
    """Whether `new` is `old` with exactly the editor's changes."""
    if id(old) in editor.values:
        return says(new, editor.values[id(old)])
    if (old.kind, old.anchor, old.tag, old.text, old.style) != (
        new.kind, new.anchor, new.tag, new.text, new.style
    ):  # fmt: skip
        return False
    return _pairs(old, new, editor) and _items(old, new, editor)


def _pairs(old: Node, new: Node, editor: Editor) -> bool:
    added = dict(editor.added.get(id(old), ()))
    kept = [pair for pair in old.pairs if id(pair[0]) not in editor.removed]
    rest = []
    for name, value in new.pairs:
        if name.text in added:
            if not says(value, added.pop(name.text)):
                return False
        else:
            rest.append((name, value))
    return (
        not added
        and len(rest) == len(kept)
        and all(
            as_meant(a, c, editor) and as_meant(b, d, editor)
            for (a, b), (c, d) in zip(kept, rest, strict=True)
        )
    )


def _items(old: Node, new: Node, editor: Editor) -> bool:
    appended = editor.appended.get(id(old), [])
    kept = [item for item in old.items if id(item) not in editor.removed]
    if len(new.items) != len(kept) + len(appended):
        return False
    tail = new.items[len(kept) :]
    return all(as_meant(a, b, editor) for a, b in zip(kept, new.items, strict=False)) and all(
        says(a, b) for a, b in zip(tail, appended, strict=True)
    )


def says(node: Node, data: Data) -> bool:
    """Whether a part of a document is this data."""
    if isinstance(data, Mapping):
        return (
            node.kind == "map"
            and node.names() == list(data)
            and all(says(value, data[name.text]) for name, value in node.pairs)
        )
    if isinstance(data, str):
        return node.kind == "scalar" and node.text == data
    if isinstance(data, int):
        return node.kind == "scalar" and not node.style and node.text == str(data).lower()
    return (
        node.kind == "seq"
        and len(node.items) == len(data)
        and all(says(a, b) for a, b in zip(node.items, data, strict=True))
    )
