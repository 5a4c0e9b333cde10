"""Everything that must hold before a change is kept: style, types, tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from web.make import browser, consumers, kubernetes
from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import say


def check(places: Places, pytest_arguments: Sequence[str]) -> int:
    """Run every check, show what each prints, and return 1 when any failed; the tests come last."""
    os.environ[browser.VARIABLE] = str(browser.ensure())
    for components in (kubernetes, consumers):
        try:
            components.fetch(places)
        except BuildError as failure:
            say(f"{failure}; the tests that need it will say so")
    commands = {
        "style": ["ruff", "check"],
        "format": ["ruff", "format", "--check"],
        "types": ["mypy"],
        "tests": ["pytest", *pytest_arguments],
    }
    failed = [name for name, command in commands.items() if not passes(places, name, command)]
    if failed:
        say(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


def passes(places: Places, name: str, command: Sequence[str]) -> bool:
    """Run one tool of this environment in the repository's root."""
    say(f"check: {name}")
    done = subprocess.run([sys.executable, "-m", *command], check=False, cwd=places.root)
    return done.returncode == 0
