"""What dist/ holds: everything the page needs, nothing else, and no way to another host."""

from __future__ import annotations

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from web.make import archive, bundle, site
from web.make.places import Places
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
    assert sorted(path.name for path in (dist / "py").iterdir()) == sorted(bundle.CONTENT)


def pages(dist: Path) -> list[Path]:
    """Return every page of the site."""
    return sorted(dist.rglob("*.html"))


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
    checked = [*dist.glob("js/**/*.js"), *dist.glob("css/**/*.css")]
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
    record = json.loads((dist / "build.json").read_text("utf-8"))
    there = {path.relative_to(dist).as_posix(): path for path in files(dist)}
    del there["build.json"]
    assert {name: entry["sha256"] for name, entry in record["files"].items()} == {
        name: sha256(path) for name, path in there.items()
    }
    for entry in record["inputs"]:
        assert entry["version"]
        assert entry.get("sha256") or entry["integrity"].startswith("sha512-")
    assert {"pyodide", "pydantic", "shm-sizer"} <= {entry["name"] for entry in record["inputs"]}


@pytest.mark.parametrize("suffix", [".pyc", ".toml", ".j2"])
def test_archive_carries_the_engine(dist: Path, suffix: str) -> None:
    """Code and data of the engine are in the archive."""
    names = archive.read(dist / "py" / bundle.START)
    assert any(n.startswith("calculator/") and n.endswith(suffix) for n in names)


def test_second_build_gives_the_same_bytes(dist: Path, places: Places, tmp_path: Path) -> None:
    """Built in another folder from the same fetched files, the site is the same to the byte."""
    there = Places(tmp_path / "elsewhere")
    for part in ("pyproject.toml", "requirements.lock", "README.md", "LICENSE", "calculator"):
        copy(places.root / part, there.root / part)
    for part in ("presets", "web/js", "web/templates", "web/make"):
        copy(places.root / part, there.root / part)
    copy(places.runtime, there.runtime)
    copy(places.wheels, there.wheels)
    site.assemble(there)
    site.publish(there, "")
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
