"""One service of a Compose file gets its /dev/shm."""

from __future__ import annotations

from dataclasses import dataclass

from calculator.manifests import literals
from calculator.manifests.answer import Draft, Stopped, memory_room
from calculator.manifests.editing import Editor
from calculator.manifests.mounts import Covered, cover, swarm_volume
from calculator.manifests.shm_keys import find_deep, means_size
from calculator.manifests.tree import Document, Node
from calculator.manifests.words import say
from calculator.units import GRAMMARS, size

_SWARM = ("placement", "update_config", "rollback_config", "endpoint_mode")


@dataclass(frozen=True)
class Service:
    """A service, with what it takes from merge keys and from services it extends."""

    root: Node
    services: Node
    name: str

    @property
    def where(self) -> str:
        """What people call it."""
        return f"service {self.name}"

    @property
    def node(self) -> Node:
        """Its own part of the file."""
        found = self.services.get(self.name)
        return found if found is not None else self.services

    def get(self, *path: str) -> Node | None:
        """Return what is in effect at a path."""
        service: str | None = self.name
        for _ in range(20):
            node = self.services.get(service) if service else None
            if node is None:
                return None
            found = node.at(*path)
            if found is not None and not found.is_null:
                return found
            extends = node.get("extends")
            local = extends is not None and extends.get("file") is None
            service = (_base(extends) if local else None) if extends else None
        return None

    def say(self, *path: str) -> str | None:
        """Return the text in effect at a path."""
        node = self.get(*path)
        return node.text if node is not None and node.kind == "scalar" else None

    def words(self, *path: str) -> str:
        """Return all texts below a path."""
        node = self.get(*path)
        return " ".join(each.real.text for each in node.walk()) if node else ""

    @property
    def has_gpu(self) -> bool:
        """Whether it asks for a GPU."""
        if (
            self.get("gpus")
            or self.get("device_requests")
            or "nvidia" in (self.say("runtime") or "")
        ):
            return True
        reserved = self.words("deploy", "resources", "reservations")
        return (
            any(word in reserved.lower() for word in ("gpu", "nvidia"))
            or any(
                word in self.words("devices") for word in ("nvidia", "/dev/kfd", "=gpu", "/dev/dri")
            )
            or "NVIDIA_VISIBLE_DEVICES" in self.words("environment")
        )

    def is_swarm(self, platform: str) -> bool:
        """Whether docker stack deploy reads the file."""
        if platform:
            return platform in {"swarm", "stack", "docker-swarm", "swarm-stack"}
        deploy = self.get("deploy")
        keys = deploy.names() if deploy else []
        return any(key in keys for key in _SWARM) or self.say("deploy", "mode") == "global"


def _base(extends: Node | None) -> str | None:
    if extends is None:
        return None
    return extends.text if extends.kind == "scalar" else extends.say("service")


def mend_service(draft: Draft, document: Document, service: Service, hops: int = 0) -> None:
    """Plan the changes of one service.

    Raises:
        Stopped: its size is not set in this file, or it is no service.
    """
    if service.node.kind != "map" and not service.node.is_null:
        raise Stopped("refuse", say("says", "no_services"))
    ipc = service.say("ipc") or ""
    other = ipc.removeprefix("service:")
    if other != ipc and service.services.get(other) is not None and hops < 5:  # noqa: PLR2004 - no loop
        draft.note("shared_segment", where=service.where, other=other)
        mend_service(draft, document, Service(service.root, service.services, other), hops + 1)
        return
    _remark(draft, service)
    _misplaced(draft, service)
    if ipc.startswith(("container:", "service:")):
        draft.snippet = f"docker run --shm-size={draft.write('docker')} ..."
        text = say("says", "outside", where=service.where, other=other, size=draft.write("docker"))
        raise Stopped("advise", text)
    if ipc in {"host", "none"} and _host_ipc(draft, service, ipc):
        return
    if service.is_swarm(draft.wanted("platform")):
        swarm_volume(draft, service.root, service.node, service.where)
        return
    if cover(draft, service.node, service.where) is Covered.YES:
        return
    _shm_size(draft, service)


def _host_ipc(draft: Draft, service: Service, ipc: str) -> bool:
    """Give a service shared memory of its own; whether it is left as it is instead."""
    sized = service.get("shm_size") is not None
    policy = draft.wanted("policy")
    if ipc == "host":
        draft.warn("host_ipc_security", where=service.where)
    if sized:
        draft.warn("ipc_host_makes_shm_size_moot", ipc=ipc, where=service.where)
    if policy == "host" or (ipc == "host" and not sized and policy != "private"):
        size_text = draft.write("docker")
        draft.keep("host_ipc_kept", where=service.where, size=size_text)
        draft.snippet = f"shm_size: {size_text}"
        return True
    why = draft.why("no_host_ipc", where=service.where, ipc=ipc)
    own = service.node.own("ipc")
    name = next((name for name, _ in service.node.pairs if name.text == "ipc"), None)
    bare = "shm_size" in service.node.names() or len(service.node.pairs) > 1
    if own is not None and name is not None and bare and own.kind == "scalar" and _no_base(service):
        draft.editor.remove(service.node, name, why)
    else:
        draft.editor.set_value(service.node, "ipc", "private", why)
    return False


def _no_base(service: Service) -> bool:
    keys = service.node.names()
    return "<<" not in keys and "extends" not in keys


def _shm_size(draft: Draft, service: Service) -> None:
    """Set shm_size where it is missing, too small or not readable."""
    node, where = service.node, service.where
    had = service.get("shm_size")
    grammar = GRAMMARS["docker"]
    if had is None or had.kind != "scalar":
        why = draft.why("shm_size", where=where)
        if node.is_null:
            draft.editor.set_value(
                service.services, service.name, {"shm_size": draft.write("docker")}, why
            )
        elif node.own("shm_size") is not None:
            draft.editor.set_value(node, "shm_size", draft.write("docker"), why)
        else:
            draft.editor.add(node, "shm_size", draft.write("docker"), why, after="image")
        return
    found = literals.compose(had.text)
    if _say_literal(draft, service, found):
        return
    new = literals.with_default(had.text, draft.shm_bytes, grammar) if found.variable else None
    why = draft.why("shm_raise", where=where, had=found.text)
    draft.editor.set_value(node, "shm_size", new or draft.write("docker"), why)


def _say_literal(draft: Draft, service: Service, found: literals.Literal) -> bool:
    """Say what there is to say of the size that stands there; whether it stays."""
    where, right = service.where, draft.write("docker")
    if found.variable:
        draft.warn(
            "interpolated_value", where=where, what="shm_size", variable=found.variable, right=right
        )
    if found.problem:
        draft.warn(found.problem, literal=found.text, right=right, where=where)
    enough = literals.same_or_above(found.bytes, draft.shm_bytes)
    if found.bytes is not None and not enough:
        draft.warn("existing_smaller", where=where, had=size(found.bytes), size=draft.size)
    if enough and not found.problem and found.bytes is not None:
        if found.bytes > literals.rounded(draft.shm_bytes):
            draft.warn("existing_larger", where=where, had=size(found.bytes), size=draft.size)
        draft.keep("enough", where=where, had=size(found.bytes))
        return True
    return False


# ---------------------------------------------------------------- what is said besides


def _remark(draft: Draft, service: Service) -> None:
    node, where = service.node, service.where
    if node.at("build", "shm_size") is not None and service.get("shm_size") is None:
        draft.warn("build_shm_only", where=where)
    extends = node.get("extends")
    file = extends.say("file") if extends else None
    if file:
        draft.warn("extends_external_file", where=where, file=file)
    command = service.words("command") + " " + service.words("entrypoint")
    if "--shm-size" in command and " run " not in command:
        draft.warn("command_flag_misplaced", where=where)
    limit = service.say("deploy", "resources", "limits", "memory") or service.say("mem_limit")
    if limit:
        memory_room(draft, where, literals.compose(limit).bytes, draft.shm_bytes)


def _misplaced(draft: Draft, service: Service) -> None:
    """Take sizes away that stand where Compose does not read them."""
    if service.node.kind != "map":
        return
    for trail in find_deep(service.node):
        keys = [name.text for _, name in trail]
        key = ".".join(keys)
        if key in {"shm_size", "build.shm_size"} or keys[0] in _FREE or keys[0].startswith("x-"):
            continue
        draft.warn("unknown_key", key=key, where=service.where)
        _remove_deep(draft.editor, trail, draft.why("misplaced", key=key))


_FREE = {
    "environment",
    "labels",
    "build",
    "driver_opts",
    "logging",
    "volumes",
    "networks",
    "ulimits",
}
"""Keys whose contents are anyone's own."""


def _remove_deep(editor: Editor, trail: tuple[tuple[Node, Node], ...], why: str) -> None:
    """Take an entry away, with what would be left empty around it."""
    for node, name in reversed(trail):
        if len(node.pairs) > 1 or node is trail[0][0]:
            if node.pairs and len(node.pairs) == 1 and means_size(name.text):
                editor.set_scalar(name, "shm_size", why)
                return
            editor.remove(node, name, why)
            return
