"""Everything that must hold before a change is kept: style, types, tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from tempfile import TemporaryFile
from typing import Final

from web.make import browser, consumers, kubernetes, site
from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import say

SITE: Final = "SHM_SIZER_SITE"
"""Names the folder of a finished site to the tests, which then build none."""

BROWSER_TESTS: Final = "tests/browser"
OTHER_TESTS: Final = ("tests", f"--ignore={BROWSER_TESTS}")


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
    }
    failed = [name for name, command in commands.items() if not passes(places, name, command)]
    if pytest_arguments:
        command = ["pytest", *pytest_arguments]
        failed += [] if passes(places, "tests", command) else ["tests"]
    else:
        failed += run_tests(places)
    if failed:
        say(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


def passes(places: Places, name: str, command: Sequence[str]) -> bool:
    """Run one tool of this environment in the repository's root."""
    say(f"check: {name}")
    done = subprocess.run([sys.executable, "-m", *command], check=False, cwd=places.root)
    return done.returncode == 0


def run_tests(places: Places) -> list[str]:
    """Run all tests, those in the browser beside the others; return the names of what failed.

    A page waits more than it works, so the two together take little longer than one. The browser
    gets a copy of the site: other tests build it anew meanwhile.
    """
    try:
        site.build(places)
    except BuildError as failure:
        say(str(failure))
        return ["tests"]
    copy = places.build / "site-under-test"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(places.dist, copy)
    pytest = [sys.executable, "-m", "pytest"]
    aside = [*pytest, BROWSER_TESTS, "-o", f"cache_dir={places.build / 'pytest-browser'}"]
    say("check: tests, and those in the browser beside them")
    with TemporaryFile() as printed:
        started = subprocess.Popen(
            aside,
            cwd=places.root,
            env={**os.environ, SITE: str(copy)},
            stdout=printed,
            stderr=subprocess.STDOUT,
        )
        others = passes(places, "tests but those in the browser", [*pytest[2:], *OTHER_TESTS])
        in_browser = started.wait() == 0
        printed.seek(0)
        say("check: tests in the browser")
        shutil.copyfileobj(printed, sys.stdout.buffer)
    results = {"tests": others, "tests in the browser": in_browser}
    return [name for name, passed in results.items() if not passed]
