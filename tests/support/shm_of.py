"""What a Compose service or a pod has on /dev/shm, read without the product."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_BINARY = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_DECIMAL = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def compose_size(value: Any) -> int | str | None:
    """Read Docker's sizes, with the default of a variable; what is none comes back as it is."""
    if value is None or isinstance(value, int):
        return value
    text = re.sub(r"\$\{\w+:?-([^}]*)\}", r"\1", str(value))
    match = re.fullmatch(r"([\d.]+)\s?([kmgt]?)(?:i?b)?", text.strip().lower())
    return int(float(match[1]) * _BINARY[match[2]]) if match else str(value)


def quantity(value: Any) -> int | str | None:
    """Read a Kubernetes quantity; what is none comes back as it is."""
    if value is None or isinstance(value, int):
        return value
    match = re.fullmatch(r"([\d.]+)(?:([KMGT])i|([kMGT]))?", str(value))
    if match is None:
        return str(value)
    unit = _BINARY[match[2].lower()] if match[2] else _DECIMAL[match[3] or ""]
    return int(float(match[1]) * unit)


def any_size(value: Any) -> int | str | None:
    """Read a size of either kind."""
    found = quantity(value)
    return found if isinstance(found, int) else compose_size(value)


def follow(document: Any, path: list[Any]) -> Any:
    """Return what a path leads to; an object in it selects an item of a list by its keys."""
    for part in path:
        if isinstance(part, dict):
            document = next(
                each for each in document if all(each.get(k) == v for k, v in part.items())
            )
        elif isinstance(document, list) and isinstance(part, str) and not part.isdigit():
            document = next(each for each in document if each.get("name") == part)
        else:
            document = document[int(part) if isinstance(document, list) else part]
    return document


# ---------------------------------------------------------------- Compose


def service(document: Any, name: str) -> dict[str, Any]:
    """Return a service with what it extends in the same file."""
    own = dict(document["services"].get(name) or {})
    extends = own.get("extends")
    base = extends if isinstance(extends, str) else (extends or {}).get("service")
    local = isinstance(extends, str) or not (extends or {}).get("file")
    return {**(service(document, base) if base and local else {}), **own}


def _on_shm(path: Any) -> bool:
    return str(path).rstrip("/") == "/dev/shm"  # noqa: S108 - a mount


def _tmpfs(own: dict[str, Any]) -> list[str]:
    value = own.get("tmpfs") or []
    return [value] if isinstance(value, str) else list(value)


def tmpfs_volume(own: dict[str, Any]) -> dict[str, Any] | None:
    """Return the volume of type tmpfs on /dev/shm."""
    for each in own.get("volumes") or []:
        if isinstance(each, dict) and each.get("type") == "tmpfs" and _on_shm(each.get("target")):
            return dict(each)
    return None


def compose_mounts(own: dict[str, Any]) -> int:
    """Count what is mounted on /dev/shm, besides the runtime's own."""
    short = sum(_on_shm(each.split(":")[0]) for each in _tmpfs(own))
    volumes = 0
    for each in own.get("volumes") or []:
        target = each.get("target") if isinstance(each, dict) else [*each.split(":"), ""][1]
        volumes += _on_shm(target)
    return short + volumes


def compose_effective(own: dict[str, Any]) -> int | str | None:
    """Return the size in effect, whatever gives it."""
    if own.get("ipc") == "host":
        return "the host's"
    for each in _tmpfs(own):
        if _on_shm(each.split(":")[0]):
            match = re.search(r"size=(\w+)", each)
            return compose_size(match[1]) if match else None
    volume = tmpfs_volume(own)
    if volume is not None:
        return compose_size((volume.get("tmpfs") or {}).get("size"))
    return compose_size(own.get("shm_size"))


# ---------------------------------------------------------------- Kubernetes


def container(pod: Any, name: str) -> dict[str, Any] | None:
    """Return a container of a pod by its name."""
    every = [*(pod.get("containers") or []), *(pod.get("initContainers") or [])]
    single = (pod.get(key) for key in ("container", "script", "model"))
    every += [{"name": name, **each} for each in single if isinstance(each, dict)]
    return next((each for each in every if each.get("name") == name), None)


def mount(own: dict[str, Any]) -> dict[str, Any] | None:
    """Return a container's mount on /dev/shm."""
    every = own.get("volumeMounts") or []
    return next((each for each in every if _on_shm(each.get("mountPath"))), None)


def pod_shm(pod: Any, own: dict[str, Any]) -> dict[str, Any] | None:
    """Return medium, size and path of what a container has on /dev/shm."""
    mounted = mount(own)
    if mounted is None:
        return None
    volume: dict[str, Any] = next(
        (v for v in pod.get("volumes") or [] if v["name"] == mounted["name"]), {}
    )
    source = volume.get("emptyDir") or {}
    return {
        "mount_path": mounted["mountPath"],
        "medium": source.get("medium"),
        "size_bytes": quantity(source.get("sizeLimit")),
    }


def patched_pods(patches: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield job and pod of each patch of a TrainJob."""
    for patch in patches:
        for job in patch.get("targetJobs") or []:
            yield job["name"], patch.get("spec") or patch
        if "trainingRuntimeSpec" in patch:
            for job in patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]:
                yield job["name"], job["template"]["spec"]["template"]["spec"]
