"""Podman's family."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Callable
from decimal import Decimal

from calculator.units import read_docker
from tests.targets.readers import unit
from tests.targets.readers.docker import flag


def commands(text: str) -> list[list[str]]:
    """Return the words of each command of a script that has one command a line."""
    lines = text.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def option(words: list[str], name: str) -> str:
    """Return an option's value, which stands behind it or after an equals sign."""
    found = [word.removeprefix(f"{name}=") for word in words if word.startswith(f"{name}=")]
    found += [words[at + 1] for at, word in enumerate(words) if word == name]
    (value,) = found
    return value


def _pod(text: str) -> int:
    create, run = commands(text)
    assert create[:3] == ["podman", "pod", "create"]
    assert run[:2] == ["podman", "run"]
    assert option(run, "--pod") == option(create, "--name") != option(run, "--name")
    assert not any(word.startswith("--shm-size") for word in run)
    return read_docker(option(create, "--shm-size"))


def _container(text: str) -> int:
    return read_docker(unit.one(unit.sections(text)["Container"], "ShmSize"))


def files(text: str) -> dict[str, str]:
    """Return the files of a block that has several, each under a line that names it."""
    _, *parts = re.split(r"^# File \d+: (\S+)\n", text, flags=re.MULTILINE)
    return {path.rpartition("/")[2]: body for path, body in zip(*[iter(parts)] * 2, strict=True)}


def _quadlet_pod(text: str) -> int:
    (pod_file, pod), (container_file, container) = files(text).items()
    assert pod_file.endswith(".pod")
    assert container_file.endswith(".container")
    joined = unit.sections(container)["Container"]
    assert unit.one(joined, "Pod") == pod_file
    assert not unit.values(joined, "ShmSize")
    return read_docker(unit.one(unit.sections(pod)["Pod"], "ShmSize"))


_DECIMAL = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def _containers_conf(text: str) -> int:
    """Read as Podman does, which takes k, m and g for powers of 1000 in this file."""
    written = tomllib.loads(text)["containers"]["shm_size"]
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([kmgt]?)b?", written, re.IGNORECASE)
    assert match, written
    return int(Decimal(match[1]) * _DECIMAL[match[2].lower()])


READERS: dict[str, Callable[[str], int]] = {
    "podman-run": flag,
    "podman-pod": _pod,
    "quadlet-container": _container,
    "quadlet-pod": _quadlet_pod,
    "containers-conf": _containers_conf,
}
SIZELESS: set[str] = set()
