"""Which wheels the page needs: micropip says, under Pyodide, with only pinned ones to choose from.

Left alone, micropip goes to the network for what it does not find and still writes a lock. Here
every request it makes is answered from .build/wheels or refused, and its lock is then cut down to
the engine and what the engine depends on, with file names instead of addresses.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from web.make import engine, node, runtime, wheels
from web.make.archive import read
from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import step
from web.make.wheels import Wheel

Lock = dict[str, Any]


def resolve(places: Places) -> None:
    """Write the lock that decides what goes into the bundle."""
    offers = wheels.offered(places)
    scripts = [places.make / name for name in ("resolve.mjs", "pyodide.mjs", "inside/resolve.py")]

    def work() -> None:
        lock = reduce(ask(places, offers), offers)
        places.frozen.write_text(json.dumps(lock, indent=2) + "\n", "utf-8")

    step(
        places,
        "resolve: the engine's wheels, with micropip",
        inputs=[places.wheels, places.engine, places.runtime, *scripts, Path(__file__)],
        outputs=[places.frozen],
        work=work,
    )


def ask(places: Places, offers: Sequence[Wheel]) -> Lock:
    """Let micropip install the engine from these wheels and return the lock it freezes.

    Raises:
        BuildError: a dependency is not among them, or a file is not what its hash says.
    """
    (micropip,) = wheels.resolver(places)
    answer = node.script(
        places.make / "resolve.mjs",
        {
            "runtime": str(places.runtime),
            "info": platform(places),
            "micropip": str(micropip.path),
            "script": str(places.make / "inside" / "resolve.py"),
            "engine": engine.NAME,
            "offers": [
                {
                    "name": wheel.name,
                    "version": wheel.version,
                    "filename": wheel.path.name,
                    "path": str(wheel.path),
                    "sha256": wheel.sha256,
                }
                for wheel in offers
            ],
        },
        failing="the resolver did not run",
    )
    if missing := answer.get("missing"):
        raise BuildError(
            f"the engine depends on {', '.join(missing)}: not among the browser's wheels, "
            "which pyproject.toml lists under [tool.shm-sizer.pyodide]"
        )
    if error := answer.get("error"):
        raise BuildError("micropip cannot install the engine", because=error)
    frozen: Lock = answer["frozen"]
    return frozen


def platform(places: Places) -> dict[str, str]:
    """Return what this Pyodide says of itself: ABI, platform, Python."""
    info: dict[str, str] = json.loads((places.runtime / runtime.STOCK_LOCK).read_text("utf-8"))[
        "info"
    ]
    return info


def reduce(frozen: Lock, offers: Sequence[Wheel]) -> Lock:
    """Keep the engine and all it depends on, each as a file name and the hash it is pinned to."""
    offered = {wheel.name: wheel for wheel in offers}
    packages: dict[str, Lock] = {}
    waiting = [engine.NAME]
    while waiting:
        name = waiting.pop()
        if name not in packages:
            packages[name] = entry(name, frozen["packages"], offered)
            waiting.extend(packages[name]["depends"])
    return {"info": frozen["info"], "packages": dict(sorted(packages.items()))}


def entry(name: str, frozen: Lock, offered: dict[str, Wheel]) -> Lock:
    """Return one package's entry, if what micropip installed is the pinned file."""
    if name not in frozen or name not in offered:
        raise BuildError(f"micropip's lock needs {name}, but does not say where it is from")
    found, wheel = frozen[name], offered[name]
    file_name = unquote(found["file_name"].rpartition("/")[2])
    if (file_name, found["sha256"]) != (wheel.path.name, wheel.sha256):
        raise BuildError(f"micropip took a {file_name} whose hash is not the pinned one")
    return {
        "name": name,
        "version": found["version"],
        "file_name": file_name,
        "install_dir": "site",
        "sha256": wheel.sha256,
        "package_type": "package",
        "imports": imports(wheel.path),
        "depends": sorted(found["depends"]),
        "unvendored_tests": False,
    }


def imports(wheel: Path) -> list[str]:
    """Return the top-level modules that a wheel brings."""
    tops = {name.partition("/")[0] for name in read(wheel)}
    return sorted(top.removesuffix(".py") for top in tops if not top.endswith(".dist-info"))
