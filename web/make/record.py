"""dist/build.json: what the site was made from, and what it consists of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from calculator import __version__
from web.make import pins, trees
from web.make.places import Places
from web.make.stamps import files, sha256

NAME = "build.json"

SOURCES: Final = (
    *("LICENSE", "README.md", "build.py", "calculator", "presets", "pyproject.toml"),
    *("requirements.lock", "tests/lab/cases.toml", "tests/lab/results.json"),
    *("tests/measured.json", "web"),
)
"""Everything in the repository that a build reads."""


def write(places: Places, site: Path, base_url: str) -> None:
    """List every input with its version and hash, and every file of the site with its own."""
    content = {
        "version": __version__,
        "base_url": base_url,
        "sources": {name: trees.name(places.root / name) for name in SOURCES},
        "inputs": [npm(places), *packages(places), *tools(places)],
        "files": {
            path.relative_to(site).as_posix(): {
                "bytes": path.stat().st_size,
                "sha256": sha256(path),
            }
            for path in files(site)
        },
    }
    (site / NAME).write_text(json.dumps(content, indent=1) + "\n", "utf-8")


def npm(places: Places) -> dict[str, Any]:
    """Describe the runtime's package."""
    pin = pins.runtime(places.pyproject)
    name, _, version = pin.npm.rpartition("@")
    return {"name": name, "version": version, "integrity": pin.integrity}


def packages(places: Places) -> list[dict[str, Any]]:
    """Describe the wheels in the bundle."""
    lock = json.loads(places.frozen.read_text("utf-8"))
    kept = ("name", "version", "file_name", "sha256")
    return [{key: entry[key] for key in kept} for entry in lock["packages"].values()]


def tools(places: Places) -> list[dict[str, Any]]:
    """Describe what the build itself ran with: each package may have come as any of these files."""
    locked = pins.locked(places.lock).values()
    return [
        {
            "name": pin.name,
            "version": pin.version,
            "role": "build",
            "any_sha256": sorted(pin.hashes),
        }
        for pin in locked
    ]
