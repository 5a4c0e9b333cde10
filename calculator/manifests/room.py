"""The memory limit of a container beside its /dev/shm."""

from __future__ import annotations

from calculator.manifests import literals
from calculator.manifests.answer import Draft, listed, memory_room
from calculator.manifests.pods import Container, Pod
from calculator.manifests.tree import Node


def limit_of(node: Node | None) -> str | None:
    """Return the memory limit that stands in a container or pod."""
    return node.say("resources", "limits", "memory") if node is not None else None


def _has(pod: Pod, container: Container) -> int:
    """Return what a container's /dev/shm may take already; 0 where nobody knows."""
    name = container.mount.say("name") if container.mount is not None else None
    for volume in pod.volumes():
        text = volume.say("emptyDir", "sizeLimit")
        if name and volume.say("name") == name and text:
            return literals.kubernetes(text).bytes or 0
    return 0


def remark(draft: Draft, pod: Pod, container: Container, where: str) -> None:
    """Warn of a limit that is close, missing, or without effect on the volume."""
    text = limit_of(container.node) or limit_of(pod.spec)
    if text is None:
        if container.node.get("image") is None and container.node.get("resources") is None:
            return  # a part of an object: the rest stands in another file
        draft.warn("no_memory_limit", where=where)
        if container.node.say("resources", "requests", "memory"):
            draft.warn("requests_not_limits", where=where)
        return
    found = literals.kubernetes(text)
    if found.problem in {"unit_invalid", "unit_milli"}:
        draft.warn(found.problem, literal=text, where=f"memory of {where}", right="such as 32Gi")
    memory_room(draft, where, found.bytes, max(draft.shm_bytes, _has(pod, container)))
    bare = [each.name for each in pod.containers if each.init and limit_of(each.node) is None]
    if bare and limit_of(pod.spec) is None:
        draft.warn("initcontainers_no_limit", names=listed(bare))
