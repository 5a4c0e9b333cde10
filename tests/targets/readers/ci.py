"""Continuous integration and editors."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Callable
from typing import Any

from calculator.units import read_kubernetes
from tests.targets.readers.docker import one_flag
from tests.targets.readers.words import yaml


def _github(text: str) -> int:
    (job,) = yaml(text)["jobs"].values()
    assert set(job["container"]) == {"image", "options"}
    return one_flag(shlex.split(job["container"]["options"]))


def runner(text: str, executor: str) -> Any:
    """The settings of the only runner in a config.toml, for its executor."""
    (found,) = tomllib.loads(text)["runners"]
    assert found["executor"] == executor
    return found[executor]


def _gitlab_docker(text: str) -> int:
    size = runner(text, "docker")["shm_size"]
    assert isinstance(size, int)
    return size


def _gitlab_kubernetes(text: str) -> int:
    settings = runner(text, "kubernetes")
    (volume,) = settings["volumes"]["empty_dir"]
    assert (volume["mount_path"], volume["medium"]) == ("/dev/shm", "Memory")  # noqa: S108
    size = read_kubernetes(volume["size_limit"])
    assert read_kubernetes(settings["memory_limit"]) > size
    assert settings["memory_request"] == settings["memory_limit"]
    return size


def _devcontainer(text: str) -> int:
    found = json.loads(text)
    assert set(found) == {"name", "image", "runArgs"}
    return one_flag(found["runArgs"])


READERS: dict[str, Callable[[str], int]] = {
    "github-actions": _github,
    "gitlab-runner-docker": _gitlab_docker,
    "gitlab-runner-kubernetes": _gitlab_kubernetes,
    "devcontainer": _devcontainer,
}
SIZELESS: set[str] = set()
