"""The probe runs on the Pythons of old images, and stands alone."""

from __future__ import annotations

import ast
import shutil
import signal
import sys

import pytest

from tests.support.components import run
from tests.support.probing import FILE, probed

SOURCE = FILE.read_text(encoding="utf-8")


def test_its_syntax_is_that_of_python_3_8() -> None:
    ast.parse(SOURCE, feature_version=(3, 8))


def test_it_imports_the_standard_library_of_python_3_8_and_nothing_else() -> None:
    newer = {"zoneinfo", "graphlib", "tomllib"}
    for node in ast.walk(ast.parse(SOURCE)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            top = name.partition(".")[0]
            assert top in sys.stdlib_module_names - newer


NEWER = {
    "removeprefix": "3.9",
    "removesuffix": "3.9",
    "waitstatus_to_exitcode": "3.9",
    "pidfd_open": "3.9",
    "is_relative_to": "3.9",
    "bit_count": "3.10",
    "pairwise": "3.10",
    "batched": "3.12",
    "process_group": "3.11",
    "add_note": "3.11",
}


def test_it_uses_no_method_that_came_later() -> None:
    used = {node.attr for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, ast.Attribute)}
    keywords = {
        keyword.arg
        for node in ast.walk(ast.parse(SOURCE))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
    }
    assert not (used | keywords) & NEWER.keys()
    assert "strict" not in keywords


def older(minor: int) -> str:
    """Return a Python 3.minor of this machine, on the path or kept by pyenv; or skip."""
    program = shutil.which(f"python3.{minor}")
    if program is not None and run([program, "-V"]).returncode == 0:
        return program
    keeper = shutil.which("pyenv")
    kept = run([keeper, "versions", "--bare"]).stdout.split() if keeper is not None else []
    for version in kept:
        if keeper is not None and version.startswith(f"3.{minor}."):
            return run([keeper, "prefix", version]).stdout.strip() + "/bin/python"
    pytest.skip(f"Python 3.{minor} is not installed; no package of Debian 12 has it")


@pytest.mark.parametrize("minor", [8, 9, 10, 12, 13])
def test_an_older_and_a_newer_python_run_it(minor) -> None:
    python = older(minor)
    done = probed(
        run([python, "-W", "error", FILE, "--", "sh", "-c", "echo a; sleep 3; kill -BUS $$"])
    )
    assert (done.status, done.out) == (-signal.SIGBUS, "a\n")
    assert done.record["job"]["processes"] == 2  # the shell and its sleep


def test_without_site_packages_it_runs_too() -> None:
    done = run([sys.executable, "-I", "-S", "-W", "error", FILE, "--", "sh", "-c", "exit 9"])
    assert done.returncode == 9
