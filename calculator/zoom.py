"""The picture of where /dev/shm goes: three bars, each a piece of the one above magnified.

The container's memory; of it /dev/shm; of that one process at the fullest moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from calculator.bars import Bar, Piece, lay
from calculator.picture import FAR_BEYOND
from calculator.report import Report
from calculator.sums import Share, Sum, add_up
from calculator.units import size
from calculator.workload import DEFAULT_SHM_BYTES, Workload

_SHM: Final = "/dev/shm"  # noqa: S108 - a label

LENS_PX: Final = 28
"""How far a piece's lens falls before it is as wide as the bar below."""


@dataclass(frozen=True)
class Zoom:
    """The whole picture.

    Attributes:
        memory: the container's memory.
        shm: /dev/shm of the size to configure.
        process: one process, or None if it has nothing there.
        lenses: corners of what joins a piece to its magnification; across in percent,
            down in pixels.
        height: of all, in pixels.
        sum: the same as numbers.
        beyond: sizes far beyond their bar, left out rather than squeezing the rest.
    """

    memory: Bar
    shm: Bar
    process: Bar | None
    lenses: tuple[str, ...]
    height: int
    sum: Sum
    beyond: tuple[tuple[str, int], ...]


def zoom(report: Report, workload: Workload) -> Zoom:
    """Lay out the picture of a job."""
    found = add_up(workload)
    memory = _memory(report)
    shm = _shm(report, found, memory.bottom + LENS_PX)
    process = _process(found, shm.bottom + LENS_PX) if found.process_bytes else None
    full = report.memory.shm_bytes
    lenses = [_lens(memory, full, shm, full)]
    if process:
        lenses.append(_lens(shm, found.process_bytes, process, found.process_bytes))
    return Zoom(
        memory=memory,
        shm=shm,
        process=process,
        lenses=tuple(lenses),
        height=(process or shm).bottom + 1,
        sum=found,
        beyond=tuple(_beyond(report)),
    )


def _lens(above: Bar, piece: int, below: Bar, part: int) -> str:
    """Join the first `piece` bytes of a bar to the first `part` bytes of the one below."""
    narrow = float(Fraction(100 * piece, above.bytes))
    wide = float(Fraction(100 * part, below.bytes))
    corners = (
        (0, above.bottom),
        (narrow, above.bottom),
        (wide, below.top),
        (wide, below.bottom),
        (0, below.bottom),
    )
    return " ".join(f"{x:.4f},{y}" for x, y in corners)


def _near(value: int | None, base: int) -> bool:
    return value is not None and value <= FAR_BEYOND * base


def _beyond(report: Report) -> Iterator[tuple[str, int]]:
    given, memory, shm = report.memory.given_limit_bytes, report.memory, report.shm
    if given is not None and not _near(given, memory.limit_bytes):
        yield "The memory limit you gave", given
    if not _near(shm.current_bytes, memory.shm_bytes):
        yield f"Today's {_SHM}", shm.current_bytes


# ---------------------------------------------------------------- the three bars


def _memory(report: Report) -> Bar:
    memory, given = report.memory, report.memory.given_limit_bytes
    parts = memory.shm_bytes + memory.pinned_bytes + memory.process_bytes
    end = max(memory.limit_bytes, given if given and _near(given, memory.limit_bytes) else 0)
    pieces = [
        Piece("shm", f"{_SHM}, when it is full", 1, memory.shm_bytes, label=_SHM),
        Piece("pinned", "Pinned copies of batches", 1, memory.pinned_bytes, label="pinned"),
        Piece("processes", "Processes, assumed", 1, memory.process_bytes, label="processes"),
        Piece("spare", "Rounded up to whole GiB", 1, memory.limit_bytes - parts),
        Piece("beyond", "Your limit beyond it", 1, end - memory.limit_bytes),
    ]
    marks = []
    if given is not None and _near(given, memory.limit_bytes):
        enough = "enough" if given >= memory.limit_bytes else "short"
        marks.append((enough, "Your memory limit", given, f"your limit {size(given)}"))
    return lay(pieces, end, 0, marks)


def _shm(report: Report, found: Sum, top: int) -> Bar:
    full, shm = report.memory.shm_bytes, report.shm
    today = shm.current_bytes if _near(shm.current_bytes, full) else 0
    end = max(full, today, shm.need_bytes)
    several = found.ranks > 1
    name = "Training processes" if several else "The training process"
    pieces = [
        Piece("process", name, found.ranks, found.process_bytes, numbered=several),
        *(_beside(each.term.id, each.term.name, each.term.bytes) for each in found.additions),
        Piece("free", "Headroom and rounding", 1, max(full - shm.need_bytes, 0)),
        Piece("beyond", "Today's size beyond it", 1, end - max(full, shm.need_bytes)),
    ]
    return lay(pieces, end, top, _shm_marks(report, full))


def _beside(name: str, title: str, value: int) -> Piece:
    return Piece(name.partition("-")[0], title, 1, value)


def _shm_marks(report: Report, full: int) -> Iterator[tuple[str, str, int, str]]:
    shm = report.shm
    yield "need", "The need", shm.need_bytes, f"need {size(shm.need_bytes)}"
    if shm.recommended_bytes == full:
        yield "ours", "Recommended", full, f"recommended {size(full)}"
    if _near(shm.current_bytes, full):
        level = f"level-{report.risk.level.value}"
        yield level, "Today", shm.current_bytes, f"today {size(shm.current_bytes)}"
    if DEFAULT_SHM_BYTES not in {shm.current_bytes, full}:
        text = f"default {size(DEFAULT_SHM_BYTES)}"
        yield "default", "The container runtime's default", DEFAULT_SHM_BYTES, text


def _process(found: Sum, top: int) -> Bar:
    pieces = [piece for share in found.shares for piece in _loader(share)]
    return lay(pieces, found.process_bytes, top, headed=True)


def _loader(share: Share) -> Iterable[Piece]:
    """The pieces of one loader, each batch a part."""
    groups = share.queue[0][0] if len(share.queue) > 1 else 1
    batch, loader = share.batch_bytes, share.loader
    queued, held = ("queued", "held") if share.works else ("stalled", "leftover")
    return (
        Piece(queued, _NAMES[queued], share.queued, batch, groups=groups, loader=loader),
        Piece(held, _NAMES[held], share.held, batch, loader=loader),
        Piece("handover", _NAMES["handover"], share.handed, batch, loader=loader),
        Piece("semaphores", _NAMES["semaphores"], share.pages, share.page_bytes, loader=loader),
    )


_NAMES: Final = {
    "queued": "Queued batches",
    "stalled": "Queue left by a break",
    "held": "Held by your loop",
    "leftover": "Last batch, still named",
    "handover": "Being handed over",
    "semaphores": "Queues and semaphores",
}
