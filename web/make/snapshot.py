"""The memory of a Python that has started, imported the engine and answered: what resuming needs.

It belongs to exactly the files that it was taken from: snapshot.json names them by their hashes.
How it comes back is told in web/js/memory.js.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from web.make import needed, node
from web.make.places import Places
from web.make.stamps import sha256, step

MEMORY: Final = "snapshot.bin"
ABOUT: Final = "snapshot.json"
CONTENT: Final = (MEMORY, ABOUT)

# What a memory fits: another file in the place of one of them, and it is of no use.
MADE_FROM: Final = ("pyodide.asm.mjs", "pyodide.asm.wasm", "pydantic_core.so", "start.zip")

# Asked once a memory is back: cheap, and it goes through most of the engine.
CHECK: Final = '{"preset":"images-8gpu","parts":["answer"],"targets":["docker-run"]}'


def take(places: Places) -> None:
    """Put the two files into .build/py."""
    rehearsal = places.make / "inside" / "rehearse.py"
    sweeping = places.make / "inside" / "sweep.py"
    made_from = [places.python / name for name in MADE_FROM]

    def work() -> None:
        told = node.script(
            places.make / "snapshot.mjs",
            {
                "base": needed.in_node(places.python),
                "rehearsal": str(rehearsal),
                "sweeping": str(sweeping),
                "request": CHECK,
                "target": str(places.python / MEMORY),
            },
            failing="could not take the memory of the browser's Python",
        )
        about = {
            **told,
            "request": CHECK,
            "made_from": {path.name: sha256(path) for path in made_from},
        }
        (places.python / ABOUT).write_text(json.dumps(about, ensure_ascii=False), "utf-8")

    scripts = ("snapshot.mjs", "packing.mjs", "clock.mjs", "sweep.mjs")
    step(
        places,
        "snapshot: the memory of a Python that has started",
        inputs=[*made_from, rehearsal, sweeping, *needed.loading(places, *scripts), Path(__file__)],
        outputs=[places.python / name for name in CONTENT],
        work=work,
    )
