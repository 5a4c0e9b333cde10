"""What a failing run says: the lines that count, and the name of what happened."""

from __future__ import annotations

import re
from typing import Any

MESSAGES = (
    "unable to allocate shared memory",
    "unable to write to file",
    "unable to resize file",
    "Bus error",
    "bus error",
    "No space left on device",
    "exited unexpectedly",
)
"""Parts of the lines that name the cause."""


def last(text: str) -> str:
    """Return the last line that says something."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def lines(text: str) -> list[str]:
    """Return the lines that name the cause, each once, with X for what differs between runs."""
    wanted = [line.strip() for line in text.splitlines() if any(part in line for part in MESSAGES)]
    return list(dict.fromkeys(general(line) for line in wanted))


def general(line: str) -> str:
    """Put X for process numbers, names of files and counters."""
    named = re.sub(r"torch_\d+_\d+_\d+", "torch_X_X_X", line)
    return re.sub(r"(pid\(s\)|pid|process) [\d, ]*\d", r"\1 X", named)


def kind(found: dict[str, Any]) -> str:
    """Name what happened to a run that failed."""
    if found["ended"] == "no progress":
        return "hang"
    text = found["said"]
    if "us error" in text:
        return "sigbus"
    if "exited unexpectedly" in text:
        return "worker-died"
    return "runtime-error" if found["ended"].startswith("exit") else "signal"
