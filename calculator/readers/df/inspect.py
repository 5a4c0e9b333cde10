"""`docker inspect` and `podman inspect`: the size and the IPC mode of a container."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from calculator.readers.df.verdict import of_size, words
from calculator.readers.reading import Origin, Reading, Remark
from calculator.typed import MAX_BYTES

_SIZE = re.compile(r'"ShmSize"\s*:\s*(?P<size>\d{1,18})')
_MODE = re.compile(r'"IpcMode"\s*:\s*"(?P<mode>[^"\n]{0,100})"')
_MEMORY = re.compile(r'"Memory"\s*:\s*(?P<memory>\d{1,18})')
_PLAIN = re.compile(r"(?:map\[)?(?P<size>\d{4,18})(?:\s+(?P<mode>[a-z][\w:.-]*))?\]?")


def inspect(text: str, lines: Sequence[str], need: int | None) -> Reading | None:
    """Read the output of `docker inspect`, whole, cut out or by --format; None if it is none."""
    found = _fields(text, lines)
    if found is None:
        return None
    total, mode, memory = found
    base, notes, warnings = mode.partition(":")[0], [], []
    verdict = of_size(total, need) if total is not None else None
    if base == "host":
        notes.append(words("host_ipc"))
        warnings += [
            Remark(id="ipc_host_makes_shm_size_moot", text=words("host_ipc")),
        ]
        verdict = "size_only"
    elif base == "none":
        notes.append(words("none_ipc"))
        verdict = "absent"
    elif base == "container":
        notes.append(words("shared_ipc", mode=mode))
    if total is not None and base not in {"host", "none"} and verdict:
        notes.insert(0, words(verdict, size=total, need=need or 0))
        if memory and total > memory:
            text_ = f"ShmSize {total} is above the memory limit {memory}: it counts toward it."
            warnings.append(Remark(id="shm_counts_toward_memory", text=text_))
    if not notes:
        notes.append(words("no_size"))
    parsed: dict[str, Any] = {
        "shm_bytes": total, "ShmSize": total, "ipc": mode or None, "IpcMode": mode or None,
        "memory_bytes": memory or None,
    }  # fmt: skip
    effective = base in {"", "private", "shareable"} and total is not None
    workload: dict[str, Any] = {"current_shm": total} if effective else {}
    if memory:
        workload["memory_limit"] = memory
    line = next((i for i, each in enumerate(lines, 1) if str(total) in each), 0)
    return Reading(
        kind="df",
        format="docker-inspect",
        verdict=verdict,
        size_bytes=total if base != "host" else None,
        parsed={key: value for key, value in parsed.items() if value is not None},
        workload=workload or None,
        notes=tuple(notes),
        warnings=tuple(warnings),
        effective="host /dev/shm" if base == "host" else "",
        origins=(Origin(path="current_shm", line=line, text=lines[line - 1][:400]),)
        if line and effective
        else (),
    )


def _fields(text: str, lines: Sequence[str]) -> tuple[int | None, str, int | None] | None:
    size, mode, memory = _SIZE.search(text), _MODE.search(text), _MEMORY.search(text)
    if size or mode:
        return (
            _number(size["size"]) if size else None,
            mode["mode"] if mode else "",
            _number(memory["memory"]) if memory else None,
        )
    for number, line in enumerate(lines):
        if "ShmSize" not in line or "inspect" not in line:
            continue
        for answer in lines[number + 1 : number + 3]:
            match = _PLAIN.search(answer.strip(" '\""))
            if match:
                return _number(match["size"]), match["mode"] or "", None
    return None


def _number(digits: str) -> int | None:
    value = int(digits)
    return value if value <= MAX_BYTES else None


def is_json(text: str) -> bool:
    """Whether the text as a whole is JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
