"""Blocks of jobs that tests of several families look at."""

from __future__ import annotations

import shlex

from calculator import presets, report
from calculator.units import MIB
from calculator.workload import parse

SIZES = [64 * MIB, 5_550_112_768, 8 << 30]
"""Asked of a real kernel: the default, one that is no whole number of GiB, a usual one."""

IMAGES = ['x"; rm -rf / #', "$(id) {{ a }} ${{ b }}", "a.example/b/c:1 # '{{ '$' }}' ''"]
COMMANDS = [
    "python \"my dir/train.py\" --x='a: b'",
    """printf %s '$HOME $$ $(id) `id`' "it''s" '{{ .V }} ${{ github.token }} }}' '' '%{if}'""",
]
HOSTILE = list(zip(IMAGES, [*COMMANDS, COMMANDS[0]], strict=True))


def text(target: str, *, shm: int | None = None, **values: object) -> str:
    """The block for a job."""
    return report.build(parse(values), shm_bytes=shm, targets=[target]).targets[0].text


def of_preset(target: str, preset: str) -> str:
    """The block for a preset."""
    return report.build(presets.load(preset).workload, targets=[target]).targets[0].text


def hostile(target: str, image: str, command: str) -> str:
    """The block with what nobody should type."""
    return text(target, deployment={"image": image, "command": command})


def words(command: str) -> list[str]:
    """The words of a command as the person means them."""
    return shlex.split(command)
