"""Kubernetes and what carries a pod template."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from calculator.units import read_kubernetes
from tests.targets.readers.words import yaml


def pod_spec(spec: Any) -> int:
    """The size of the memory volume that every container of a pod spec mounts at /dev/shm."""
    sizes = {_volume(spec, container) for container in spec["containers"]}
    (size,) = sizes
    return size


def _volume(spec: Any, container: Any) -> int:
    (mount,) = [each for each in container["volumeMounts"] if each["mountPath"] == "/dev/shm"]  # noqa: S108
    (volume,) = [each for each in spec["volumes"] if each["name"] == mount["name"]]
    assert volume["emptyDir"]["medium"] == "Memory"
    return read_kubernetes(volume["emptyDir"]["sizeLimit"])


def _pod(text: str) -> int:
    return pod_spec(yaml(text)["spec"])


def _helm(text: str) -> int:
    return read_kubernetes(yaml(text)["shm"]["sizeLimit"])


READERS: dict[str, Callable[[str], int]] = {
    "kubernetes-pod": _pod,
    "helm": _helm,
}
SIZELESS: set[str] = set()
