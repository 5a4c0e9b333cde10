"""What the build may fetch: names from pyproject.toml, versions and hashes from the lock."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from web.make.failure import BuildError

_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+)")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")

Table = TypeVar("Table", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Pin:
    """One Python package: a version, and the hashes of the files it may come as."""

    name: str
    version: str
    hashes: frozenset[str]

    def requirement(self) -> str:
        """Return the pin as a requirement for pip, without a marker for the host's Python."""
        hashes = " ".join(f"--hash=sha256:{value}" for value in sorted(self.hashes))
        return f"{self.name}=={self.version} {hashes}"


class Npm(BaseModel):
    """One npm package: its name and version, and the hash that its archive must have."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    npm: str
    integrity: str

    @property
    def name(self) -> str:
        """The package's name without its version."""
        return self.npm.rpartition("@")[0]


class Several(BaseModel):
    """npm packages that need one another."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    packages: tuple[Npm, ...]


class Runtime(Npm):
    """The browser's Python: its npm package, its platform, and the packages meant for it."""

    python: str
    abi: str
    platform: str
    wheels: tuple[str, ...]
    pure: tuple[str, ...]
    resolver: tuple[str, ...]


@cache
def runtime(pyproject: Path) -> Runtime:
    """Read the table [tool.shm-sizer.pyodide]."""
    return table(pyproject, "pyodide", Runtime)


@cache
def kubernetes(pyproject: Path) -> Npm:
    """Read the table [tool.shm-sizer.kubernetes]."""
    return table(pyproject, "kubernetes", Npm)


@cache
def consumers(pyproject: Path) -> Several:
    """Read the table [tool.shm-sizer.consumers]."""
    return table(pyproject, "consumers", Several)


def table(pyproject: Path, name: str, kind: type[Table]) -> Table:
    """Read one of the project's own tables of settings."""
    settings = tomllib.loads(pyproject.read_text("utf-8"))
    try:
        return kind.model_validate(settings["tool"]["shm-sizer"][name])
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(map(str, ("tool.shm-sizer", name, *problem["loc"])))
        raise BuildError(f"{pyproject.name}: {where}", because=problem["msg"]) from None


@cache
def locked(lock: Path) -> dict[str, Pin]:
    """Read the lock: one pin a package, by normalised name."""
    pins: dict[str, Pin] = {}
    for entry in lock.read_text("utf-8").replace("\\\n", " ").splitlines():
        found = _REQUIREMENT.match(entry)
        if found:
            name = normalise(found["name"])
            pins[name] = Pin(name, found["version"], frozenset(_HASH.findall(entry)))
    return pins


def chosen(lock: Path, names: Iterable[str]) -> list[Pin]:
    """Return the pins of these packages."""
    pins = locked(lock)
    missing = sorted(name for name in names if name not in pins)
    if missing:
        raise BuildError(f"{lock.name} has no version of {', '.join(missing)}")
    return [pins[name] for name in names]


def normalise(name: str) -> str:
    """Spell a package's name as indexes do: lower case, runs of -, _ and . as one hyphen."""
    return re.sub(r"[-_.]+", "-", name).lower()
