"""Blocks as the engine renders them, for a job that differs from the default, or for a preset."""

from __future__ import annotations

from calculator import presets, report
from calculator.blocks import Block
from calculator.report import Report
from calculator.units import MIB
from calculator.workload import parse

SIZES = [64 * MIB, 5_550_112_768, 8 << 30]
"""Asked of a real kernel: the default, one that is no whole number of GiB, a usual one."""


def answer(target: str, *, shm: int | None = None, **values: object) -> Report:
    """Return the whole answer, with this block."""
    return report.build(parse(values), shm_bytes=shm, targets=[target])


def block(target: str, *, shm: int | None = None, **values: object) -> Block:
    """Return the block."""
    return answer(target, shm=shm, **values).targets[0]


def text(target: str, *, shm: int | None = None, **values: object) -> str:
    """Return the text of the block."""
    return block(target, shm=shm, **values).text


def of_preset(target: str, preset: str) -> str:
    """Return the text of the block for a preset."""
    return report.build(presets.load(preset).workload, targets=[target]).targets[0].text
