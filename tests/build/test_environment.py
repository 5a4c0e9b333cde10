"""The environment of the build: made from one lock, added to from another, made once."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from web.make import pins
from web.make.places import Places

MAKE = "import build, sys; build.make_environment([build.ROOT / name for name in sys.argv[1:]])"
BASE, MORE = "requirements.lock", "requirements-check.lock"
MADE_FROM = "build: environment: .build/venv, from {}\n"


def wheel(folder: Path, name: str) -> str:
    """Make a wheel that holds nothing, and return the lock's line for it."""
    info = f"{name}-1.dist-info"
    content = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    digests = {path: hashlib.sha256(text.encode()).digest() for path, text in content.items()}
    record = [
        f"{path},sha256={base64.urlsafe_b64encode(digest).decode().rstrip('=')},"
        for path, digest in digests.items()
    ]
    content[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""])
    target = folder / f"{name}-1-py3-none-any.whl"
    with zipfile.ZipFile(target, "w") as archive:
        for path, text in content.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return f"{name}==1 --hash=sha256:{hashlib.sha256(target.read_bytes()).hexdigest()}\n"


@pytest.fixture
def checkout(places: Places, tmp_path: Path) -> Path:
    """Return a checkout whose locks list one small wheel each, to be had without a network."""
    (tmp_path / "build.py").write_bytes((places.root / "build.py").read_bytes())
    (tmp_path / BASE).write_text(wheel(tmp_path, "built"), "utf-8")
    (tmp_path / MORE).write_text(wheel(tmp_path, "checked"), "utf-8")
    return tmp_path


def make(checkout: Path, *locks: str) -> str:
    """Make the environment from these locks; return what is said about it."""
    done = subprocess.run(
        [sys.executable, "-c", MAKE, *locks],
        check=True,
        capture_output=True,
        text=True,
        cwd=checkout,
        env={**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(checkout)},
    )
    return done.stderr


def holds(checkout: Path) -> set[str]:
    """Return which of the small wheels are installed."""
    found = (checkout / ".build" / "venv").glob("**/site-packages/*-1.dist-info")
    return {path.name.removesuffix("-1.dist-info") for path in found}


def test_checks_are_added_once_and_a_build_leaves_them(checkout: Path) -> None:
    """Build, test, build, test: each lock is installed once, and a changed one cleans up."""
    assert make(checkout, BASE) == MADE_FROM.format(BASE)
    assert holds(checkout) == {"built"}
    assert make(checkout, BASE, MORE) == MADE_FROM.format(MORE)
    assert holds(checkout) == {"built", "checked"}
    assert make(checkout, BASE) == ""
    assert make(checkout, BASE, MORE) == ""
    assert holds(checkout) == {"built", "checked"}

    (checkout / MORE).write_text(wheel(checkout, "other"), "utf-8")
    assert make(checkout, BASE) == ""
    assert make(checkout, BASE, MORE) == MADE_FROM.format(BASE) + MADE_FROM.format(MORE)
    assert holds(checkout) == {"built", "other"}


def test_no_package_is_pinned_twice(places: Places) -> None:
    """The checks' lock lists only what the build's does not."""
    assert not set(pins.locked(places.lock)) & set(pins.locked(places.check_lock))


def test_a_build_installs_no_package_of_the_checks(places: Places) -> None:
    """Whoever only builds the page is spared the tests' tools."""
    assert not {"botocore", "mypy", "playwright", "pytest"} & set(pins.locked(places.lock))


def test_every_package_asked_for_is_there(places: Places) -> None:
    """Both locks together leave nothing open: pip finds all that packages ask of each other."""
    assert places.lock.is_file()
    done = subprocess.run(
        [sys.executable, "-m", "pip", "check"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
