"""The lock that decides what the bundle takes: complete, pinned, never patched up online."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from web.make import archive, bundle, hashed, pins, resolve, wheels
from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import sha256
from web.make.wheels import Wheel

# What a marker in a wheel's metadata is asked about Pyodide's Python.
PYODIDE = {
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "platform_system": "Emscripten",
    "python_full_version": "3.14.2",
    "python_version": "3.14",
    "sys_platform": "emscripten",
    "os_name": "posix",
    "extra": "",
}


@pytest.fixture(scope="module")
def lock(dist: Path) -> dict[str, Any]:
    """Return the lock as it is published."""
    published = hashed.folder(dist, hashed.PYTHON) / bundle.LOCK
    content: dict[str, Any] = json.loads(published.read_text("utf-8"))
    return content


@pytest.fixture(scope="module")
def offers(dist: Path, places: Places) -> list[Wheel]:
    """Return the wheels that the resolver may choose from."""
    assert dist.is_dir()
    return wheels.offered(places)


def test_dependencies_are_those_of_the_wheels(lock: dict[str, Any], offers: list[Wheel]) -> None:
    """Each entry's dependencies are what its wheel's own metadata asks for, and all are there."""
    paths = {wheel.path.name: wheel.path for wheel in offers}
    for name, entry in lock["packages"].items():
        asked = sorted(required(paths[entry["file_name"]]))
        assert entry["depends"] == asked, name
        assert set(asked) <= set(lock["packages"]), name


def required(wheel: Path) -> set[str]:
    """Read from a wheel's metadata which packages it needs on Pyodide."""
    files = archive.read(wheel)
    (metadata,) = (data for name, data in files.items() if name.endswith(".dist-info/METADATA"))
    asked = map(Requirement, message_from_bytes(metadata).get_all("Requires-Dist", []))
    return {
        pins.normalise(requirement.name)
        for requirement in asked
        if requirement.marker is None or requirement.marker.evaluate(PYODIDE)
    }


def test_hashes_are_pinned(lock: dict[str, Any], places: Places) -> None:
    """Every wheel that comes from outside is one that requirements.lock lists."""
    made_here = {"shm-sizer", *pins.runtime(places.pyproject).pure}
    pinned = pins.locked(places.lock)
    for name, entry in lock["packages"].items():
        if name not in made_here:
            assert entry["sha256"] in pinned[name].hashes, name
            assert entry["version"] == pinned[name].version, name


def test_file_names_are_relative(lock: dict[str, Any]) -> None:
    """No entry leads to an address."""
    assert all("/" not in entry["file_name"] for entry in lock["packages"].values())


def test_missing_dependency_fails(places: Places, offers: list[Wheel]) -> None:
    """A dependency that is not among the wheels is named, not fetched."""
    without = [wheel for wheel in offers if wheel.name != "annotated-types"]
    with pytest.raises(BuildError, match="depends on annotated-types: not among"):
        resolve.ask(places, without)


def test_wrong_hash_fails(places: Places, offers: list[Wheel]) -> None:
    """A wheel whose content is not what its pin says is not installed."""
    wrong = [
        replace(wheel, sha256="0" * 64) if wheel.name == "jinja2" else wheel for wheel in offers
    ]
    with pytest.raises(BuildError, match=r"micropip cannot install the engine \(.*checksum"):
        resolve.ask(places, wrong)


def test_damaged_wheel_fails(dist: Path, places: Places, tmp_path: Path) -> None:
    """A wheel on disk that is no longer the pinned one stops the build before the resolver."""
    assert dist.is_dir()
    there = Places(tmp_path)
    shutil.copytree(places.wheels, there.wheels)
    shutil.copytree(places.engine, there.engine)
    shutil.copy(places.pyproject, there.pyproject)
    shutil.copy(places.lock, there.lock)
    (wheel,) = there.wheels.glob("jinja2-*.whl")
    wheel.write_bytes(wheel.read_bytes() + b" ")
    with pytest.raises(BuildError, match=r"its hash is not one of requirements\.lock"):
        wheels.offered(there)


def test_lock_that_names_another_file_fails(offers: list[Wheel]) -> None:
    """A frozen lock that disagrees with the pins is refused."""
    frozen = {
        "info": {},
        "packages": {
            "shm-sizer": {"version": "0", "file_name": "x/other.whl", "sha256": "", "depends": []}
        },
    }
    with pytest.raises(BuildError, match=r"micropip took a other\.whl"):
        resolve.reduce(frozen, offers)


def test_lock_with_a_hole_fails(offers: list[Wheel]) -> None:
    """A frozen lock that lacks a dependency is refused, by that dependency's name."""
    engine = next(wheel for wheel in offers if wheel.name == "shm-sizer")
    entry = {
        "version": engine.version,
        "file_name": f"x/{engine.path.name}",
        "sha256": sha256(engine.path),
        "depends": ["jinja2"],
    }
    with pytest.raises(BuildError, match="needs jinja2"):
        resolve.reduce({"info": {}, "packages": {"shm-sizer": entry}}, offers)
