"""Names that follow the content: what a browser has kept under one is right for good."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from web.make import assets, hashed
from web.make.failure import BuildError


def folder_of(tmp_path: Path, name: str, **contents: str) -> Path:
    """Write a folder of files."""
    made = tmp_path / name
    made.mkdir()
    for file, text in contents.items():
        (made / file).write_text(text, "utf-8")
    return made


def test_a_name_follows_names_and_contents(tmp_path: Path) -> None:
    """The same files have the same name wherever they lie; any difference makes another."""
    one = folder_of(tmp_path, "one", a="1", b="2")
    assert hashed.name(folder_of(tmp_path, "same", b="2", a="1")) == hashed.name(one)
    others = [
        folder_of(tmp_path, "content", a="1", b="3"),
        folder_of(tmp_path, "names", a="1", c="2"),
        folder_of(tmp_path, "fewer", a="1"),
        folder_of(tmp_path, "swapped", a="2", b="1"),
    ]
    names = {hashed.name(each) for each in [one, *others]}
    assert len(names) == 5
    assert all(re.fullmatch("[0-9a-f]{12}", name) for name in names)


@pytest.mark.parametrize("kind", ["a", "py"])
def test_the_sites_folders_are_named_so(dist: Path, kind: str, tmp_path: Path) -> None:
    """Compressed copies beside the files are not counted."""
    there = hashed.folder(dist, kind)
    for path in there.rglob("*"):
        if path.is_file() and path.suffix not in {".br", ".gz"}:
            copy = tmp_path / path.relative_to(there)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    assert hashed.name(tmp_path) == there.name


def test_nothing_lies_beside_those_folders(dist: Path) -> None:
    for kind in ("a", "py"):
        assert [path.name for path in (dist / kind).iterdir()] == [hashed.folder(dist, kind).name]


def test_scripts_know_where_python_lies(dist: Path) -> None:
    """As seen from the script that says so."""
    for name in ("worker.js", "main.js"):
        script = hashed.folder(dist, "a") / "js" / name
        told = dict(re.findall(r'const (PYTHON|ROOT) = "([^"]*)";', script.read_text("utf-8")))
        assert (script.parent / told["PYTHON"]).resolve() == hashed.folder(dist, "py").resolve()
        assert (script.parent / told["ROOT"] / "index.html").is_file()


@pytest.mark.parametrize("count", [0, 2])
def test_an_unclear_folder_is_refused(tmp_path: Path, count: int) -> None:
    for number in range(count):
        (tmp_path / "a" / f"{number:012x}").mkdir(parents=True)
    with pytest.raises(BuildError, match=f"holds {count} folders"):
        hashed.folder(tmp_path, "a")


def test_a_script_without_its_places_is_refused() -> None:
    with pytest.raises(BuildError, match="does not hold the line"):
        assets.placed('export const PYTHON = "elsewhere/";', {"PYTHON": "../py/"})


def test_hosts_that_read_headers_from_a_file_are_told(dist: Path) -> None:
    """What never changes is kept; pages are asked for again, which is what such hosts do anyway."""
    rules: dict[str, dict[str, str]] = {}
    path = ""
    for line in (dist / "_headers").read_text("utf-8").splitlines():
        if line.startswith(" "):
            name, _, value = line.strip().partition(": ")
            rules[path][name] = value
        else:
            path = line
            rules[path] = {}
    assert set(rules) == {"/*", "/a/*", "/py/*"}
    for path in ("/a/*", "/py/*"):
        assert rules[path] == {"Cache-Control": "public, max-age=31536000, immutable"}
    assert "wasm-unsafe-eval" in rules["/*"]["Content-Security-Policy"]
    assert "Cache-Control" not in rules["/*"]
