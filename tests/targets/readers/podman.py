"""Podman's family."""

from __future__ import annotations

from collections.abc import Callable

from tests.targets.readers.docker import flag

READERS: dict[str, Callable[[str], int]] = {"podman-run": flag}
SIZELESS: set[str] = set()
