"""Turning what a signature's groups caught into numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Final

from calculator.typed import MAX_BYTES
from calculator.units import KIB, SizeError, parse_size, read_kubernetes

_TEXTS: Final = frozenset(
    {
        "volume", "value", "key", "object", "pod", "container", "service", "process", "path",
        "host", "address", "exception", "exception_text", "errno_text", "torch_version",
        "nccl_version", "python_version", "signal", "torch_era", "signal_name", "step_id",
        "grammar", "constraint", "asked_size_text", "shm_volume",
    }
)  # fmt: skip

_SIGNALS: Final = {
    "segmentation fault": "SIGSEGV", "sigsegv": "SIGSEGV", "segfault": "SIGSEGV",
    "access violation": "SIGSEGV",
    "aborted": "SIGABRT",
    "illegal instruction": "SIGILL", "sigill": "SIGILL", "floating point exception": "SIGFPE",
    "floating-point exception": "SIGFPE", "double free": "SIGABRT", "terminated": "SIGTERM",
    "interrupt": "SIGINT", "hangup": "SIGHUP",
}  # fmt: skip

_BY_NUMBER: Final = {
    4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM"
}  # fmt: skip

ERRNO_TEXTS: Final = {
    "no space left on device": 28, "too many open files in system": 23, "too many open files": 24,
    "cannot allocate memory": 12, "no such file or directory": 2, "permission denied": 13,
    "read-only file system": 30, "file exists": 17, "disk quota exceeded": 122,
    "function not implemented": 38, "resource temporarily unavailable": 11,
    "no route to host": 113, "connection refused": 111, "operation not permitted": 1,
}  # fmt: skip

_ERRNO: Final = (
    re.compile(r"\[Errno (\d{1,3})\]"),
    re.compile(r"(?:[A-Za-z]|Success) \((\d{1,3})\)(?!\s?[:\w])"),
    re.compile(r"(?:os error|errno:?|Error code:?) (\d{1,3})\b"),
)
_NUMBER: Final = re.compile(r"-?\d{1,18}")


def read(groups: Mapping[str, str]) -> dict[str, Any]:
    """Return the groups under their meaning: sizes in bytes, numbers as numbers."""
    found: dict[str, Any] = {}
    for name, text in groups.items():
        key = re.sub(r"(?<=[a-z])\d$", "", name)
        value = _value(key, text)
        if value is not None:
            found[value[0]] = value[1]
    return found


def _value(key: str, text: str) -> tuple[str, Any] | None:
    for end, reader in _SIZE_ENDS.items():
        if key.endswith(end):
            size = reader(text)
            return None if size is None else (f"{key.removesuffix(end)}_bytes", size)
    if key == "pids":
        return key, [int(pid) for pid in text.split(",")]
    if key == "signal_name":
        name = text.lower()
        return "signal", next((code for word, code in _SIGNALS.items() if word in name), text)
    number = _NUMBER.fullmatch(text) is not None
    if key == "exit_code" and not number:
        return None
    return key, int(text) if number and key not in _TEXTS else text


def _any_size(text: str) -> int | None:
    """Read a size as Docker, df and people write it: all powers of 1024."""
    try:
        return _within(parse_size(text.strip().rstrip(".")))
    except (SizeError, ArithmeticError):
        return None


def _quantity(text: str) -> int | None:
    """Read a Kubernetes quantity; what is none, as people write it."""
    try:
        return _within(read_kubernetes(text.strip().rstrip(".")))
    except (SizeError, ArithmeticError):
        return _any_size(text)


def _kilobytes(text: str) -> int | None:
    return _within(int(text) * KIB)


def _gigabytes(text: str) -> int | None:
    """Read Ray's GB, which are powers of 1000."""
    try:
        return _within(int(Decimal(text.rstrip(".")) * 10**9))
    except ArithmeticError:
        return None


def _within(size: int) -> int | None:
    return size if 0 <= size <= MAX_BYTES else None


_SIZE_ENDS: Final[dict[str, Callable[[str], int | None]]] = {
    "_size": _any_size,
    "_quantity": _quantity,
    "_kb": _kilobytes,
    "_decimal": _gigabytes,
}


def errno_of(text: str) -> int | None:
    """Return the error number that a line states, in digits or in words."""
    for pattern in _ERRNO:
        stated = pattern.search(text)
        if stated:
            return int(stated[1])
    low = text.lower()
    return next((number for words, number in ERRNO_TEXTS.items() if words in low), None)


def signal_of(exit_code: int) -> str | None:
    """Name the signal behind an exit code: 135 and -7 are SIGBUS."""
    number = -exit_code if exit_code < 0 else exit_code - 128
    return _BY_NUMBER.get(number)
