"""Python code, which has no size to set."""

from __future__ import annotations

from collections.abc import Callable

READERS: dict[str, Callable[[str], int]] = {}
SIZELESS = {"dataloader-arguments", "sharing-strategy", "check-at-start", "measure", "probe"}
