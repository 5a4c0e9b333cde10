"""The law of /dev/shm use, transcribed from the measurements' write-up.

Written apart from the engine and never importing it: tests hold one against the other.
"""

from __future__ import annotations

from collections.abc import Sequence

PAGE = 4096
HEADER = 64


def pages(size: int, page: int = PAGE) -> int:
    """Bytes that `size` bytes occupy."""
    whole, rest = divmod(size, page)
    return (whole + (1 if rest else 0)) * page


def semaphores(workers: int, page: int = PAGE) -> int:
    """Bytes of the queues' semaphores of one live loader."""
    return (8 + 3 * workers) * page if workers else 0


def batch(segments: Sequence[int], *, file_system: bool = False, page: int = PAGE) -> int:
    """Bytes of one batch: each storage rounded on its own."""
    header = HEADER if file_system else 0
    return sum(pages(size + header, page) for size in segments)


def one_loader(
    segments: Sequence[int],
    workers: int,
    prefetch: int,
    *,
    held: int = 1,
    spike: int = 1,
    pinned: bool = False,
    file_system: bool = False,
    page: int = PAGE,
) -> int:
    """Bytes that one loader of one process needs."""
    if workers == 0:
        return 0
    live = prefetch * workers
    if not pinned:
        live += held + spike
    size = batch(segments, file_system=file_system, page=page)
    return live * size + semaphores(workers, page)
