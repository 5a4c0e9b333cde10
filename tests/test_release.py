"""What people quote and rely on: one version, a changelog, a way to report."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from calculator import __version__

ROOT = Path(__file__).parents[1]
RELEASE = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - (?:unreleased|\d{4}-\d{2}-\d{2})$", re.MULTILINE)
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_version_stands_once_among_the_sources() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    source = ROOT / project["tool"]["hatch"]["version"]["path"]
    assert f'__version__ = "{__version__}"' in source.read_text("utf-8")
    said = [
        path
        for folder in ("calculator", "web")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".html", ".js", ".toml", ".j2"}
        if re.search(rf"(?<![\d.]){re.escape(__version__)}(?![\d.])", path.read_text("utf-8"))
        and path != source
    ]
    assert [path for path in said if "licenses" not in path.parts] == []


def test_the_command_line_says_the_version() -> None:
    command = [sys.executable, "-m", "calculator", "--version"]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == f"shm-sizer {__version__}\n"


def test_the_page_says_the_version(dist: Path) -> None:
    footer = (dist / "index.html").read_text("utf-8").partition("<footer>")[2]
    assert f"sizer {__version__}," in footer


def test_the_changelog_begins_with_this_version() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert RELEASE.findall(text)[0] == __version__
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= KINDS


@pytest.mark.parametrize("key", ["cff-version", "message", "title", "authors", "version"])
def test_the_citation_has_what_its_format_asks_for(key: str) -> None:
    told = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert told[key]
    assert str(told["version"]) == __version__
