"""One container of a pod gets its memory volume on /dev/shm."""

from __future__ import annotations

import re
from typing import Final

from calculator.manifests import room
from calculator.manifests.answer import Draft
from calculator.manifests.choosing import known
from calculator.manifests.editing import CannotEditError
from calculator.manifests.emptydir import SOURCE, is_memory, size_volume
from calculator.manifests.mounts import SHM, is_shm
from calculator.manifests.pods import Container, Pod
from calculator.manifests.shm_keys import find
from calculator.manifests.tree import Node
from calculator.manifests.writing import Data

_NEAR: Final = re.compile(
    r"/?(?:dev|run|var|tmp|mnt)?/?\w{0,12}(?:shm|shared)\w{0,12}/?", re.IGNORECASE
)


def mend_pod(draft: Draft, pod: Pod, container: Container) -> None:
    """Plan the changes for one container of one pod."""
    where = f"container {container.name}"
    if (id(pod.spec), container.name) in draft.seen:
        return  # the same part of the file, through an alias
    draft.seen.add((id(pod.spec), container.name))
    _remark(draft, pod, container, where)
    draft.done(pod.document, pod.owner, container.name)
    if _host_ipc(draft, pod, container, where):
        return
    mount = container.mount
    if mount is not None:
        _mounted(draft, pod, mount, where)
    elif pod.operator == "kuberay" and not pod.group.at("rayStartParams", "plasma-directory"):
        draft.warn("kuberay_auto_shm")
        draft.keep("kuberay", where=where)
    elif not _near(draft, pod, container, where):
        _mount(draft, pod, container, _volume(draft, pod, where), where)


def _remark(draft: Draft, pod: Pod, container: Container, where: str) -> None:
    if pod.guessed:
        draft.warn("unknown_kind", kind=pod.kind, path=pod.path)
    if container.node.get("image") is None and pod.path != "spec.predictor":
        draft.note("pod_guessed", where=where)
    room.remark(draft, pod, container, where)
    said = " ".join(container.words("command", "args"))
    if "--shm-size" in said and " run " not in said:
        draft.warn("command_flag_misplaced", where=where)
    if not pod.guessed:
        _misplaced(draft, pod.spec, "the pod")
        _misplaced(draft, container.node, where)


def _misplaced(draft: Draft, node: Node, where: str) -> None:
    for name, _ in find(node):
        draft.warn("unknown_key", key=name.text, where=where)
        draft.editor.remove(node, name, draft.why("misplaced", key=name.text))


def _host_ipc(draft: Draft, pod: Pod, container: Container, where: str) -> bool:
    """Say what host IPC means, and end it where a person asked for that; whether it stays."""
    if pod.spec.say("hostIPC") not in {"true", "True"}:
        return False
    draft.warn("host_ipc_security", where=where)
    policy = draft.wanted("policy")
    if policy == "host" and container.mount is None:
        draft.keep("host_kept", where=where)
        return True
    name = next((name for name, _ in pod.spec.pairs if name.text == "hostIPC"), None)
    if policy == "private" and name is not None:
        draft.editor.remove(pod.spec, name, draft.why("host_ipc"))
    return False


# ---------------------------------------------------------------- something is mounted


def _mounted(draft: Draft, pod: Pod, mount: Node, where: str) -> None:
    """Give the size to the volume that is mounted, or mount another one."""
    if mount.say("readOnly") in {"true", "True"}:
        draft.warn("mount_read_only", where=where)
        own = mount.own("readOnly") or mount
        draft.editor.set_scalar(own, value=False, why=draft.why("writable", where=where))
    name = mount.say("name") or ""
    volume = next((each for each in pod.volumes() if each.say("name") == name), None)
    if volume is None and not _is_claimed(pod, name):
        _add_volume(draft, pod, name or "dshm")
        return
    if volume is not None and ("emptyDir" in volume.names() or _is_bare(volume)):
        size_volume(draft, volume, where)
        return
    path = volume.say("hostPath", "path") if volume is not None else None
    if volume is not None and path is not None:
        _host_path(draft, volume, path, where)
        return
    draft.warn("wrong_medium", volume=name, medium="a volume on disk")
    new = _volume(draft, pod, where)
    draft.editor.set_value(mount, "name", new, draft.why("other_volume", where=where, volume=name))


def _is_claimed(pod: Pod, name: str) -> bool:
    node = pod.root.at("spec", "volumeClaimTemplates")
    return any(each.say("metadata", "name") == name for each in (node.entries() if node else ()))


def _is_bare(volume: Node) -> bool:
    return volume.names() == ["name"]


def _host_path(draft: Draft, volume: Node, path: str, where: str) -> None:
    """Make memory of the pod's own out of a path of the host."""
    name = volume.say("name") or ""
    if is_shm(path):
        draft.warn("hostpath_shm", where=where)
        if draft.wanted("policy") == "host":
            draft.keep("host_kept", where=where)
            return
    else:
        draft.warn("wrong_medium", volume=name, medium="a folder of the host")
    key = next(key for key, _ in volume.pairs if key.text == "hostPath")
    why = draft.why("medium", volume=name)
    draft.editor.remove(volume, key, why)
    data = {"medium": "Memory", "sizeLimit": draft.write("kubernetes")}
    draft.editor.add(volume, SOURCE, data, why, after="name")


def _near(draft: Draft, pod: Pod, container: Container, where: str) -> bool:
    """Move a mount that was meant for /dev/shm and missed it; whether there was one."""
    for mount in container.mounts():
        name, path = mount.say("name") or "", mount.say("mountPath") or ""
        volume = next((each for each in pod.volumes() if each.say("name") == name), None)
        own = mount.own("mountPath")
        if volume is None or own is None or not (is_memory(volume) or _is_named_so(name)):
            continue
        if "emptyDir" not in volume.names() or not (_NEAR.fullmatch(path) or _is_named_so(name)):
            continue
        draft.warn("mount_path_suspicious", where=where, volume=name, path=path)
        if path.rstrip("/").startswith(SHM + "/"):
            return False
        draft.editor.set_scalar(own, SHM, draft.why("path", where=where))
        size_volume(draft, volume, where)
        return True
    return False


def _is_named_so(name: str) -> bool:
    return name.lower() in known()["volume_names"]


# ---------------------------------------------------------------- nothing is mounted


def _volume(draft: Draft, pod: Pod, where: str) -> str:
    """Return the name of a volume to mount: one that is there for it, or a new one."""
    if (id(pod.spec), "") in draft.names:
        return draft.names[id(pod.spec), ""]
    mounted = {mount.say("name"): mount for each in pod.containers for mount in each.mounts()}
    for volume in pod.volumes():
        name = volume.say("name") or ""
        mount = mounted.get(name)
        if mount is None and (
            is_memory(volume) or (_is_named_so(name) and "emptyDir" in volume.names())
        ):
            draft.warn("volume_not_mounted", volume=name, where=where)
            size_volume(draft, volume, where)
            return name
        if mount is not None and is_memory(volume) and is_shm(mount.say("mountPath") or ""):
            size_volume(draft, volume, where)
            return name
    name = _free_name(draft, pod)
    draft.names[id(pod.spec), ""] = name
    _add_volume(draft, pod, name)
    return name


def _free_name(draft: Draft, pod: Pod) -> str:
    taken = {volume.say("name") for volume in pod.volumes()}
    name, count = "dshm", 1
    while name in taken or _is_claimed(pod, name):
        count += 1
        name = f"dshm-{count}"
    if name != "dshm":
        draft.warn("volume_name_taken", taken="dshm", name=name)
    return name


def _add_volume(draft: Draft, pod: Pod, name: str) -> None:
    size = draft.write("kubernetes")
    data: Data = {"name": name, SOURCE: {"medium": "Memory", "sizeLimit": size}}
    add_item(draft, pod.spec, "volumes", data, draft.why("volume", volume=name))


def _mount(draft: Draft, pod: Pod, container: Container, name: str, where: str) -> None:
    why = draft.why("mount", where=where, volume=name)
    add_item(draft, container.node, "volumeMounts", {"name": name, "mountPath": SHM}, why)
    shared = [each.name for each in pod.containers if each.node is container.node]
    if len(shared) > 1:
        raise CannotEditError("two containers share one part of the file")


def add_item(draft: Draft, node: Node, key: str, item: Data, why: str) -> None:
    """Add an item to a list of a mapping; the list is made where it is missing or empty."""
    held = node.get(key)
    if held is not None and held.kind == "seq" and held.items:
        draft.editor.append(held, item, why)
    elif held is None or held.is_empty:
        draft.editor.set_value(node, key, [item], why)
    else:
        raise CannotEditError(f"{key} is no list")
