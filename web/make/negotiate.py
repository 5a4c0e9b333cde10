"""Which form of a file a browser gets: as it is, or one of the compressed copies beside it."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from web.make.compressed import SUFFIXES


def choose(path: Path, accepted: str) -> tuple[str, Path]:
    """Return the content coding, or "", and the file to send.

    Args:
        path: the file as it is.
        accepted: what the browser says in Accept-Encoding. Of two codings that it likes the same,
            the first in SUFFIXES is taken, which is the smaller one.
    """
    liked = weights(accepted)
    others = liked.get("*", 0.0)
    there = {coding: path.with_name(path.name + end) for coding, end in SUFFIXES.items()}
    usable = {
        coding: liked.get(coding, others)
        for coding, copy in there.items()
        if liked.get(coding, others) > 0 and copy.is_file()
    }
    best = max(usable, key=lambda coding: usable[coding], default="")
    return (best, there[best]) if best else ("", path)


def weights(accepted: str) -> dict[str, float]:
    """Read Accept-Encoding: each coding's weight, from 0 for never to 1; what is no number is 0."""
    found = {}
    for each in accepted.lower().split(","):
        coding, _, parameter = each.partition(";")
        key, _, value = parameter.strip().partition("=")
        if coding.strip():
            found[coding.strip()] = _number(value) if key.strip() == "q" else 1.0
    return found


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def tag(path: Path) -> str:
    """Return the ETag of a file: the same content has the same one after each build."""
    status = path.stat()
    return f'"{_digest(path, status.st_mtime_ns, status.st_size)}"'


@lru_cache(maxsize=1024)
def _digest(path: Path, changed: int, size: int) -> str:
    del changed, size  # they only tell one content of the path from the next
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:32]


def is_current(tag: str, known: str) -> bool:
    """Tell whether a browser that sends `known` in If-None-Match has this already."""
    tags = [each.strip().removeprefix("W/") for each in known.split(",")]
    return tag in tags or tags == ["*"]
