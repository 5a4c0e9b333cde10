"""Machines without a container."""

from __future__ import annotations

import re
from collections.abc import Callable

from calculator.units import read_tmpfs


def _tmpfs(text: str) -> int:
    (size,) = re.findall(r"^size=(\S+)", text, re.MULTILINE)
    (threshold,) = re.findall(r"bytes=(\d+)$", text, re.MULTILINE)
    assert read_tmpfs(size) >= int(threshold)
    return read_tmpfs(size)


READERS: dict[str, Callable[[str], int]] = {"bare-metal": _tmpfs}
SIZELESS: set[str] = set()
