"""What a person may type that no block may break on, and blocks for a job with it."""

from __future__ import annotations

import shlex

from calculator import report
from calculator.blocks import Block
from calculator.workload import parse

IMAGE = 'x"; rm -rf / #$(id) {{ a }} ${{ b }} %{if} %n\\'
ARGV = ["python", "my dir/train.py", "--x=a: b", "", ";", "$(id) `id`", "%{if} $$${a}", "it's", "#"]
HOSTILE = {"image": IMAGE, "command": shlex.join(ARGV)}


def block(target: str, *, shm: int | None = None, **values: object) -> Block:
    """Return a target's block for a job that differs from the default in these values."""
    return report.build(parse(values), shm_bytes=shm, targets=[target]).targets[0]
