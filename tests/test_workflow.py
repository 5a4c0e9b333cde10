"""The workflow that publishes the site: what GitHub makes of it, and what it may do."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import github
from tests.support.components import component, run

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"\s*(?:- )?uses: [\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def read(file: Path) -> dict[Any, Any]:
    """Return a workflow's content."""
    content: dict[Any, Any] = yaml.safe_load(file.read_text("utf-8"))
    return content


@pytest.fixture(params=FILES, ids=[file.name for file in FILES])
def file(request: pytest.FixtureRequest) -> Path:
    """Return each workflow of the repository."""
    return Path(request.param)


def test_there_is_one_that_publishes() -> None:
    assert [file.name for file in FILES] == ["pages.yml"]


def test_github_understands_it(file: Path) -> None:
    assert github.read(file).errors == []


def test_a_mistake_in_it_would_be_found(file: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    text = file.read_text("utf-8")
    wrong.write_text(text.replace("runs-on: ubuntu-24.04", "run-on: ubuntu-24.04", 1), "utf-8")
    assert github.read(wrong).errors


def test_every_action_is_named_by_a_commit_and_its_release(file: Path) -> None:
    lines = [line for line in file.read_text("utf-8").splitlines() if "uses:" in line]
    assert lines
    assert [line for line in lines if not PINNED.fullmatch(line)] == []


def test_only_publishing_may_write_and_only_what_it_publishes(file: Path) -> None:
    content = read(file)
    assert content["permissions"] == {}
    rights = {name: job["permissions"] for name, job in content["jobs"].items()}
    assert rights == {
        "build": {"contents": "read", "pages": "read"},
        "publish": {"pages": "write", "id-token": "write"},
    }


def test_what_a_stranger_proposes_is_tested_and_not_published(file: Path) -> None:
    content = read(file)
    assert "pull_request_target" not in content[True]  # YAML 1.1 reads the key `on` so
    assert "github.event_name != 'pull_request'" in content["jobs"]["publish"]["if"]


def test_no_script_has_an_expression_in_it(file: Path) -> None:
    """What a runner puts into a script is run: values come through the environment."""
    for job in read(file)["jobs"].values():
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")


def test_its_scripts_call_the_build_as_it_is(file: Path) -> None:
    scripts = [step["run"] for step in read(file)["jobs"]["build"]["steps"] if "run" in step]
    assert scripts == ["python3 build.py test", 'python3 build.py --base-url "$BASE_URL"']
    done = run([component("python3"), *shlex.split(scripts[1])[1:2], "build", "--help"], cwd=ROOT)
    assert "--base-url" in done.stdout


def test_every_job_ends_some_day(file: Path) -> None:
    assert all(job["timeout-minutes"] <= 90 for job in read(file)["jobs"].values())
