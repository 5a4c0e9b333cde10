"""build.py as a person runs it: mistakes and missing things end in one clear line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from web.make.places import Places

# Every way to a network ends at a port where nothing listens, at once.
NOWHERE = "http://127.0.0.1:9"
OFFLINE = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), NOWHERE),
    **dict.fromkeys(("NO_PROXY", "no_proxy", "PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"), ""),
    "PIP_CONFIG_FILE": os.devnull,
    "PIP_INDEX_URL": NOWHERE,
    "PIP_RETRIES": "0",
    "npm_config_registry": NOWHERE,
    "npm_config_fetch_retries": "0",
}


def build(
    root: Path, *arguments: str, python: str = sys.executable
) -> subprocess.CompletedProcess[str]:
    """Run a checkout's build.py without any network."""
    return subprocess.run(
        [python, str(root / "build.py"), *arguments],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **OFFLINE},
        timeout=120,
    )


def test_second_run_needs_no_network(dist: Path, places: Places) -> None:
    """What was fetched once is not fetched again."""
    assert dist.is_dir()
    done = build(places.root)
    assert (done.returncode, done.stderr) == (0, "build: dist/ is ready\n")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["paint"], "invalid choice: 'paint'"),
        (["build", "--fast"], "unknown argument: --fast"),
        (["serve", "--port", "many"], "'many' is not a port: a number below 65536"),
        (["serve", "--port", "-1"], "'-1' is not a port: a number below 65536"),
        (["serve", "--port", "70000"], "'70000' is not a port: a number below 65536"),
    ],
)
def test_mistakes_in_the_command(places: Places, arguments: list[str], line: str) -> None:
    """A wrong word is named before anything is done."""
    done = build(places.root, *arguments)
    assert done.returncode == 2
    assert line in done.stderr.splitlines()[-1]


def test_first_run_without_network(places: Places, tmp_path: Path) -> None:
    """A new checkout that reaches no network says so in one line."""
    for name in ("build.py", "requirements.lock"):
        shutil.copy(places.root / name, tmp_path)
    done = build(tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("build: could not install what requirements")


def test_runtime_out_of_reach(places: Places, tmp_path: Path) -> None:
    """With the environment but without the runtime, the line names the npm package."""
    code = (
        "import sys; from pathlib import Path; from argparse import Namespace\n"
        "from web.make import commands\n"
        "options = Namespace(command='build', base_url='', rest=[])\n"
        "raise SystemExit(commands.run(Path(sys.argv[1]), options))"
    )
    shutil.copy(places.pyproject, tmp_path)
    shutil.copy(places.lock, tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **OFFLINE},
        cwd=places.root,
        timeout=120,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "stopped: could not fetch pyodide@" in done.stderr.splitlines()[-1]
