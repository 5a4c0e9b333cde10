"""The pods that the objects of a file make, wherever each kind keeps them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from calculator import resources
from calculator.manifests.choosing import Candidate, asks_gpu
from calculator.manifests.mounts import is_shm
from calculator.manifests.tree import Document, Node

_CONTAINER_KEYS: Final = (
    "model",
    "pytorch",
    "triton",
    "huggingface",
    "tensorflow",
    "onnx",
    "sklearn",
)
"""What KServe calls the one container of a predictor."""


@dataclass(frozen=True)
class Container:
    """A container of a pod; `node` is its entry."""

    name: str
    node: Node
    init: bool = False

    def mounts(self) -> list[Node]:
        """Return its volume mounts."""
        node = self.node.get("volumeMounts")
        return [each for each in node.entries() if each.kind == "map"] if node else []

    @property
    def mount(self) -> Node | None:
        """Its mount on /dev/shm."""
        found = (m for m in self.mounts() if is_shm("/" + (m.say("mountPath") or "")))
        return next(found, None)

    @property
    def has_gpu(self) -> bool:
        """Whether it asks for a GPU."""
        return asks_gpu(self.node.get("resources"))

    def words(self, *keys: str) -> list[str]:
        """Return all texts below these keys."""
        found: list[str] = []
        for key in keys:
            node = self.node.get(key)
            found += [each.real.text for each in node.walk()] if node else []
        return found

    def candidate(self) -> Candidate:
        """What choosing between containers looks at."""
        words = [self.name, self.node.say("image") or "", *self.words("command", "args")]
        return Candidate(self.name, self.has_gpu, self.mount is not None, " ".join(words).lower())


@dataclass(frozen=True)
class Pod:
    """A pod spec and what belongs to it.

    `owner` is KIND/NAME of the object, `path` where in it the spec stands.  `shared` holds
    further volumes, `operator` names one that mounts /dev/shm by itself, `group` is the
    mapping around the pod's template.  `guessed`: its kind is not known.
    """

    document: Document
    root: Node
    owner: str
    kind: str
    path: str
    spec: Node
    group: Node
    containers: tuple[Container, ...]
    compute: str = "all"
    operator: str = ""
    shared: Node | None = None
    guessed: bool = False

    @property
    def has_gpu(self) -> bool:
        """Whether any of its containers asks for a GPU."""
        return any(each.has_gpu for each in self.containers)

    def volumes(self) -> list[Node]:
        """Return the volumes its containers can mount."""
        found = []
        for holder in (self.spec, self.shared):
            node = holder.get("volumes") if holder is not None else None
            found += [each for each in node.entries() if each.kind == "map"] if node else []
        return found

    def mains(self) -> list[Container]:
        """Return the containers that run the job."""
        return [each for each in self.containers if not each.init]


def _table() -> dict[str, Any]:
    return resources.table("manifests", "kinds")


_KIND: Final = re.compile(r"^kind:[ \t]*[\"']?(\w{1,80})", re.MULTILINE)
_GROUP: Final = re.compile(r"^apiVersion:[ \t]*[\"']?([\w.-]{1,200})/", re.MULTILINE)


def runs_nothing(text: str, start: int, end: int) -> str:
    """Return the kind of a document that need not be read; empty where it must be."""
    match = _KIND.search(text, start, end)
    group = _GROUP.search(text, start, end)
    kind = match[1] if match else ""
    return kind if kind and _row(kind, group[1] if group else "") is None and podless(kind) else ""


def podless(kind: str) -> bool:
    """Whether objects of this kind run nothing."""
    return kind in _table()["podless"]["kinds"]


def is_known(kind: str) -> bool:
    """Whether it is known where objects of this kind keep their pods, if they have any."""
    return podless(kind) or any(kind in row["kinds"] for row in _table()["kinds"])


def _row(kind: str, group: str) -> dict[str, Any] | None:
    for row in _table()["kinds"]:
        if kind in row["kinds"] and row.get("group", group) == group:
            return dict(row)
    return None


def objects(root: Node) -> Iterator[Node]:
    """Yield the objects of a document: itself, or those of a list or template."""
    kind = root.say("kind") or ""
    for key in ("items", "objects"):
        node = root.get(key)
        if (
            (kind.endswith("List") or kind == "Template")
            and node is not None
            and node.kind == "seq"
        ):
            for each in node.entries():
                if each.kind == "map":
                    yield from objects(each)
            return
    yield root


def owner(root: Node) -> str:
    """Return what people call an object: KIND/NAME."""
    name = root.say("metadata", "name") or root.say("metadata", "generateName") or "?"
    return f"{root.say('kind') or 'object'}/{name}"


def pods(document: Document) -> list[Pod]:
    """Return every pod that a document's objects make."""
    if document.root is None or document.root.kind != "map":
        return []
    return [pod for each in objects(document.root) for pod in _of(document, each)]


def _of(document: Document, root: Node) -> Iterator[Pod]:
    kind = root.say("kind") or ""
    row = _row(kind, (root.say("apiVersion") or "").rpartition("/")[0])
    if row is None:
        if not podless(kind):
            yield from _guessed(document, root, kind)
        return
    shared = root.at(*row["shared"].split(".")) if "shared" in row else None
    for path in row["paths"]:
        for place, spec, group in _follow(root, path.split("."), "", root):
            found = _containers(spec)
            if found:
                yield Pod(
                    document, root, owner(root), kind, place, spec, group, found,
                    row.get("compute", "all"), row.get("operator", ""), shared,
                )  # fmt: skip


def _follow(
    node: Node, path: list[str], place: str, group: Node
) -> Iterator[tuple[str, Node, Node]]:
    """Yield where a path leads, with the mapping around the last template."""
    if not path:
        if node.kind == "map":
            yield place, node, group
        return
    key, rest = path[0], path[1:]
    if key == "*":
        named = [(name.text, value.real) for name, value in node.pairs]
        for name, each in named or [(str(i), each) for i, each in enumerate(node.entries())]:
            yield from _follow(each, rest, f"{place}.{name}", each)
        return
    found = node.get(key) if node.kind == "map" else None
    if found is not None:
        yield from _follow(found, rest, f"{place}.{key}".strip("."), group)


def _containers(spec: Node) -> tuple[Container, ...]:
    found: list[Container] = []
    for key, init in (("initContainers", True), ("containers", False)):
        node = spec.get(key)
        for each in node.entries() if node else ():
            if each.kind == "map":
                restarts = init and each.say("restartPolicy") == "Always"
                found.append(Container(each.say("name") or "?", each, init and not restarts))
    if any(not each.init for each in found):
        return tuple(found)
    for key in ("container", "script", *_CONTAINER_KEYS):
        node = spec.get(key)
        if node is not None and node.kind == "map":
            found.append(Container(_single(spec, key), node))
            break
    return tuple(found) if any(not each.init for each in found) else ()


def _single(spec: Node, key: str) -> str:
    """What the only container of a template is called."""
    if key in {"container", "script"}:
        return spec.say("name") or "main"
    return key


def _guessed(document: Document, root: Node, kind: str) -> Iterator[Pod]:
    """Yield what looks like a pod spec in an object of a kind nobody here knows."""
    stack: list[tuple[str, Node, Node]] = [("", root, root)]
    while stack:
        place, node, group = stack.pop()
        found = _containers(node) if _is_spec(node) else ()
        if found:
            guessed = bool(kind)
            yield Pod(document, root, owner(root), kind, place, node, group, found, guessed=guessed)
            continue
        for name, value in reversed(node.pairs):
            if value.kind in {"map", "seq"} and name.text not in {"metadata", "status"}:
                stack.append((f"{place}.{name.text}".strip("."), value, node))
        for i, each in reversed(list(enumerate(node.items))):
            if each.kind in {"map", "seq"}:
                stack.append((f"{place}.{i}", each, group))


def _is_spec(node: Node) -> bool:
    containers = node.get("containers") if node.kind == "map" else None
    return containers is not None and any(
        each.kind == "map" and {"name", "image"} & set(each.names())
        for each in containers.entries()
    )
