"""Runs inside Pyodide: leave nothing behind in Python's own blocks of memory that are free.

What was freed still holds what was in it. It need not be stored and sent.
"""

import gc
import sys
from importlib import invalidate_caches

from calculator import resources

LARGEST = 512  # bytes of the largest block that Python keeps pools of
STEP = 8  # from one size of blocks to the next
EACH = 3_000_000  # bytes of each size: more than lies free of any

HEADER = sys.getsizeof(b"")


def sweep() -> None:
    """Let go of what can be had again, then fill what is free with zeros."""
    resources.reread()
    invalidate_caches()
    gc.collect()
    for size in range(HEADER, LARGEST + 1, STEP):
        blocks = [bytes(size - HEADER) for _ in range(EACH // size)]
        del blocks
    gc.collect()


sweep()
