"""How many bytes each way to the first live answer may take over the wire, with brotli.

The build prints what each part takes, and fails where a part or a way takes more than it may.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import files, say, step

PARTS: Final[Mapping[str, int]] = {
    "index.html": 120_000,
    "css": 30_000,
    "js": 60_000,
    "pyodide.mjs": 8_000,
    "pyodide.asm.mjs": 220_000,
    "pyodide.asm.wasm": 2_900_000,
    "pydantic_core.so": 1_000_000,
    "pyodide-lock.json": 3_000,
    "start.zip": 2_100_000,
    "data.zip": 80_000,
    "snapshot.json": 30_000,
    "snapshot.bin": 5_300_000,
}
"""Files by name, folders with all that is in them."""

PAGE: Final = ("index.html", "css", "js")
SHARED: Final = (
    *("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pydantic_core.so"),
    "pyodide-lock.json",
)

WAYS: Final[Mapping[str, tuple[tuple[str, ...], int]]] = {
    "direct": ((*PAGE, *SHARED, "start.zip"), 6_800_000),
    "resumed": ((*PAGE, *SHARED, "data.zip", "snapshot.json", "snapshot.bin"), 9_500_000),
}
"""The parts that each way fetches, and what they may take together."""


def check(places: Places, site: Path) -> None:
    """Hold a finished site, compressed copies included, against the budgets.

    Raises:
        BuildError: a part or a way takes more than it may.
    """
    sizes = measure(site)
    rows = [*table(sizes)]

    def work() -> None:
        for name, size, limit in rows:
            say(f"  {name:<18}{size:>10,} of {limit:>10,}")

    step(
        places,
        "budgets: bytes over the wire",
        inputs=[str(rows), Path(__file__)],
        outputs=[],
        work=work,
    )
    over = [name for name, size, limit in rows if size > limit]
    if over:
        raise BuildError(f"over budget (web/make/budgets.py): {', '.join(over)}")


def measure(site: Path) -> dict[str, int]:
    """Return what each part of a site takes over the wire."""
    sizes = dict.fromkeys(PARTS, 0)
    for path in files(site):
        part = part_of(path.relative_to(site))
        if part:
            copy = path.with_name(f"{path.name}.br")
            sizes[part] += (copy if copy.is_file() else path).stat().st_size
    missing = [name for name, size in sizes.items() if not size]
    if missing:
        raise BuildError(f"the site has no {', '.join(missing)}")
    return sizes


def part_of(path: Path) -> str:
    """Return the part that a file belongs to, or "": `path` is seen from the site's root."""
    if path.suffix in {".br", ".gz"}:
        return ""
    if path.name in PARTS and path.parts[0] in {"py", path.name}:
        return path.name
    return next((part for part in path.parts[:-1] if part in PARTS), "")


def table(sizes: Mapping[str, int]) -> Iterator[tuple[str, int, int]]:
    """Yield what each part and each way takes, and may take."""
    for name, limit in PARTS.items():
        yield name, sizes[name], limit
    for way, (parts, limit) in WAYS.items():
        yield way, sum(sizes[part] for part in parts), limit
