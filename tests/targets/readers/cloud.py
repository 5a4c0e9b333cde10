"""Cloud services."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from typing import Any

from calculator.units import read_docker
from tests.targets.readers.kubernetes import pod_spec
from tests.targets.readers.words import yaml


def container(text: str) -> Any:
    """The one container of an ECS task definition for EC2."""
    task = json.loads(text)
    assert task["requiresCompatibilities"] == ["EC2"]
    assert "ipcMode" not in task
    (found,) = task["containerDefinitions"]
    return found


def _ecs(text: str) -> int:
    return _mebibytes(container(text)["linuxParameters"]["sharedMemorySize"])


def _batch(text: str) -> int:
    job = json.loads(text)
    assert job["platformCapabilities"] == ["EC2"]
    return _mebibytes(job["containerProperties"]["linuxParameters"]["sharedMemorySize"])


def _mebibytes(value: object) -> int:
    """AWS: a JSON number, in MiB."""
    assert type(value) is int
    return value * 2**20


def _batch_eks(text: str) -> int:
    return pod_spec(json.loads(text)["eksProperties"]["podProperties"])


def _azure(text: str) -> int:
    size = yaml(text)["resources"]["shm_size"]
    assert re.fullmatch(r"[1-9][0-9]*[bkmg]", size), "Azure ML: <number><unit>, one letter"
    return read_docker(size)


def _skypilot(text: str) -> int:
    """The size on virtual machines; that of the volume on Kubernetes must be the same."""
    config = yaml(text)["config"]
    (option,) = config["docker"]["run_options"]
    (word,) = shlex.split(option)
    flag, _, size = word.partition("=")
    assert flag == "--shm-size"
    (volume,) = config["kubernetes"]["pod_config"]["spec"]["volumes"]
    # SkyPilot's own pod mounts the volume of this name: sky/templates/kubernetes-ray.yml.j2.
    mounted = {"name": "ray-node", "volumeMounts": [{"name": "dshm", "mountPath": "/dev/shm"}]}  # noqa: S108
    assert pod_spec({"containers": [mounted], "volumes": [volume]}) == read_docker(size)
    return read_docker(size)


def _determined(text: str) -> int:
    size = yaml(text)["resources"]["shm_size"]
    assert isinstance(size, str), "a bare number would be bytes"
    return read_docker(size)


def _dstack(text: str) -> int:
    """Gigabytes are read as a float, whole bytes handed out."""
    number, unit = re.fullmatch(r"(\d+)(MB|GB)", yaml(text)["resources"]["shm_size"]).groups()  # type: ignore[union-attr]
    return int(float(number) / {"GB": 1, "MB": 1024}[unit] * 1024**3)


READERS: dict[str, Callable[[str], int]] = {
    "ecs": _ecs,
    "aws-batch": _batch,
    "aws-batch-eks": _batch_eks,
    "azure-ml": _azure,
    "skypilot": _skypilot,
    "determined": _determined,
    "dstack": _dstack,
}
SIZELESS: set[str] = {
    "ecs-fargate",
    "runai",
    "sagemaker",
    "vertex-ai",
    "hosted-notebooks",
}
