"""The engine's wheel is whole: it works where there is no checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from web.make import archive
from web.make.places import Places


@pytest.fixture(scope="module")
def unpacked(dist: Path, places: Places, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack the built wheel into a folder of its own, as an installation would."""
    assert dist.is_dir()
    (wheel,) = places.engine.glob("*.whl")
    folder = tmp_path_factory.mktemp("installed")
    for name, data in archive.read(wheel).items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return folder


def shm_sizer(code: Path, *arguments: str) -> str:
    """Run the command line with the engine that lies in this folder."""
    return subprocess.run(
        [sys.executable, "-m", "calculator", *arguments],
        check=True,
        capture_output=True,
        encoding="utf-8",
        cwd=code,
        env={**os.environ, "PYTHONPATH": str(code)},
    ).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "presets", "--json"),
        ("list", "targets", "--json"),
        ("size", "--preset", "medical-3d", "--json"),
        ("config", "--target", "compose", "--preset", "llm-tokens"),
    ],
)
def test_same_as_the_checkout(unpacked: Path, places: Places, arguments: tuple[str, ...]) -> None:
    """The wheel's command line prints what the checkout's does."""
    printed = shm_sizer(unpacked, *arguments)
    assert printed
    assert printed == shm_sizer(places.root, *arguments)


def test_wheel_carries_its_licence(unpacked: Path) -> None:
    """Whoever gets the wheel gets the terms with it."""
    (licence,) = unpacked.glob("*.dist-info/licenses/LICENSE")
    assert "MIT License" in licence.read_text("utf-8")
