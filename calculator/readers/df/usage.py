"""The rows of df about /dev/shm: which one counts, and what it means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from calculator.readers.df.known import Known
from calculator.readers.df.table import Row
from calculator.readers.df.verdict import of_use, trend, words
from calculator.readers.reading import Origin, Reading, Remark

SHM: Final = "/dev/shm"  # noqa: S108 - the very subject
MEMORY: Final = frozenset({"tmpfs", "shm", "ramfs", "none", "devtmpfs", "hugetlbfs"})
_DISKS: Final = {"ext4", "ext3", "xfs", "overlay", "btrfs", "zfs", "nfs", "nfs4", "fuse", "9p"}
_TOO_LITTLE: Final = {"default_64m", "full", "nearly_full", "too_small_for_need", "below_default"}


def usage(own: Sequence[Row], others: int, known: Known) -> Reading:
    """Return what the rows say; the fullest counts, of the pod that crashed if it is there.

    Args:
        own: the rows of /dev/shm, one or more.
        others: how many other rows there are.
        known: what is known beside them.
    """
    sized = [row for row in own if not row.inodes and row.size is not None]
    if not sized:
        key = "inodes_not_bytes" if own[0].inodes else "unparsable"
        origin = Origin(path="", line=own[0].line, text=own[0].text[:400])
        return Reading(kind="df", format="df", verdict=key, notes=(words(key),), origins=(origin,))
    right = [row for row in sized if known.crashing and same_place(row.where, known.crashing)]
    readings = right or sized
    row = max(readings, key=lambda each: (_share(each), -(each.size or 0)))
    verdict = _verdict(row, known)
    used = [each.used for each in readings if each.used is not None]
    moves = trend(used, row.size or 0) if len(used) > 1 else None
    notes = tuple(_notes(row, readings, verdict, moves, known))
    if others:
        notes += (words("other_rows", count=str(others)),)
    on_disk = verdict == "not_tmpfs"
    return Reading(
        kind="df",
        format="df",
        size_bytes=row.size,
        used_bytes=row.used,
        avail_bytes=row.avail,
        samples=len(readings),
        trend=moves,
        verdict=verdict,
        notes=notes,
        warnings=(Remark(id="wrong_medium", text=notes[0]),) if on_disk else (),
        origins=(Origin(path="current_shm", line=row.line, text=row.text[:400]),),
        workload={"current_shm": row.size} if row.size and not on_disk else None,
        parsed={"where": row.where} if row.where else {},
    )


def _verdict(row: Row, known: Known) -> str:
    if on_disk(row):
        return "not_tmpfs"
    if not row.size:
        return "too_small"
    return of_use(row.size, row.used, row.percent, known.need, known.declared)


def _notes(
    row: Row, readings: Sequence[Row], verdict: str, moves: str | None, known: Known
) -> Iterator[str]:
    yield words(
        verdict,
        size=row.size,
        used=row.used,
        avail=row.avail,
        need=known.need,
        declared=known.declared,
        source=row.source or row.fstype,
    )
    if moves:
        used = max(each.used or 0 for each in readings)
        yield words("samples", count=str(len(readings)), used=used, trend=moves)
    if len({each.size for each in readings}) > 1:
        yield words("sizes_differ")
    if row.decimal:
        yield words("decimal", size=row.size)
    if known.need is not None and (row.size or 0) >= known.need:
        yield words("fits", need=known.need)
    if verdict in _TOO_LITTLE:
        yield words("raise")
    yield from _place(row, known)
    if not row.headed and row.bare:
        yield words("no_header")
    if row.target.startswith("/run"):
        yield words("run_shm")


def _place(row: Row, known: Known) -> Iterator[str]:
    """Say where it was read, if that may be the wrong place."""
    if row.where:
        right = not known.crashing or same_place(row.where, known.crashing)
        key = "in_pod" if right else "other_pod"
        yield words(key, where=row.where, crashing=known.crashing)
    elif known.crashing:
        yield words("in_pod", where="a place that the paste does not name")


def same_place(where: str, pod: str) -> bool:
    """Whether a command named this pod, or the workload it belongs to."""
    name = where.rpartition("/")[2]
    return name == pod or ("/" in where and pod.startswith(f"{name}-"))


def on_disk(row: Row) -> bool:
    """Whether a row is about something else than memory."""
    if kind := row.fstype.lower():
        return kind not in MEMORY
    source = row.source.lower()
    return (source.startswith("/dev/") and source != SHM) or source in _DISKS or ":/" in source


def _share(row: Row) -> float:
    if row.percent is not None and row.used is None:
        return row.percent / 100
    return (row.used or 0) / row.size if row.size else 1.0
