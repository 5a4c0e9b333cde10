"""The size in a finished block, read as its platform would; written apart from the templates."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import Any

from ruamel.yaml import YAML

from calculator.units import read_docker, read_kubernetes, read_tmpfs

SIZELESS = {"docker-run-ipc-host", "dataloader-arguments", "sharing-strategy"}
"""Targets that have no size to set."""


def argv(text: str) -> list[str]:
    """Return the words of a command line, comments gone."""
    return shlex.split(text.replace("\\\n", " "), comments=True)


def yaml(text: str) -> Any:
    """Parse one YAML document."""
    return YAML(typ="safe").load(text)


def _flag(text: str) -> int:
    words = argv(text)
    image = words.index("your-image:latest")
    (size,) = [word for word in words[:image] if word.startswith("--shm-size=")]
    return read_docker(size.removeprefix("--shm-size="))


def _compose(text: str) -> int:
    return read_docker(yaml(text)["services"]["trainer"]["shm_size"])


def _pod(text: str) -> int:
    spec = yaml(text)["spec"]
    (container,) = spec["containers"]
    (mount,) = [each for each in container["volumeMounts"] if each["mountPath"] == "/dev/shm"]  # noqa: S108
    (volume,) = [each for each in spec["volumes"] if each["name"] == mount["name"]]
    assert volume["emptyDir"]["medium"] == "Memory"
    return read_kubernetes(volume["emptyDir"]["sizeLimit"])


def _helm(text: str) -> int:
    return read_kubernetes(yaml(text)["shm"]["sizeLimit"])


def _tmpfs(text: str) -> int:
    (size,) = re.findall(r"^size=(\S+)", text, re.MULTILINE)
    (threshold,) = re.findall(r"bytes=(\d+)$", text, re.MULTILINE)
    assert read_tmpfs(size) >= int(threshold)
    return read_tmpfs(size)


READERS: dict[str, Callable[[str], int]] = {
    "docker-run": _flag,
    "podman-run": _flag,
    "compose": _compose,
    "kubernetes-pod": _pod,
    "helm": _helm,
    "bare-metal": _tmpfs,
}
