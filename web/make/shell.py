"""Run another program and say in one line what it made of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from web.make.failure import BuildError

# Any fixed moment after 1980, the first year of zip archives, gives the same bytes each time.
SOURCE_DATE_EPOCH = "1700000000"


def run(
    command: Sequence[str | Path],
    *,
    failing: str,
    given: str = "",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> str:
    """Give the command something to read, and return what it prints on standard output.

    Raises:
        BuildError: it could not be started or ended with an error; `failing` says what that
            means, the command's own last word why.
    """
    surroundings = {**os.environ, "SOURCE_DATE_EPOCH": SOURCE_DATE_EPOCH, **(env or {})}
    try:
        done = subprocess.run(
            [str(part) for part in command],
            check=False,
            capture_output=True,
            input=given,
            encoding="utf-8",
            errors="replace",
            cwd=cwd,
            env=surroundings,
        )
    except OSError as error:
        raise BuildError(failing, because=str(error)) from None
    if done.returncode:
        raise BuildError(failing, because=reason(done.stderr) or reason(done.stdout))
    return done.stdout


def pip(*arguments: str | Path, failing: str) -> str:
    """Run this environment's pip."""
    quiet = ["--disable-pip-version-check", "--no-input"]
    return run([sys.executable, "-m", "pip", *arguments, *quiet], failing=failing)


def reason(output: str) -> str:
    """Pick the line that says why: the last that names an error, else the last one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    named = [
        line for line in lines if re.search(r"error|failed|not match|cannot", line, re.IGNORECASE)
    ]
    return (named or lines or [""])[-1][:300]
