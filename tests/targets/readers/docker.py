"""Docker's family."""

from __future__ import annotations

from collections.abc import Callable

from calculator.units import read_docker
from tests.targets.readers.words import argv, yaml


def flag(text: str) -> int:
    """The size in `--shm-size=`, which must stand before the image."""
    words = argv(text)
    image = words.index("your-image:latest")
    (size,) = [word for word in words[:image] if word.startswith("--shm-size=")]
    return read_docker(size.removeprefix("--shm-size="))


def _compose(text: str) -> int:
    return read_docker(yaml(text)["services"]["trainer"]["shm_size"])


READERS: dict[str, Callable[[str], int]] = {
    "docker-run": flag,
    "compose": _compose,
}
SIZELESS = {"docker-run-ipc-host"}
