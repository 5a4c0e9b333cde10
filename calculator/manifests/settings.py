"""A chart's own setting of /dev/shm: shmSize, or a mapping with enabled and a size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from calculator.manifests import literals
from calculator.manifests.answer import Draft
from calculator.manifests.mounts import is_shm
from calculator.manifests.tree import Node
from calculator.units import size

_NAMES: Final = {
    "shm",
    "dshm",
    "devshm",
    "shmsize",
    "shmsizelimit",
    "shmvolume",
    "sharedmemory",
} | {
    "sharedmemorysize",
    "sharedmemorysizelimit",
}
_SIZES: Final = {"size", "sizelimit", "limit"}


def _plain(key: str) -> str:
    return key.lower().replace("_", "").replace("-", "")


def _settings(node: Node, path: str) -> Iterator[tuple[str, Node, Node, Node]]:
    for name, value in node.pairs:
        place = f"{path}.{name.text}".strip(".")
        if _plain(name.text) in _NAMES or is_shm(value.say("mountPath") or ""):
            yield place, node, name, value.real
        elif value.kind in {"map", "seq"}:
            yield from _settings(value, place)
    for i, each in enumerate(node.items):
        yield from _settings(each, f"{path}.{i}")


def mend_setting(draft: Draft, root: Node) -> str:
    """Give the chart's own settings the size; return where the first stands, empty where none."""
    first = ""
    for place, parent, name, value in _settings(root, ""):
        if value.kind == "map":
            done = _mapping(draft, place, value)
        else:
            done = _scalar(draft, place, parent, name.text, value)
        first = first or (place if done else "")
    if first:
        draft.warn("chart_key_unknown", keys=first)
    return first


def _scalar(draft: Draft, place: str, parent: Node, key: str, value: Node) -> bool:
    if value.kind != "scalar" or value.text in {"true", "false"}:
        return False
    had = literals.kubernetes(value.text) if value.text.strip() and not value.is_null else None
    if had is not None and had.bytes is not None and not had.problem:
        if had.bytes >= draft.shm_bytes:
            draft.keep("enough", where=place, had=size(had.bytes))
            return True
        draft.warn("existing_smaller", where=place, had=size(had.bytes), size=draft.size)
    elif had is not None and had.problem:
        right = draft.write("kubernetes")
        draft.warn(had.problem, literal=value.text, right=right, where=place)
    draft.editor.set_value(parent, key, draft.write("kubernetes"), draft.why("chart_size"))
    return True


def _mapping(draft: Draft, place: str, value: Node) -> bool:
    inside = value.get("volumeOptions")
    if inside is not None and inside.own("sizeLimit") is not None:
        return _mapping(draft, f"{place}.volumeOptions", inside)
    key = next((each for each in value.names() if _plain(each) in _SIZES), None)
    enabled = value.own("enabled")
    if key is None and enabled is None:
        return False
    if enabled is not None and enabled.real.text.lower() == "false":
        draft.editor.set_scalar(enabled, value=True, why=draft.why("chart_size"))
    inner = value.get(key) if key else None
    if inner is not None and key is not None:
        return _scalar(draft, f"{place}.{key}", value, key, inner)
    draft.editor.set_value(value, "sizeLimit", draft.write("kubernetes"), draft.why("chart_size"))
    return True
