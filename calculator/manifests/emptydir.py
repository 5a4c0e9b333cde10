"""A volume of a pod becomes memory of the size that is wanted."""

from __future__ import annotations

from typing import Final

from calculator.manifests import literals
from calculator.manifests.answer import Draft
from calculator.manifests.tree import Node
from calculator.units import size

SOURCE: Final = "emptyDir"
_MISSPELLED: Final = {"size", "sizelimit", "size_limit", "sizelimits", "limit", "sizeinmemory"}


def is_memory(volume: Node) -> bool:
    """Whether a volume is an emptyDir in memory."""
    return (volume.say(SOURCE, "medium") or "").lower() == "memory"


def size_volume(draft: Draft, volume: Node, where: str) -> None:
    """Make a volume memory, and give it a limit that is enough."""
    if id(volume) in draft.sized:
        return
    draft.sized.add(id(volume))
    name = volume.say("name") or ""
    node = volume.get(SOURCE)
    new = draft.write("kubernetes")
    if node is None or node.is_empty or node.kind != "map":
        draft.warn("wrong_medium", volume=name, medium="on the node's disk")
        why = draft.why("medium", volume=name)
        draft.editor.set_value(volume, SOURCE, {"medium": "Memory", "sizeLimit": new}, why)
        return
    medium = node.say("medium")
    if medium != "Memory":
        there = "on the node's disk" if not medium else f"of the medium {medium}"
        draft.warn("wrong_medium", volume=name, medium=there)
        draft.editor.set_value(node, "medium", "Memory", draft.why("medium", volume=name))
    _limit(draft, node, name, where)


def _limit(draft: Draft, node: Node, name: str, where: str) -> None:
    new, why = draft.write("kubernetes"), draft.why("limit", volume=name)
    for key, value in node.pairs:
        if key.text.lower() in _MISSPELLED and key.text != "sizeLimit":
            draft.warn("unknown_key", key=key.text, where=f"volume {name}")
            if node.own("sizeLimit") is None and value.kind == "scalar":
                draft.editor.set_scalar(key, "sizeLimit", why)
                draft.editor.set_scalar(value, new, why)
                return
            draft.editor.remove(node, key, why)
    had = node.get("sizeLimit")
    if had is None or had.is_null or had.kind != "scalar":
        draft.warn("sizelimit_missing", volume=name)
        draft.editor.set_value(node, "sizeLimit", new, why)
        return
    found = literals.kubernetes(had.text)
    if found.problem:
        draft.warn(found.problem, literal=found.text, right=new, where=f"volume {name}")
    enough = literals.same_or_above(found.bytes, draft.shm_bytes)
    if found.bytes is not None and not enough:
        draft.warn(
            "existing_smaller", where=f"volume {name}", had=size(found.bytes), size=draft.size
        )
    if enough and not found.problem and found.bytes is not None:
        if found.bytes > literals.rounded(draft.shm_bytes):
            draft.warn(
                "existing_larger", where=f"volume {name}", had=size(found.bytes), size=draft.size
            )
        draft.keep("enough", where=where, had=size(found.bytes))
        return
    draft.editor.set_value(node, "sizeLimit", new, why)
