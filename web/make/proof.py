"""PyTorch itself: in real containers of the size we recommend, and under the tests that need one.

The records of both (tests/proof, tests/lab) are part of the project, so that the ordinary checks
need no PyTorch. Where there is one, they run these tests, too; elsewhere they skip them and say so.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Final

from web.make import shell
from web.make.places import Places
from web.make.stamps import say

LIVE: Final = ("tests/probe/test_torch.py", "tests/lab", "tests/inspector")
"""The probe around a real training loop, the lab at work, the inspector on real loaders."""


def run(places: Places) -> int:
    """Install PyTorch where nothing else sees it, and run both; 1 if one of them failed."""
    python = install(places)
    commands = (
        [sys.executable, "-m", "tests.proof.run", str(python)],
        [sys.executable, "-m", "pytest", *LIVE],
    )
    # A missing component is an error here, not a reason to skip.
    surroundings = {**os.environ, "CI": "true"}
    done = [
        subprocess.run(command, check=False, cwd=places.root, env=surroundings)
        for command in commands
    ]
    return int(any(each.returncode for each in done))


def install(places: Places) -> Path:
    """Return the Python of an environment that has the pinned PyTorch."""
    settings = tomllib.loads(places.pyproject.read_text("utf-8"))["tool"]["shm-sizer"]["torch"]
    home = places.build / "torch"
    python = home / "bin" / "python"
    if not python.exists():
        shell.run([sys.executable, "-m", "venv", str(home)], failing="no environment for PyTorch")
    say("proof: PyTorch, about 1 GB the first time")
    packages = [str(python), "-m", "pip", "install", "--quiet", *settings["packages"]]
    shell.run(packages, failing="could not install PyTorch")
    return python
