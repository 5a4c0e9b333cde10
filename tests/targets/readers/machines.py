"""Machines and what runs on them without a size of its own."""

from __future__ import annotations

import configparser
import re
from collections.abc import Callable

from calculator.units import read_tmpfs


def _tmpfs(text: str) -> int:
    (size,) = re.findall(r"^size=(\S+)", text, re.MULTILINE)
    (threshold,) = re.findall(r"bytes=(\d+)$", text, re.MULTILINE)
    assert read_tmpfs(size) >= int(threshold)
    return read_tmpfs(size)


def wsl_command(text: str) -> list[str]:
    """Return the words of the command that WSL runs as a distribution starts."""
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    assert parser.sections() == ["boot"]
    return parser["boot"]["command"].split()


def _wsl(text: str) -> int:
    mount, option, options, path = wsl_command(text)
    assert [mount, option, path] == ["mount", "-o", "/dev/shm"]  # noqa: S108
    remount, size = options.split(",")
    assert remount == "remount"
    return read_tmpfs(size.removeprefix("size="))


READERS: dict[str, Callable[[str], int]] = {"bare-metal": _tmpfs, "wsl2": _wsl}
SIZELESS = {"apptainer"}
