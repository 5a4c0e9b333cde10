"""What a Compose service mounts on /dev/shm besides: tmpfs entries, volumes, the host's own."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final

from calculator.manifests import literals
from calculator.manifests.answer import Draft
from calculator.manifests.tree import Node
from calculator.manifests.writing import Data
from calculator.units import size

SHM: Final = "/dev/shm"  # noqa: S108 - the mount this is all about


class Covered(Enum):
    """Whether a mount on /dev/shm gives the service its size already."""

    YES = "yes"
    NO = "no"


def is_shm(path: str) -> bool:
    """Whether a path in a container is /dev/shm, however it is written."""
    parts = [part for part in path.strip().split("/") if part not in {"", "."}]
    return path.strip().startswith("/") and parts == ["dev", "shm"]


def cover(draft: Draft, service: Node, where: str) -> Covered:
    """Give the size to what is mounted on /dev/shm; take away what should not be there."""
    tmpfs = service.get("tmpfs")
    for item in _tmpfs_items(tmpfs):
        path, colon, options = item.real.text.partition(":")
        if is_shm(path):
            _size_tmpfs(draft, item, path, options if colon else "", where)
            return Covered.YES
    for item in list(_volumes(service)):
        if item.real.kind == "map" and item.real.say("type") == "tmpfs":
            _size_volume(draft, item.real, where)
            return Covered.YES
        if _is_kept(draft, item, where):
            return Covered.YES
        _take_away(draft, service, item, where)
    return Covered.NO


def size_on_shm(service: Node) -> tuple[bool, int | None]:
    """Return whether a service mounts something on /dev/shm itself, and the size of that."""
    for item in _tmpfs_items(service.get("tmpfs")):
        path, _, options = item.real.text.partition(":")
        if is_shm(path):
            return True, literals.tmpfs(options)
    for item in _volumes(service):
        text = item.say("tmpfs", "size") if item.real.kind == "map" else None
        return True, literals.compose(text).bytes if text else None
    return False, None


def _tmpfs_items(node: Node | None) -> list[Node]:
    if node is None:
        return []
    return [node] if node.kind == "scalar" else node.items


def _volumes(service: Node) -> Iterator[Node]:
    """Yield the volumes on /dev/shm."""
    volumes = service.get("volumes")
    for item in volumes.items if volumes else ():
        if item.real.kind == "map":
            if is_shm(item.say("target") or ""):
                yield item
        elif is_shm(_parts(item.real.text)[1]):
            yield item


def _parts(text: str) -> tuple[str, str]:
    """Return the source and the target of a volume's short form."""
    parts = text.split(":")
    return (parts[0], parts[1]) if len(parts) > 1 else ("", parts[0])


def _size_tmpfs(draft: Draft, item: Node, path: str, options: str, where: str) -> None:
    draft.warn("tmpfs_present", where=where)
    had = literals.tmpfs(options)
    if had is not None and had >= draft.shm_bytes:
        _enough(draft, where, had)
        return
    if had is not None:
        draft.warn("existing_smaller", where=where, had=size(had), size=draft.size)
    rest = [part for part in options.split(",") if part and not part.startswith("size=")]
    mode = [] if any(part.startswith("mode=") for part in rest) else ["mode=1777"]
    new = ",".join([*rest, f"size={draft.write('tmpfs')}", *mode])
    draft.editor.set_scalar(item, f"{path}:{new}", draft.why("tmpfs", where=where))


def _size_volume(draft: Draft, item: Node, where: str) -> None:
    """Size a volume of type tmpfs."""
    draft.warn("tmpfs_present", where=where)
    literal = item.say("tmpfs", "size")
    had = literals.compose(literal).bytes if literal else None
    if had is not None and had >= draft.shm_bytes:
        _enough(draft, where, had)
        return
    if had is not None:
        draft.warn("existing_smaller", where=where, had=size(had), size=draft.size)
    why, new = draft.why("tmpfs", where=where), int(draft.write("bytes"))
    tmpfs = item.own("tmpfs")
    if tmpfs is not None and tmpfs.real.kind == "map" and tmpfs.real.pairs:
        draft.editor.set_value(tmpfs.real, "size", new, why)
    else:
        draft.editor.set_value(item, "tmpfs", {"size": new}, why)


def _enough(draft: Draft, where: str, had: int) -> None:
    if had > literals.rounded(draft.shm_bytes):
        draft.warn("existing_larger", where=where, had=size(had), size=draft.size)
    draft.keep("enough", where=where, had=size(had))


def _source(item: Node) -> str:
    return (item.say("source") or "") if item.real.kind == "map" else _parts(item.real.text)[0]


def _is_kept(draft: Draft, item: Node, where: str) -> bool:
    """Whether the host's /dev/shm stays because a person asked for it."""
    if is_shm(_source(item)) and draft.wanted("policy") == "host":
        draft.warn("hostpath_shm", where=where)
        draft.keep("host_kept", where=where)
        return True
    return False


def _take_away(draft: Draft, service: Node, item: Node, where: str) -> None:
    source = _source(item)
    if is_shm(source):
        draft.warn("hostpath_shm", where=where)
    else:
        draft.warn("wrong_medium", volume=source or SHM, medium="a volume on disk")
    why = (
        draft.why("host_bind", where=where)
        if is_shm(source)
        else draft.why("shm_size", where=where)
    )
    volumes = service.get("volumes")
    name = next((name for name, _ in service.pairs if name.text == "volumes"), None)
    if volumes is not None and len(volumes.items) == 1 and name is not None:
        draft.editor.remove(service, name, why)
    elif volumes is not None:
        draft.editor.remove(volumes, item, why)


# ---------------------------------------------------------------- Swarm


def swarm_volume(draft: Draft, root: Node, service: Node, where: str) -> None:
    """Give a service of a stack a tmpfs volume of its size on /dev/shm."""
    draft.warn("swarm_ignores_shm_size")
    if cover(draft, service, where) is Covered.YES:
        return
    why = draft.why("swarm", where=where)
    _version(draft, root, why)
    number = int(draft.write("bytes"))
    item: Data = {"type": "tmpfs", "target": SHM, "tmpfs": {"size": number}}
    volumes = service.get("volumes")
    if volumes is not None and volumes.kind == "seq" and volumes.items:
        gone = [each for each in volumes.items if id(each) in draft.editor.removed]
        if len(gone) < len(volumes.items):
            draft.editor.append(volumes, item, why)
            return
    draft.editor.set_value(service, "volumes", [item], why)


def _version(draft: Draft, root: Node, why: str) -> None:
    """A stack file before version 3.6 has no size of a tmpfs."""
    version = root.get("version")
    text = version.text if version is not None else ""
    major, _, minor = text.partition(".")
    if version is not None and major == "3" and int(f"0{minor}" if minor.isdecimal() else 0) < 6:  # noqa: PLR2004
        draft.editor.set_scalar(version, "3.8", why)
