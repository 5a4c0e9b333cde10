"""Real DataLoaders of one PyTorch and Python after the other: tests/lab/.

What they do is kept in tests/lab/results.json, from which the page's tables are made, so that
neither the build nor the checks need a PyTorch.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from argparse import Namespace
from pathlib import Path
from typing import Final

from web.make import shell
from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import say

FIRST_WITH_NUMPY_2: Final = (2, 3)
"""Before this version PyTorch was compiled for numpy 1."""


def run(places: Places, options: Namespace) -> int:
    """Measure in every PyTorch and Python asked for; 1 if one of them could not be measured.

    Raises:
        BuildError: something is missing that all of it needs.
    """
    if os.name != "posix" or os.geteuid() != 0 or not shutil.which("unshare"):
        raise BuildError("the lab mounts tmpfses of its own: it needs root on Linux, and unshare")
    words = [f"--only={name}" for name in options.only]
    words += [f"--{name}" for name in ("quick", "missing") if getattr(options, name)]
    statuses = [
        measure(places, torch, python, words)
        for torch in options.torch or [pinned(places)]
        for python in options.python or ["{}.{}".format(*sys.version_info[:2])]
    ]
    return int(any(statuses))


def measure(places: Places, torch: str, python: str, words: list[str]) -> int:
    """Measure in one PyTorch; return the exit status."""
    say(f"lab: PyTorch {torch}, Python {python}")
    command = interpreter(python)
    packages = install(places, torch, python)
    wanted = [sys.executable, "-m", "tests.lab.run", str(packages), command, *words]
    return subprocess.run(wanted, check=False, cwd=places.root).returncode


def pinned(places: Places) -> str:
    """Return the version of PyTorch that `build.py prove` runs, too."""
    settings = tomllib.loads(places.pyproject.read_text("utf-8"))["tool"]["shm-sizer"]["torch"]
    (found,) = (word for word in settings["packages"] if word.startswith("torch=="))
    return str(found).removeprefix("torch==")


def interpreter(version: str) -> str:
    """Return the path of an installed Python.

    Raises:
        BuildError: it is not installed.
    """
    if version == "{}.{}".format(*sys.version_info[:2]):
        return os.path.realpath(sys.executable)
    found = shutil.which(f"python{version}")
    if not found:
        raise BuildError(f"python{version} is not installed here, and the lab installs none")
    return found


def install(places: Places, torch: str, python: str) -> Path:
    """Put PyTorch into a folder that only the lab looks into; it takes gigabytes.

    Raises:
        BuildError: there is none for this Python.
    """
    target = places.build / "lab" / f"torch-{torch}-python{python}"
    done = target / "installed"
    if done.exists():
        return target
    release = tuple(int(part) for part in torch.split(".")[:2])
    wheels = ["--only-binary=:all:", "--implementation=cp", f"--python-version={python}"]
    numpy = "numpy" if release >= FIRST_WITH_NUMPY_2 else "numpy<2"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-cache-dir", *wheels]
    what = [f"--target={target}", f"torch=={torch}", numpy]
    shell.run([*command, *what], failing=f"could not install PyTorch {torch} for Python {python}")
    done.touch()
    return target
