"""Real components that tests need: found, or skipped with a reason, or failed in CI."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

import pytest

from web.make.places import Places

HOME = Places(Path(__file__).parents[2]).components
"""Where .ci/components and the build put programs, and where the helpers keep their files."""

_PLACES = [
    *(str(HOME / "bin"), os.environ.get("PATH", os.defpath)),
    *("/usr/sbin", "/sbin", "/usr/libexec/podman"),
]


def component(name: str) -> str:
    """Return the path of a program; without it skip, or fail where CI=true."""
    found = shutil.which(name, path=os.pathsep.join(_PLACES))
    return found or missing(f"{name} is not installed")


def missing(reason: str) -> NoReturn:
    """Skip with a reason; in CI nothing may be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason}; CI must install it")
    pytest.skip(reason)


def root(purpose: str) -> None:
    """Go on only as root, whom a real kernel lets do what the purpose names."""
    if os.name != "posix" or os.geteuid() != 0:
        missing(f"{purpose} needs root on Linux")


def run(
    command: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    given: str | None = None,
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, whatever that is; `env` adds to this process's own."""
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        input=given,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        timeout=timeout,
    )
