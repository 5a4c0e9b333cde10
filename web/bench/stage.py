"""The pages to compare with, and the files they need, in .build/bench.

Nothing comes from elsewhere: the runtime is the npm package's, the wheels are those that the
site's own Python is made from.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from web.make import archive, bytecode, node, resolve, runtime, stdlib, wheels
from web.make.places import Places
from web.make.stamps import files, step

HERE = Path(__file__).parent
PAGES = HERE / "pages"
JOB = "job.json"


def make(places: Places) -> Path:
    """Make the folder and return it."""
    target = places.build / "bench"

    def work() -> None:
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(PAGES, target)
        stock(places, target / "stock")
        pruned(places, target / "pruned")
        (target / "wheels").mkdir()
        for path in [*needed(places), micropip(places)]:
            shutil.copyfile(path, target / "wheels" / path.name)
        pack(target, places.dist)

    step(
        places,
        "bench: the usual way",
        inputs=[
            *(places.runtime, places.wheels, places.frozen, places.engine),
            *(PAGES, HERE / "pack.mjs", Path(__file__), Path(stdlib.__file__)),
        ],
        outputs=[target / name for name in ("stock", "pruned", "wheels")],
        work=work,
    )
    return target


def stock(places: Places, target: Path) -> None:
    """Copy the runtime as it comes."""
    shutil.copytree(places.runtime, target)


def pruned(places: Places, target: Path) -> None:
    """Copy the runtime with the part of the library that the site takes, compiled, and no more."""
    target.mkdir()
    for name in runtime.SHIPPED:
        shutil.copyfile(places.runtime / name, target / name)
    modules = stdlib.modules(places.runtime / runtime.STDLIB)
    library = bytecode.compiled(places, "bare", modules, bytecode.LIBRARY)
    archive.write(target / runtime.STDLIB, library, compress=False)
    lock = {"info": resolve.platform(places), "packages": {}}
    (target / runtime.STOCK_LOCK).write_text(json.dumps(lock), "utf-8")


def needed(places: Places) -> list[Path]:
    """Return the wheels that the site's Python is made from."""
    lock = json.loads(places.frozen.read_text("utf-8"))
    names = {entry["file_name"] for entry in lock["packages"].values()}
    return [wheel.path for wheel in wheels.offered(places) if wheel.path.name in names]


def micropip(places: Places) -> Path:
    """Return the wheel of the program that installs wheels on a page."""
    (wheel,) = wheels.resolver(places)
    return wheel.path


def pack(folder: Path, site: Path) -> None:
    """Put a compressed file beside each that gains by it; the runtime's are those of the site."""
    for name in (f"{name}.br" for name in runtime.SHIPPED):
        for found in (site / "py").rglob(name):
            for target in ("stock", "pruned"):
                shutil.copyfile(found, folder / target / name)
    node.script(
        HERE / "pack.mjs",
        {"files": [str(path) for path in files(folder) if path.suffix != ".br"]},
        failing="could not compress the usual way's files",
    )


def ask(places: Places, staged: Path, request: str) -> None:
    """Tell the usual way what to install and to answer: what the site's page asks first."""
    job = {
        "micropip": f"wheels/{micropip(places).name}",
        "wheels": [f"wheels/{path.name}" for path in needed(places)],
        "request": request,
    }
    (staged / JOB).write_text(json.dumps(job), "utf-8")
