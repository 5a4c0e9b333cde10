"""Operators and platforms on Kubernetes."""

from __future__ import annotations

from collections.abc import Callable

READERS: dict[str, Callable[[str], int]] = {}
SIZELESS: set[str] = set()
