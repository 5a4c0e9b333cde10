"""GitHub's own parser of workflows, and its evaluation of their expressions."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.components import HOME, missing, run
from web.make.node import node

SCRIPT = Path(__file__).with_name("workflow.mjs")


@dataclass(frozen=True)
class Job:
    """What a workflow's first job comes to on a runner, or why there is none."""

    errors: list[str]
    container: dict[str, str] = field(default_factory=dict)
    runs: list[str] = field(default_factory=list)


def read(file: Path) -> Job:
    """Parse a workflow and evaluate its container's keys and its scripts."""
    packages = HOME / "node_modules"
    if not (packages / "@actions").is_dir():
        missing("GitHub's workflow parser is not there: build.py test fetches it")
    done = run([node(), SCRIPT, packages, file])
    assert done.returncode == 0, done.stderr
    return Job(**json.loads(done.stdout))
