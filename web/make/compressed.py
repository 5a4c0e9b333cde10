"""A compressed copy beside each file that gains by it, for servers that only hand out files.

How hard each is compressed is a matter of who waits for it: what every visitor fetches is
compressed as well as can be, what changes with each edit of a template and few fetch is not. A
copy is kept by its original's content, so that the next build need not make it again.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

import brotli

from web.make.places import Places
from web.make.stamps import files, sha256

SUFFIXES: Final = {"br": ".br", "gzip": ".gz"}
"""What a copy's name ends with, by the content coding that a server calls it."""

_NO_GAIN: Final = {"", ".png", *SUFFIXES.values()}
"""What is small as it is; files without an ending are for the host, not for browsers."""
_BEST: Final = 11
_QUICK: Final = 9
_LARGE: Final = 1 << 20
_FIXED: Final = {"pyodide.asm.mjs", "pyodide.asm.wasm", "pydantic_core.so"}
"""Large, but they come with a pinned version as they are: waited for once."""
_WINDOW: Final = 22
"""The largest that every browser has memory for is 24; beyond 22 nothing here gains."""


def beside(places: Places, site: Path) -> None:
    """Put the copies into a finished site."""
    chosen = [path for path in files(site) if path.suffix not in _NO_GAIN]
    places.compressed.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = pool.map(partial(_copies, places.compressed, site), chosen)
        used = {name for names in made for name in names}
    for old in places.compressed.iterdir():
        if old.name not in used:
            old.unlink()


def _copies(kept: Path, site: Path, path: Path) -> list[str]:
    """Put a file's copies beside it; return the names under which they are kept."""
    best = quality(path.relative_to(site), path.stat().st_size)
    ways: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
        ".br": (f"br{best}", partial(brotli.compress, quality=best, lgwin=_WINDOW)),
        ".gz": ("gz9", partial(gzip.compress, compresslevel=9, mtime=0)),
    }
    content, digest = path.read_bytes(), sha256(path)
    names = []
    for suffix, (way, compress) in ways.items():
        copy = kept / f"{digest}.{way}"
        if not copy.is_file():
            _write(copy, compress(content))
        names.append(copy.name)
        if copy.stat().st_size < len(content):
            path.with_name(path.name + suffix).write_bytes(copy.read_bytes())
    return names


def _write(path: Path, content: bytes) -> None:
    """Write at once or not at all: half a copy would be taken for a whole one."""
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    part.replace(path)


def quality(path: Path, size: int) -> int:
    """Return how hard brotli is to try: `path` is seen from the site's root."""
    if path.name in _FIXED:
        return _BEST
    return _QUICK if size > _LARGE or path.parts[0] == "p" else _BEST
