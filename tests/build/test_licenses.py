"""dist/licenses/: nothing is handed out without the text of its licence."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

from web.make import bundle, crates, hashed, licenses
from web.make.failure import BuildError
from web.make.places import Places

PHRASES = {
    "annotated-types.txt": "Copyright (c) 2022 the contributors",
    "bzip2.txt": "Julian R Seward",
    "emscripten.txt": "Emscripten authors",
    "error-stack-parser.txt": "Eric Wendelin",
    "hacl.txt": "INRIA",
    "jinja2.txt": "Copyright 2007 Pallets",
    "llvm.txt": "LLVM Exceptions to the Apache 2.0 License",
    "markupsafe.txt": "Copyright 2010 Pallets",
    "mpl-2.0.txt": "Mozilla Public License Version 2.0",
    "musl.txt": "Rich Felker",
    "public-domain.txt": "May you do good and not evil.",
    "pydantic-core.txt": "Samuel Colvin",
    "pydantic.txt": "Pydantic Services Inc.",
    "python.txt": "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2",
    "ruamel-yaml.txt": "Anthon van der Neut",
    "rust.txt": "The Rust Project Contributors",
    "shm-sizer.txt": "the shm-sizer authors",
    "stackframe.txt": "Eric Wendelin",
    "typing-extensions.txt": "Python Software Foundation",
    "typing-inspection.txt": "Pydantic Services Inc. 2025",
}
"""Who must be named, or what must be said, in which file: each was opened and read."""


class Page(HTMLParser):
    """Collects a page's links and the first cell of each row."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.rows: list[str] = []
        self._in_row_header = False
        self.feed(file.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "a":
            self.links.append(values["href"] or "")
        if tag == "th" and values.get("scope") == "row":
            self._in_row_header = True
            self.rows.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "th":
            self._in_row_header = False

    def handle_data(self, data: str) -> None:
        if self._in_row_header:
            self.rows[-1] += data


@pytest.fixture(scope="module")
def page(dist: Path) -> Page:
    """Return the page that lists what the site is made of."""
    return Page(dist / "licenses" / "index.html")


def test_every_text_is_there_and_says_whose_it_is(dist: Path) -> None:
    there = {file.name: file for file in (dist / "licenses").glob("*.txt")}
    assert set(there) == set(PHRASES)
    for name, phrase in PHRASES.items():
        text = there[name].read_text("utf-8")
        assert phrase in text, name
        assert "�" not in text, name


def test_every_text_is_linked_and_every_link_leads_to_one(dist: Path, page: Page) -> None:
    local = {link for link in page.links if not link.startswith("https:")}
    assert local == {*PHRASES, "../index.html"}
    assert all((dist / "licenses" / link).is_file() for link in local)


@pytest.mark.parametrize("name", ["index.html", "p/llm-tokens.html"])
def test_every_page_leads_there(dist: Path, name: str) -> None:
    linked = [link for link in Page(dist / name).links if "licenses" in link]
    assert [((dist / name).parent / link).resolve() for link in linked] == [
        (dist / "licenses" / "index.html").resolve()
    ]


def test_a_wheels_text_is_the_one_it_carries(dist: Path, places: Places) -> None:
    locked = json.loads(places.frozen.read_text("utf-8"))["packages"]
    assert len(locked) > 5
    for name, entry in locked.items():
        folder = places.engine if name == "shm-sizer" else places.wheels
        with zipfile.ZipFile(folder / entry["file_name"]) as wheel:
            texts = [n for n in wheel.namelist() if "LICENSE" in n and ".dist-info/" in n]
            written = (dist / "licenses" / f"{name}.txt").read_bytes()
            assert texts
            assert all(wheel.read(text) in written for text in texts)


def test_every_package_in_the_archives_is_listed(dist: Path, places: Places, page: Page) -> None:
    """What lies in the browser's Python is Python's own, or a package of a wheel on the page."""
    stock = tops(places.runtime / "python_stdlib.zip")
    wheels = [*places.wheels.glob("*.whl"), *places.engine.glob("*.whl")]
    listed = {
        top for file in wheels if file.name.split("-")[0].replace("_", "-") in page.rows
        for top in tops(file)
    }  # fmt: skip
    shipped = {
        top for file in hashed.folder(dist, hashed.PYTHON).glob("*.zip") for top in tops(file)
    }
    assert {"jinja2", "pydantic", "calculator"} <= shipped
    assert shipped - stock - listed == set()


def tops(archive: Path) -> set[str]:
    """Return the names of the modules and packages at an archive's root."""
    with zipfile.ZipFile(archive) as content:
        roots = {name.partition("/")[0] for name in content.namelist()}
    return {re.sub(r"\.pyc?$", "", root) for root in roots}


def test_every_crate_that_the_module_names_is_listed(dist: Path, page: Page) -> None:
    """Rust leaves the paths of sources in what it compiles: the module has a list of its own."""
    module = (hashed.folder(dist, hashed.PYTHON) / bundle.CORE).read_bytes()
    named = set(re.findall(rb"registry/src/[^/]+/([a-z0-9_-]+)-\d+\.\d+\.\d+", module))
    assert len(named) > 10
    assert {name.decode() for name in named} <= set(page.rows)


def test_a_wheel_without_a_text_stops_the_build() -> None:
    files = {"bare-1.dist-info/METADATA": b"Name: bare\nVersion: 1\n", "bare/LICENSE.py": b"x"}
    with pytest.raises(BuildError, match="bare 1 carries no licence text"):
        licenses.of_wheel("1", files)
    files["bare-1.dist-info/licenses/LICENSE"] = b" \n"
    with pytest.raises(BuildError, match="bare 1 carries no licence text"):
        licenses.of_wheel("1", files)


def test_a_crate_without_a_text_stops_the_build(places: Places) -> None:
    listed = {
        "components": [
            {"scope": "required", "name": "new", "version": "1", "purl": "pkg:cargo/new@1"}
        ]
    }
    wheel = {"x-1.dist-info/sboms/x.cyclonedx.json": json.dumps(listed).encode()}
    assert [crate.name for crate in crates.listed(wheel)] == ["new"]
    with pytest.raises(BuildError, match="no licence text for the Rust crate new"):
        list(licenses.of_crates(places, {"x": wheel}))


def test_another_runtime_stops_the_build(places: Places, tmp_path: Path) -> None:
    """What a runtime is made of has been looked up for one version."""
    shutil.copytree(places.root / "web" / "licenses", tmp_path / "web" / "licenses")
    text = places.pyproject.read_text("utf-8")
    (tmp_path / "pyproject.toml").write_text(text.replace('"pyodide@', '"pyodide@9'), "utf-8")
    with pytest.raises(BuildError, match="is made of, not pyodide@9"):
        list(licenses.of_runtime(Places(tmp_path)))


def test_a_missing_text_of_the_runtime_stops_the_build(places: Places, tmp_path: Path) -> None:
    shutil.copytree(places.root / "web" / "licenses", tmp_path / "web" / "licenses")
    shutil.copy(places.pyproject, tmp_path)
    (tmp_path / "web" / "licenses" / "musl.txt").unlink()
    with pytest.raises(BuildError, match="musl has no licence text"):
        list(licenses.of_runtime(Places(tmp_path)))


@pytest.mark.parametrize(
    ("metadata", "licence", "source"),
    [
        (
            "License-Expression: MIT\nLicense: other\nProject-URL: Source, https://a/b\nHome-Page: https://c",
            "MIT",
            "https://a/b",
        ),
        (
            "Classifier: License :: OSI Approved :: BSD License\nHome-Page: https://c",
            "BSD License",
            "https://c",
        ),
        ("Summary: none", "see its text", ""),
    ],
)
def test_metadata_say_licence_and_source(metadata: str, licence: str, source: str) -> None:
    files = {
        "Some.Thing-1.dist-info/METADATA": f"Name: Some.Thing\nVersion: 1\n{metadata}\n".encode(),
        "Some.Thing-1.dist-info/LICENSE.txt": b"the text",
    }
    found = licenses.of_wheel("1", files)
    assert (found.name, found.licence, found.source) == ("some-thing", licence, source)
    assert (found.file, found.text) == ("some-thing.txt", "the text")


def test_no_text_lies_unused(places: Places) -> None:
    used = {part.file for part in licenses.of_runtime(places)}
    there = {file.name for file in (places.root / "web" / "licenses").glob("*.txt")}
    assert there == used
