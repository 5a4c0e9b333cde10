"""Do a step only when something it is made from has changed.

A step's stamp holds a hash over its inputs and one for each file it made, so that a changed
input, an edited pin and a damaged output all lead to the same thing: the step runs again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from web.make.places import Places


def step(
    places: Places,
    name: str,
    *,
    inputs: Sequence[Path | str],
    outputs: Sequence[Path],
    work: Callable[[], None],
) -> None:
    """Run the work unless its inputs and outputs are those of its last run.

    An input is a file, a folder (all files in it), or a string such as a version.
    """
    stamp = places.stamps / f"{name}.json"
    made_from = fingerprint(inputs, places.root)
    if stamp.is_file() and stamp.read_text("utf-8") == json.dumps([made_from, hashes(outputs)]):
        return
    say(name)
    stamp.unlink(missing_ok=True)
    work()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(json.dumps([made_from, hashes(outputs)]), "utf-8")


def fingerprint(inputs: Sequence[Path | str], root: Path) -> str:
    """Hash the inputs: strings as they are, files by their place under root and their content."""
    digest = hashlib.sha256()
    for item in inputs:
        if isinstance(item, str):
            digest.update(f"text {item}\n".encode())
            continue
        for path in files(item):
            place = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name
            digest.update(f"file {place} {sha256(path)}\n".encode())
    return digest.hexdigest()


def hashes(outputs: Sequence[Path]) -> dict[str, str]:
    """Return the hash of each file that a step made; of none that is not there."""
    return {path.name: sha256(path) for item in outputs for path in files(item)}


def files(item: Path) -> Iterator[Path]:
    """Yield the file, or a folder's files in a fixed order, without Python's own caches."""
    if item.is_dir():
        found = (path for path in sorted(item.rglob("*")) if path.is_file())
        yield from (path for path in found if "__pycache__" not in path.parts)
    elif item.is_file():
        yield item


def sha256(path: Path) -> str:
    """Return a file's SHA-256 in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def say(text: str) -> None:
    """Print one line of progress."""
    print(f"build: {text}", file=sys.stderr, flush=True)
