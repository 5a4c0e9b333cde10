"""PyTorch itself, in real containers that have the size we recommend: tests/proof/run.py.

The record that it writes is part of the project, so that the checks need no PyTorch.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib

from web.make import shell
from web.make.places import Places
from web.make.stamps import say


def run(places: Places) -> int:
    """Install PyTorch where nothing else sees it, and run the proof; return its exit status."""
    settings = tomllib.loads(places.pyproject.read_text("utf-8"))["tool"]["shm-sizer"]["torch"]
    home = places.build / "torch"
    python = home / "bin" / "python"
    if not python.exists():
        shell.run([sys.executable, "-m", "venv", str(home)], failing="no environment for PyTorch")
    say("proof: PyTorch, about 1 GB the first time")
    install = [str(python), "-m", "pip", "install", "--quiet", *settings["packages"]]
    shell.run(install, failing="could not install PyTorch")
    command = [sys.executable, "-m", "tests.proof.run", str(python)]
    # A missing component is an error here, not a reason to skip.
    surroundings = {**os.environ, "CI": "true"}
    return subprocess.run(command, check=False, cwd=places.root, env=surroundings).returncode
