"""Kubeflow Trainer's TrainJob: it has no pod template, so the volume goes into a patch of one."""

from __future__ import annotations

from typing import Any, Final

from calculator.manifests import literals
from calculator.manifests.answer import Draft, memory_room
from calculator.manifests.emptydir import size_volume
from calculator.manifests.mounts import SHM, is_shm
from calculator.manifests.pods import owner
from calculator.manifests.tree import Document, Node

CONTAINER: Final = "node"
"""What the runtimes that come with Kubeflow Trainer call job and container."""

_OLD: Final = ("podTemplateOverrides", "podSpecOverrides")
_MANAGER: Final = "trainer.kubeflow.org/kubeflow-sdk"


def mend(draft: Draft, document: Document, job: Node) -> None:
    """Plan the patch of one job."""
    where = f"container {CONTAINER}"
    limit = job.say("spec", "trainer", "resourcesPerNode", "limits", "memory")
    if limit is None:
        draft.warn("no_memory_limit", where=where)
        if job.say("spec", "trainer", "resourcesPerNode", "requests", "memory"):
            draft.warn("requests_not_limits", where=where)
    else:
        memory_room(draft, where, literals.kubernetes(limit).bytes, draft.shm_bytes)
    draft.note("trainer", container=CONTAINER)
    draft.done(document, owner(job), CONTAINER)
    spec = job.get("spec")
    volume = mounted(spec) if spec is not None else None
    if volume is not None:
        size_volume(draft, volume, where)
        return
    why = draft.why("patch")
    old = next((key for key in _OLD if spec is not None and spec.get(key) is not None), None)
    if spec is None or spec.is_null:
        draft.editor.set_value(job, "spec", {"runtimePatches": [_patch(draft)]}, why)
        return
    key, item = (old, _override(draft, old)) if old else ("runtimePatches", _patch(draft))
    held = spec.get(key)
    if held is not None and held.kind == "seq" and held.items:
        draft.editor.append(held, item, why)
    else:
        draft.editor.set_value(spec, key, [item], why)


def mounted(spec: Node) -> Node | None:
    """Return the volume that a patch of the job mounts on /dev/shm already."""
    volumes: dict[str, Node] = {}
    names: list[str] = []
    for key in ("runtimePatches", *_OLD):
        held = spec.get(key)
        for node in held.walk() if held is not None else ():
            if node.kind != "map":
                continue
            name = node.say("name") or ""
            if is_shm(node.say("mountPath") or ""):
                names.append(name)
            elif "emptyDir" in node.names():
                volumes[name] = node
    return next((volumes[name] for name in names if name in volumes), None)


def _pod(draft: Draft) -> dict[str, Any]:
    size = draft.write("kubernetes")
    return {
        "containers": [{"name": CONTAINER, "volumeMounts": [{"name": "dshm", "mountPath": SHM}]}],
        "volumes": [{"name": "dshm", "emptyDir": {"medium": "Memory", "sizeLimit": size}}],
    }


def _patch(draft: Draft) -> dict[str, Any]:
    job = {"name": CONTAINER, "template": {"spec": {"template": {"spec": _pod(draft)}}}}
    spec = {"template": {"spec": {"replicatedJobs": [job]}}}
    return {"manager": _MANAGER, "trainingRuntimeSpec": spec}


def _override(draft: Draft, key: str) -> dict[str, Any]:
    """Write the patch as Kubeflow Trainer up to 2.1 reads it."""
    head: dict[str, Any] = {"targetJobs": [{"name": CONTAINER}]}
    return {**head, **(_pod(draft) if key == "podSpecOverrides" else {"spec": _pod(draft)})}
