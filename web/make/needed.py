"""Which files of the browser's Python the first answers need: found by asking, not by guessing.

The engine answers in Pyodide what pages ask it before anybody pastes a text; what is imported
by then, and what data was read, goes into the first archive.
"""

from __future__ import annotations

import json
from pathlib import Path

from web.make import bytecode, node
from web.make.places import Places
from web.make.stamps import step


def find(places: Places) -> None:
    """Write .build/needed.json."""
    rehearsal = places.make / "inside" / "rehearse.py"
    script = places.make / "inside" / "needed.py"

    def work() -> None:
        found = node.script(
            places.make / "needed.mjs",
            {
                "base": in_node(places.whole),
                "script": str(script),
                "rehearsal": str(rehearsal),
                "home": bytecode.home(places),
            },
            failing="could not find out what the first answers need",
        )
        places.needed.write_text(json.dumps(found["needed"], indent=0), "utf-8")

    step(
        places,
        "bundle: what the first answers need",
        inputs=[places.whole, script, rehearsal, *loading(places, "needed.mjs"), Path(__file__)],
        outputs=[places.needed],
        work=work,
    )


def names(places: Places) -> frozenset[str]:
    """Return what was found."""
    return frozenset(json.loads(places.needed.read_text("utf-8")))


def loading(places: Places, *own: str) -> list[Path]:
    """Return the scripts by which a step starts the browser's Python under Node."""
    shared = (
        places.root / "web" / "js" / name for name in ("archives.js", "loader.js", "memory.js")
    )
    return [*shared, *(places.make / name for name in ("pyodide.mjs", *own))]


def in_node(folder: Path) -> str:
    """Spell a folder as both Node's import and its file functions take it, without a drive."""
    return f"{folder.as_posix().removeprefix(folder.drive)}/"
