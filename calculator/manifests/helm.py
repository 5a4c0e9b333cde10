"""Helm values: the keys by which a chart takes volumes, or its own setting of /dev/shm."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from calculator.manifests import literals
from calculator.manifests.answer import Draft, Stopped, listed, memory_room
from calculator.manifests.choosing import Candidate, asks_gpu, choose
from calculator.manifests.emptydir import size_volume
from calculator.manifests.mounts import SHM, is_shm
from calculator.manifests.settings import mend_setting
from calculator.manifests.tree import Document, Node
from calculator.manifests.volume import add_item
from calculator.manifests.words import say
from calculator.units import GRAMMARS

_VOLUMES: Final = re.compile(r"(?P<prefix>[A-Za-z]{0,30}?)[vV]olumes")
_MOUNTS: Final = "olumeMounts"
_USUAL: Final = "extraVolumes, extraVolumeMounts, volumes, volumeMounts"


@dataclass(frozen=True)
class Place:
    """A mapping of the values that takes volumes."""

    path: str
    node: Node
    volumes: str
    mounts: str


def plan(draft: Draft, document: Document) -> None:
    """Plan the changes of the values of one chart.

    Raises:
        Stopped: nothing is changed, and why.
    """
    root = document.root
    if root is None:
        raise Stopped("refuse", say("says", "not_known"))
    for hub in (root, root.get("jupyterhub")):
        user = hub.get("singleuser") if hub is not None else None
        if hub is not None and user is not None:
            _jupyterhub(draft, hub, user)
            draft.done(document, "", "singleuser")
            return
    places = _places(root, "")
    if not places:
        found = mend_setting(draft, root)
        if not found:
            draft.warn("chart_key_unknown", keys=_USUAL)
            draft.snippet = snippet(draft.write("kubernetes"))
            raise Stopped("advise", say("says", "chart"))
        draft.done(document, "", found)
        return
    place = _chosen(draft, places)
    _mend(draft, place, f"{place.path or 'the chart'}")
    draft.done(document, "", place.path)


def snippet(size: str) -> str:
    """Return what to put into the values of a chart that takes volumes."""
    return (
        f"extraVolumes:\n  - name: dshm\n    emptyDir:\n      medium: Memory\n"
        f"      sizeLimit: {size}\n"
        f"extraVolumeMounts:\n  - name: dshm\n    mountPath: {SHM}\n"
    )


def _places(node: Node, path: str) -> list[Place]:
    """Find the mappings that have keys for volumes, not looking into those."""
    found = []
    for name, _ in node.pairs:
        match = _VOLUMES.fullmatch(name.text)
        if match is None:
            continue
        prefix = match["prefix"]
        mounts = next((key for key in node.names() if key.endswith(_MOUNTS)), None)
        default = f"{prefix}VolumeMounts" if prefix else "volumeMounts"
        found = [Place(path, node, name.text, mounts or default)]
        if prefix:
            break
    if not found and any(key.endswith(_MOUNTS) for key in node.names()):
        key = next(key for key in node.names() if key.endswith(_MOUNTS))
        found = [Place(path, node, key.removesuffix(_MOUNTS) + "olumes", key)]
    for name, value in node.pairs:
        if value.kind == "map" and not _VOLUMES.fullmatch(name.text):
            found += _places(value, f"{path}.{name.text}".strip("."))
    return found


def _chosen(draft: Draft, places: list[Place]) -> Place:
    wanted = draft.container
    if wanted:
        named = [each for each in places if wanted in {each.path, each.path.rpartition(".")[2]}]
        if len(named) == 1:
            return named[0]
    each = [
        Candidate(
            place.path,
            asks_gpu(place.node.get("resources")),
            SHM in " ".join(node.text for node in place.node.walk()),
            place.path.lower(),
        )
        for place in places
    ]
    left = choose(each)
    if len(left) > 1:
        names = tuple(places[i].path or "the top level" for i in left)
        text = say("says", "ask_chart", names=listed(list(names)), size=draft.size)
        raise Stopped("ask", text, choices=names)
    return places[left[0]]


def _mend(draft: Draft, place: Place, where: str) -> None:
    limit = place.node.say("resources", "limits", "memory")
    memory_room(draft, where, literals.kubernetes(limit).bytes if limit else None, draft.shm_bytes)
    _into(draft, place.node, place.volumes, place.mounts, where)


def _jupyterhub(draft: Draft, hub: Node, user: Node) -> None:
    """Give every user's server a volume; G and M of its memory are powers of 1024."""
    limit = user.say("memory", "limit")
    if limit and re.fullmatch(r"[\d.]{1,12}[KMGT]?", limit):
        memory_room(draft, "singleuser", GRAMMARS["docker"].read(limit), draft.shm_bytes)
    storage = user.get("storage")
    data = {"extraVolumes": [_volume(draft)], "extraVolumeMounts": [_mount("dshm")]}
    why = draft.why("chart_volume")
    if user.is_null:
        draft.editor.set_value(hub, "singleuser", {"storage": data}, why)
    elif storage is None or storage.is_null or storage.is_empty:
        draft.editor.set_value(user, "storage", data, why)
    else:
        _into(draft, storage, "extraVolumes", "extraVolumeMounts", "singleuser")


def _volume(draft: Draft, name: str = "dshm") -> dict[str, Any]:
    return {"name": name, "emptyDir": {"medium": "Memory", "sizeLimit": draft.write("kubernetes")}}


def _mount(name: str) -> dict[str, Any]:
    return {"name": name, "mountPath": SHM}


def _rows(node: Node | None) -> list[Node]:
    """Return the entries of a list, or of a mapping that is used as one."""
    if node is None:
        return []
    return node.entries() or [value.real for _, value in node.real.pairs]


def _into(draft: Draft, node: Node, volumes: str, mounts: str, where: str) -> None:
    """Add the volume and its mount, or give the size to the one that is there."""
    rows = [each for each in _rows(node.get(volumes)) if each.kind == "map"]
    by_name = {each.say("name") or "": each for each in rows}
    for mount in _rows(node.get(mounts)):
        if mount.kind == "map" and is_shm(mount.say("mountPath") or ""):
            volume = by_name.get(mount.say("name") or "")
            if volume is not None:
                size_volume(draft, volume, where)
            else:
                _add(
                    draft,
                    node,
                    volumes,
                    _volume(draft, mount.say("name") or "dshm"),
                    "chart_volume",
                )
            return
    name, count = "dshm", 1
    idle = by_name.get(name)
    if idle is not None and "emptyDir" in idle.names():
        draft.warn("volume_not_mounted", volume=name, where=where)
        size_volume(draft, idle, where)
    else:
        while name in by_name:
            count += 1
            name = f"dshm-{count}"
        _add(draft, node, volumes, _volume(draft, name), "chart_volume")
    _add(draft, node, mounts, _mount(name), "chart_mount")


def _add(draft: Draft, node: Node, key: str, item: dict[str, Any], reason: str) -> None:
    held = node.get(key)
    why = draft.why(reason)
    if held is not None and held.kind == "map" and held.pairs:
        draft.editor.add(held, item["name"], item, why)
    elif held is not None and held.kind == "map" and not key.startswith("extra"):
        draft.editor.set_value(node, key, {item["name"]: item}, why)
    else:
        add_item(draft, node, key, item, why)
