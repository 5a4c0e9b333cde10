"""Operators and platforms on Kubernetes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from calculator.units import read_kubernetes
from tests.targets.readers.kubernetes import pod_spec
from tests.targets.readers.words import yaml

Reader = Callable[[str], int]


def pod_specs(document: Any) -> list[Any]:
    """The pod specs, or patches of one, in an object: those that name containers and volumes."""
    if isinstance(document, list):
        return [spec for each in document for spec in pod_specs(each)]
    if not isinstance(document, dict):
        return []
    if "containers" in document:
        return [document]
    return [spec for each in document.values() for spec in pod_specs(each)]


def _sizes(text: str, pods: range) -> int:
    specs = pod_specs(yaml(text))
    assert len(specs) in pods
    (size,) = {pod_spec(spec) for spec in specs}
    return size


def _pytorchjob(text: str) -> int:
    replicas = yaml(text)["spec"]["pytorchReplicaSpecs"]
    assert replicas["Master"]["replicas"] == 1
    for each in replicas.values():
        (container,) = each["template"]["spec"]["containers"]
        assert container["name"] == "pytorch"
    return _sizes(text, range(1, 3))


def _trainjob(text: str) -> int:
    (patch,) = yaml(text)["spec"]["runtimePatches"]
    (job,) = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    (container,) = job["template"]["spec"]["template"]["spec"]["containers"]
    assert (job["name"], container["name"]) == ("node", "node")
    return _sizes(text, range(1, 2))


def _runtime(text: str) -> int:
    (job,) = yaml(text)["spec"]["template"]["spec"]["replicatedJobs"]
    (container,) = job["template"]["spec"]["template"]["spec"]["containers"]
    assert (job["name"], container["name"]) == ("node", "node")
    return _sizes(text, range(1, 2))


def _ray(text: str) -> int:
    assert "shared-mem" not in text  # the operator's own volume
    return _sizes(text, range(2, 3))


def _volcano(text: str) -> int:
    tasks = [task["name"] for task in yaml(text)["spec"]["tasks"]]
    assert tasks in (["master"], ["master", "worker"])
    return _sizes(text, range(1, 3))


def _argo(text: str) -> int:
    spec = yaml(text)["spec"]
    (template,) = [each for each in spec["templates"] if each["name"] == spec["entrypoint"]]
    return pod_spec({"containers": [template["container"]], "volumes": template["volumes"]})


def _jupyterhub(text: str) -> int:
    server = yaml(text)["singleuser"]
    (volume,) = server["storage"]["extraVolumes"].values()
    (mount,) = server["storage"]["extraVolumeMounts"].values()
    assert mount == {"name": volume["name"], "mountPath": "/dev/shm"}  # noqa: S108
    assert volume["emptyDir"]["medium"] == "Memory"
    size = read_kubernetes(volume["emptyDir"]["sizeLimit"])
    assert size <= read_jupyterhub(server["memory"]["limit"])
    return size


def read_jupyterhub(text: str) -> int:
    """Memory as JupyterHub reads it: K, M, G or T, powers of 1024, and nothing else."""
    number, unit = re.fullmatch(r"([\d.]+)([KMGT])", text).groups()  # type: ignore[union-attr]
    return int(float(number) * 1024 ** ("KMGT".index(unit) + 1))


def _notebook(text: str) -> int:
    document = yaml(text)
    (container,) = document["spec"]["template"]["spec"]["containers"]
    assert container["name"] == document["metadata"]["name"]
    return _sizes(text, range(1, 2))


READERS: dict[str, Reader] = {
    "pytorchjob": _pytorchjob,
    "trainjob": _trainjob,
    "clustertrainingruntime": _runtime,
    "raycluster": _ray,
    "rayjob": _ray,
    "volcano": _volcano,
    "argo-workflow": _argo,
    "jupyterhub": _jupyterhub,
    "kubeflow-notebook": _notebook,
}
SIZELESS: set[str] = set()
