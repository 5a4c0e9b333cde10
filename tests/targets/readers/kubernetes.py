"""Kubernetes and what carries a pod template."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from calculator.units import read_kubernetes
from tests.targets.readers.words import documents, yaml


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


def workload(text: str) -> Any:
    """The object that makes pods, last in its file, after a Service if it has one."""
    *services, found = documents(text)
    assert [each["kind"] for each in services] in ([], ["Service"])
    return found


def _template(text: str) -> int:
    return pod_spec(workload(text)["spec"]["template"]["spec"])


def _component(text: str) -> int:
    (patch,) = yaml(text)["patches"]
    return _template(patch["patch"])


def _helm(text: str) -> int:
    return read_kubernetes(yaml(text)["shm"]["sizeLimit"])


def _annotation(text: str) -> int:
    pod = yaml(text)
    assert not {"volumes", "volumeMounts"} & {*pod["spec"], *pod["spec"]["containers"][0]}
    sizes = pod["metadata"]["annotations"]
    assert set(sizes) == {"shm-size.crio.io", "io.kubernetes.cri-o.ShmSize"}
    (size,) = set(sizes.values())
    return read_kubernetes(size)


def expand(text: str, **variables: str) -> str:
    """Expand $(NAME) in a word of a command as the kubelet does; one that is not set says so."""

    def value(found: re.Match[str]) -> str:
        return found[1] or variables.get(found[2], f"UNSET({found[2]})")

    return re.sub(r"\$(\$)|\$\(([^)]*)\)", value, text)


def _policy(text: str) -> int:
    policy, *_ = documents(text)
    (mutation,) = policy["spec"]["mutations"]
    expression = mutation["applyConfiguration"]["expression"]
    (body,) = re.findall(r"emptyDir\{([^}]*)\}", expression)
    fields = dict(re.findall(r'(\w+):\s*"([^"]*)"', body))
    assert fields["medium"] == "Memory"
    return read_kubernetes(fields["sizeLimit"])


READERS: dict[str, Callable[[str], int]] = {
    "kubernetes-pod": _pod,
    "kubernetes-job": _template,
    "kubernetes-indexed-job": _template,
    "kubernetes-deployment": _template,
    "kubernetes-statefulset": _template,
    "kubernetes-patch": _template,
    "kustomize-component": _component,
    "helm": _helm,
    "crio-annotation": _annotation,
    "kyverno-policy": _policy,
    "admission-policy": _policy,
    "probe-sidecar": _pod,
}
SIZELESS: set[str] = set()
