"""What reads our blocks and pages and is written in JavaScript: npm packages, for the tests."""

from __future__ import annotations

import tarfile
import tempfile
from pathlib import Path

from web.make import npm, pins
from web.make.places import Places
from web.make.stamps import step


def fetch(places: Places) -> None:
    """Put the packages side by side into .build/components/node_modules; nothing of them is run."""
    wanted = pins.consumers(places.pyproject).packages
    target = places.components / "node_modules"

    def work() -> None:
        with tempfile.TemporaryDirectory(dir=places.build) as folder:
            for pin in wanted:
                unpack(npm.fetch(pin, Path(folder)), target / pin.name)

    step(
        places,
        "components: GitHub's workflow parser, the Dev Containers CLI, axe and more from npm",
        inputs=[*(f"{pin.npm} {pin.integrity}" for pin in wanted), Path(__file__)],
        outputs=[target / pin.name for pin in wanted],
        work=work,
    )


def unpack(archive: Path, target: Path) -> None:
    """Write the package's files into its own folder."""
    with tarfile.open(archive) as content:
        for member in content.getmembers():
            member.name = member.name.partition("/")[2]  # the folder all of them lie in
            content.extract(member, target, filter="data")
