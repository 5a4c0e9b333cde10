"""A PyTorch for tests that need a real one: what the lab or the proof has installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = "{}.{}".format(*sys.version_info[:2])


def packages() -> Path:
    """Return a folder with a PyTorch for this Python, or skip: none of them is small.

    `python3 build.py lab` and `python3 build.py prove` install one.
    """
    lab = sorted((ROOT / ".build" / "lab").glob(f"torch-*-python{HERE}/installed"))
    proof = sorted((ROOT / ".build" / "torch").glob(f"lib/python{HERE}/site-packages/torch"))
    found = [each.parent for each in [*lab, *proof]]
    if not found:
        pytest.skip("PyTorch is not installed: build.py prove installs it and runs this")
    return found[-1]


def python() -> str:
    """Return the interpreter, without this environment's packages."""
    return os.path.realpath(sys.executable)


def run(script: Path, *words: str, **env: str) -> str:
    """Run a script with PyTorch; return what it prints, or fail with what it says."""
    surroundings = {**os.environ, "PYTHONPATH": f"{packages()}{os.pathsep}{ROOT}", **env}
    done = subprocess.run(
        [python(), "-B", str(script), *words],
        capture_output=True,
        text=True,
        check=False,
        env=surroundings,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
