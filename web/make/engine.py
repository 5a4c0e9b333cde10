"""The engine as a package: a wheel for the page, an editable install for shell and tests."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from web.make.places import Places
from web.make.shell import pip
from web.make.stamps import step
from web.make.wheels import empty

NAME = "shm-sizer"

# The backend is in the environment already, and nothing may come from elsewhere.
_OFFLINE = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet")


def build(places: Places) -> None:
    """Put the wheel into .build/engine."""

    def work() -> None:
        empty(places.engine)
        pip(
            *("wheel", *_OFFLINE, "--wheel-dir", places.engine, places.root),
            failing="could not build the engine's wheel",
        )

    step(
        places,
        "engine: wheel",
        inputs=[*sources(places.root), Path(__file__)],
        outputs=[places.engine],
        work=work,
    )


def install(places: Places) -> None:
    """Make `calculator` and the command shm-sizer available in the build's environment."""
    environment = Path(sysconfig.get_path("purelib"))

    def work() -> None:
        pip(
            *("install", *_OFFLINE, "--editable", places.root),
            failing="could not install the engine into the build's environment",
        )

    step(
        places,
        "engine: editable install",
        inputs=[places.pyproject, places.root / "calculator" / "__init__.py", Path(__file__)],
        outputs=[environment / "_editable_impl_shm_sizer.pth"],
        work=work,
    )


def sources(root: Path) -> list[Path]:
    """Return what the wheel is made of: code, metadata, and the two folders it takes along."""
    parts = ("pyproject.toml", "README.md", "LICENSE", "calculator", "presets")
    return [*(root / part for part in parts), root / "web" / "templates" / "live"]
