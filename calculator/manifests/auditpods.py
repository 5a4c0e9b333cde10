"""What an audit says of the pods of one object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from calculator.manifests import literals, trainjob
from calculator.manifests.emptydir import SOURCE
from calculator.manifests.findings import Need, Needs, Place, Row, UnknownWorkloadError
from calculator.manifests.mounts import is_shm
from calculator.manifests.pods import Container, Pod, objects, pods
from calculator.manifests.room import limit_of
from calculator.manifests.tree import Document, Node
from calculator.units import size
from calculator.workload import DEFAULT_SHM_BYTES

ANNOTATION: Final = "shm-sizer/workload"
_CRIO: Final = ("shm-size.crio.io", "io.kubernetes.cri-o.ShmSize")


def rows(file: str, root: Node, line: int, needs: Needs) -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows of each container, with the object it belongs to."""
    for each in objects(root):
        for pod in pods(Document(0, 0, 0, line, each)):
            owner = _owner(pod.root, pod.owner)
            for container in pod.mains():
                place = Place(file, each.line or line, owner, container.name)
                yield owner, list(_rows(place, pod, container, needs))
        if each.say("kind") == "TrainJob":
            name = _owner(each, f"TrainJob/{each.say('metadata', 'name') or '?'}")
            place = Place(file, each.line or line, name, trainjob.CONTAINER)
            yield name, list(_trainjob(place, each, needs))


def _owner(root: Node, name: str) -> str:
    space = root.say("metadata", "namespace")
    return f"{space}/{name}" if space else name


def _rows(place: Place, pod: Pod, container: Container, needs: Needs) -> Iterator[Row]:
    need: Need | None = None
    workload = annotation(pod.root) or _of_template(pod)
    if _concerned(pod, container):
        try:
            need = needs(place.file, place.owner, workload)
        except UnknownWorkloadError as error:
            yield place.row("unknown_workload", workload=workload or place.owner, why=str(error))
    if pod.spec.say("hostIPC") in {"true", "True"}:
        yield place.row("host_ipc_security")
        if container.mount is None:
            return
    if container.mount is not None:
        yield from _mounted(place, pod, container, need)
    elif pod.operator != "kuberay":
        yield from _bare(place, pod, container, need)


def annotation(root: Node) -> str:
    """Return the workload that an object says it runs."""
    return root.say("metadata", "annotations", ANNOTATION) or ""


def _of_template(pod: Pod) -> str:
    """Return the workload that the pod's own template names."""
    keys = pod.path.split(".")[:-1] if pod.path.endswith("spec") else []
    node: Node | None = pod.root
    for key in keys:
        if node is not None:
            node = node.entries()[int(key)] if node.kind == "seq" else node.get(key)
    return annotation(node) if node is not None else ""


def _concerned(pod: Pod, container: Container) -> bool:
    """Whether a workload that is named for the pod is this container's."""
    if pod.has_gpu:
        return container.has_gpu
    return not container.candidate().serves or len(pod.mains()) == 1


def _bare(place: Place, pod: Pod, container: Container, need: Need | None) -> Iterator[Row]:
    """Say what it means to have nothing on /dev/shm."""
    crio = next((text for key in _CRIO if (text := _noted(pod, key))), None)
    had = literals.kubernetes(crio).bytes if crio else None
    if need is not None and (had or DEFAULT_SHM_BYTES) < need.bytes:
        text = size(had) if had else f"the runtime's {size(DEFAULT_SHM_BYTES)}"
        yield place.row("existing_smaller", had=text, workload=need.workload, need=size(need.bytes))
    elif need is None and had is None:
        serves = not _concerned(pod, container) or container.candidate().serves
        yield place.row("no_shm_serving" if serves else "no_shm")


def _noted(pod: Pod, key: str) -> str | None:
    return pod.root.say("metadata", "annotations", key)


def _mounted(place: Place, pod: Pod, container: Container, need: Need | None) -> Iterator[Row]:
    mount = container.mount
    name = (mount.say("name") if mount else None) or ""
    if mount is not None and mount.say("readOnly") in {"true", "True"}:
        yield place.row("mount_read_only")
    volume = next((each for each in pod.volumes() if each.say("name") == name), None)
    if volume is None:
        if not pod.guessed and pod.root.at("spec", "volumeClaimTemplates") is None:
            yield place.row("volume_missing")
        return
    if is_shm(volume.say("hostPath", "path") or ""):
        yield place.row("hostpath_shm")
        return
    if volume.say(SOURCE, "medium") != "Memory":
        yield place.row("wrong_medium")
        return
    yield from _sized(place, pod, container, volume, need)


def _sized(
    place: Place, pod: Pod, container: Container, volume: Node, need: Need | None
) -> Iterator[Row]:
    limit_text = limit_of(container.node) or limit_of(pod.spec)
    limit = literals.kubernetes(limit_text).bytes if limit_text else None
    text = volume.say(SOURCE, "sizeLimit")
    found = literals.kubernetes(text) if text else None
    if found is None:
        yield place.row("sizelimit_missing")
    elif found.problem:
        yield place.row(found.problem, literal=found.text)
    had = found.bytes if found else None
    if limit is None:
        yield place.row("no_memory_limit")
    elif had is not None and had > limit:
        yield place.row("shm_counts_toward_memory", had=size(had), limit=size(limit))
    elif had is not None and had * 10 >= limit * 8:
        yield place.row("shm_large_share_of_memory", had=size(had), limit=size(limit))
    effective = min((each for each in (had, limit) if each is not None), default=None)
    if need is not None and effective is not None and effective < need.bytes:
        values = {"workload": need.workload, "need": size(need.bytes)}
        yield place.row("existing_smaller", had=size(effective), **values)


def _trainjob(place: Place, job: Node, needs: Needs) -> Iterator[Row]:
    """Say what a job without a pod template has, as far as it says so itself."""
    spec = job.get("spec")
    volume = trainjob.mounted(spec) if spec is not None else None
    text = volume.say(SOURCE, "sizeLimit") if volume is not None else None
    had = literals.kubernetes(text).bytes if text else None
    workload = annotation(job)
    try:
        need = needs(place.file, place.owner, workload)
    except UnknownWorkloadError as error:
        yield place.row("unknown_workload", workload=workload or place.owner, why=str(error))
        return
    if volume is None and need is None:
        yield place.row("no_shm")
    elif need is not None and (had or DEFAULT_SHM_BYTES) < need.bytes:
        values = {"workload": need.workload, "need": size(need.bytes)}
        yield place.row("existing_smaller", had=size(had or DEFAULT_SHM_BYTES), **values)
