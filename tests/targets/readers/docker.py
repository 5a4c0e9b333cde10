"""Docker's family."""

from __future__ import annotations

import json
from collections.abc import Callable

from calculator.units import read_docker
from tests.targets.readers.words import argv, yaml


def flag(text: str) -> int:
    """The size in `--shm-size=`, which must stand before the image."""
    words = argv(text)
    return one_flag(words[: words.index("your-image:latest")])


def one_flag(words: list[str]) -> int:
    """The size in the only `--shm-size=` among the words."""
    (size,) = [word for word in words if word.startswith("--shm-size=")]
    return read_docker(size.removeprefix("--shm-size="))


def _compose(text: str) -> int:
    return read_docker(yaml(text)["services"]["trainer"]["shm_size"])


def _stack(text: str) -> int:
    """The tmpfs at /dev/shm; a size for Swarm is a number, and nothing it ignores stands there."""
    service = yaml(text)["services"]["trainer"]
    assert not {"shm_size", "ipc", "restart", "devices"} & set(service)
    (volume,) = service["volumes"]
    assert (volume["type"], volume["target"]) == ("tmpfs", "/dev/shm")  # noqa: S108
    size = volume["tmpfs"]["size"]
    assert isinstance(size, int)
    return size


def _build(text: str) -> int:
    words = argv(text)
    assert (words[:2], words[-1]) == (["docker", "build"], ".")
    return flag(text)


def _daemon(text: str) -> int:
    settings = json.loads(text)
    assert set(settings) == {"default-shm-size"}
    return read_docker(settings["default-shm-size"])


READERS: dict[str, Callable[[str], int]] = {
    "docker-run": flag,
    "compose": _compose,
    "swarm-stack": _stack,
    "docker-build": _build,
    "docker-daemon": _daemon,
}
SIZELESS = {"docker-run-ipc-host"}
