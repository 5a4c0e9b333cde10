"""Everything that must hold before a change is kept: style, types, tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from subprocess import CompletedProcess
from tempfile import TemporaryFile
from typing import Final

from web.make import browser, consumers, kubernetes, site
from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import say

SITE: Final = "SHM_SIZER_SITE"
"""Names the folder of a finished site to the tests, which then build none."""

READING: Final = {
    "style": ["ruff", "check"],
    "format": ["ruff", "format", "--check"],
    "types": ["mypy"],
}
BROWSER_TESTS: Final = "tests/browser"
OTHER_TESTS: Final = ("tests", f"--ignore={BROWSER_TESTS}")


def check(places: Places, base_url: str, pytest_arguments: Sequence[str]) -> int:
    """Build the site, run every check, show what each prints, and return 1 when any failed.

    Style and types are checked while the site is built; the tests come last.
    """
    with ThreadPoolExecutor(1) as beside:
        read = beside.submit(sources, places)
        site.build(places, base_url=base_url)
        os.environ[browser.VARIABLE] = str(browser.ensure())
        for components in (kubernetes, consumers):
            try:
                components.fetch(places)
            except BuildError as failure:
                say(f"{failure}; the tests that need it will say so")
        failed = list(tell(read.result()))
    if base_url:
        site.build(places)  # what is tested knows no address
    os.environ[SITE] = str(places.dist)
    if pytest_arguments:
        command = ["pytest", *pytest_arguments]
        failed += [] if passes(places, "tests", command) else ["tests"]
    else:
        failed += run_tests(places)
    if failed:
        say(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


def sources(places: Places) -> dict[str, CompletedProcess[str]]:
    """Check style and types, and keep to itself what these print."""
    return {
        name: subprocess.run(
            [sys.executable, "-m", *command],
            check=False,
            cwd=places.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for name, command in READING.items()
    }


def tell(done: Mapping[str, CompletedProcess[str]]) -> Iterator[str]:
    """Show what each has printed, and yield the names of what failed."""
    for name, process in done.items():
        say(f"check: {name}")
        sys.stdout.write(process.stdout)
        sys.stdout.flush()
        if process.returncode:
            yield name


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
