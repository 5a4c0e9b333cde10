"""build.json names the source as git does."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from web.make import trees
from web.make.places import Places

FILES = {
    "a": b"",
    "a.b/c": b"x",
    "a-b": b"y",
    "folder/z": b"\0\xff",
    "folder/größe.txt": "ü".encode(),
    "folder/deeper/still/file": b"content\r\n",
    "run": b"#!/bin/sh\n",
}


def git(folder: Path, *arguments: str, **surroundings: str) -> str:
    """Run git in a folder, taking files as they are."""
    quiet = ("-c", "core.autocrlf=false", "-c", "core.fileMode=true")
    done = subprocess.run(
        ["git", *quiet, *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, **surroundings},
    )
    return done.stdout.strip()


def test_a_folder_is_named_as_git_names_it(tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "run").chmod(0o755)
    (tmp_path / "folder" / "empty").mkdir()
    ours = trees.name(tmp_path)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_bytes(b"z")
    assert trees.name(tmp_path) == ours
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", *(name for name in FILES))
    assert git(tmp_path, "write-tree") == ours
    assert git(tmp_path, "hash-object", "folder/z") == trees.name(tmp_path / "folder" / "z")


def test_content_names_and_rights_count(tmp_path: Path) -> None:
    file = tmp_path / "x" / "file"
    file.parent.mkdir()
    file.write_bytes(b"1")
    names = [trees.name(file.parent)]
    file.write_bytes(b"2")
    names.append(trees.name(file.parent))
    file.chmod(0o755)
    names.append(trees.name(file.parent))
    file.rename(file.with_name("other"))
    names.append(trees.name(file.parent))
    assert len(set(names)) == 4


def test_the_record_names_all_that_the_repository_gives(
    dist: Path, places: Places, tmp_path: Path
) -> None:
    """Git says the same of the files as they lie here, committed or not."""
    said = json.loads((dist / "build.json").read_text("utf-8"))["sources"]
    assert {"calculator", "presets", "web", "pyproject.toml", "requirements.lock"} <= set(said)
    if not (places.root / ".git").exists():
        pytest.skip("this copy of the repository is no checkout of git's")
    objects = Path(git(places.root, "rev-parse", "--path-format=absolute", "--git-path", "objects"))
    aside = {
        "GIT_INDEX_FILE": str(tmp_path / "index"),
        "GIT_OBJECT_DIRECTORY": str(tmp_path / "objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects),
    }
    (tmp_path / "objects").mkdir()
    git(places.root, "add", "--", *said, **aside)
    tree = git(places.root, "write-tree", **aside)
    for name, ours in said.items():
        assert git(places.root, "rev-parse", f"{tree}:{name}", **aside) == ours, name
