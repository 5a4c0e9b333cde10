"""Files as text that may stand in a page: compressed, then five signs for four bytes.

The signs are those of base64.b85encode, but for three that mean something in HTML: <, > and &.
web/onefile/packed.js reads them. Base64 would take a fifteenth more.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator
from typing import Final

_SIGNS: Final = str.maketrans("<>&", ",./")
_LEVEL: Final = 9

PIECE: Final = 250_000
"""Signs that a browser reads in a few milliseconds; whole groups of five."""


def pack(content: bytes) -> str:
    """Return the text that stands for a file, the same each time."""
    return base64.b85encode(gzip.compress(content, _LEVEL, mtime=0)).decode().translate(_SIGNS)


def pieces(text: str) -> Iterator[str]:
    """Yield a packed text in pieces that can be read each for itself."""
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]
