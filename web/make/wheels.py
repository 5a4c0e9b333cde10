"""The Python packages for the browser: fetched by name, held against the lock's hashes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from web.make import pins, pure
from web.make.failure import BuildError
from web.make.places import Places
from web.make.shell import pip
from web.make.stamps import files, sha256, step

# A platform whose wheels of the `pure` packages are fetched, only to leave their compiled part out.
PURE_FROM = "manylinux2014_x86_64"


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel on disk and the hash it must have."""

    name: str
    version: str
    path: Path
    sha256: str

    @classmethod
    def at(cls, path: Path, expected: str | None = None) -> Wheel:
        """Describe the file; without an expected hash, its present one is taken as right."""
        name, version = path.name.split("-")[:2]
        return cls(pins.normalise(name), version, path, expected or sha256(path))


def fetch(places: Places) -> None:
    """Put every wheel that the browser's Python may need into .build/wheels."""
    runtime = pins.runtime(places.pyproject)
    native = pins.chosen(places.lock, [*runtime.wheels, *runtime.resolver])
    stripped = pins.chosen(places.lock, runtime.pure)

    def work() -> None:
        empty(places.wheels)
        download(native, runtime.platform, runtime, places.wheels)
        with tempfile.TemporaryDirectory(dir=places.build) as folder:
            download(stripped, PURE_FROM, runtime, Path(folder))
            for path in files(Path(folder)):
                pure.strip(path, places.wheels)

    step(
        places,
        "wheels: for the browser's Python",
        inputs=[
            *(pin.requirement() for pin in [*native, *stripped]),
            *(runtime.platform, runtime.python, PURE_FROM),
            *(Path(__file__), Path(pure.__file__)),
        ],
        outputs=[places.wheels],
        work=work,
    )


def download(
    wanted: Sequence[pins.Pin], platform: str, runtime: pins.Runtime, target: Path
) -> None:
    """Fetch these wheels as that platform's Python would, and nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder) / "requirements.txt"
        requirements.write_text("".join(f"{pin.requirement()}\n" for pin in wanted), "utf-8")
        pip(
            *("download", "--no-deps", "--only-binary=:all:", "--require-hashes", "--quiet"),
            *("--implementation", "cp", "--python-version", runtime.python),
            *("--abi", runtime.abi, "--platform", platform),
            *("--dest", target, "--requirement", requirements),
            failing="could not fetch the wheels of the browser's Python",
        )


def offered(places: Places) -> list[Wheel]:
    """Return what the resolver may choose from, the engine included, each with its pinned hash.

    Raises:
        BuildError: a wheel is not a file that the lock lists.
    """
    runtime = pins.runtime(places.pyproject)
    fetched = [*find(places, runtime.wheels)]
    for wheel in fetched:
        pin = pins.locked(places.lock)[wheel.name]
        if wheel.sha256 not in pin.hashes:
            raise BuildError(f"{wheel.path.name}: its hash is not one of {places.lock.name}")
    made = [*find(places, runtime.pure), *map(Wheel.at, files(places.engine))]
    return [*fetched, *made]


def resolver(places: Places) -> list[Wheel]:
    """Return the resolver's own wheels."""
    return [*find(places, pins.runtime(places.pyproject).resolver)]


def find(places: Places, names: Iterable[str]) -> Iterator[Wheel]:
    """Yield the fetched wheels of these packages."""
    there = {wheel.name: wheel for wheel in map(Wheel.at, files(places.wheels))}
    yield from (there[name] for name in names)


def empty(folder: Path) -> None:
    """Make the folder, and leave nothing in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in files(folder):
        path.unlink()
