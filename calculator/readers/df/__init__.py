"""What df, mount, ls and docker inspect say about /dev/shm, and what that means."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from calculator.errors import InputError
from calculator.readers.df.inspect import inspect
from calculator.readers.df.listing import Listing, listing
from calculator.readers.df.mounts import Mount, mounts
from calculator.readers.df.table import Row, rows
from calculator.readers.df.verdict import of_size, of_use, trend, words
from calculator.readers.reading import Origin, Reading, Remark
from calculator.readers.text import clean
from calculator.sizing import size_job
from calculator.typed import MAX_BYTES
from calculator.workload import parse

SHM: Final = "/dev/shm"  # noqa: S108 - the very subject
_ALIASES: Final = (SHM, "/run/shm")
_ABSENT = re.compile(
    r"(?:df|mount|ls|findmnt|stat|du)\b[^\n]{0,40}/dev/shm\b[^\n]{0,20}:?[^\n]{0,80}"
    r"(?:can't find mount point|no such file|not found|not mounted|non trouv|nicht gefunden|"
    r"no existe|没有那个文件|Aucun fichier|Datei oder Verzeichnis nicht)",
    re.I,
)
_DU = re.compile(r"^(?P<size>\d[\d.,]{0,20}[KMGT]?)\s+/dev/shm/?$", re.M)
_NOT_TMPFS: Final = {"ext4", "ext3", "xfs", "overlay", "btrfs", "zfs", "nfs", "nfs4", "fuse", "9p"}
_MEMORY: Final = {"tmpfs", "shm", "ramfs", "none", "devtmpfs", "hugetlbfs"}


def read(text: str, given: Mapping[str, Any] | None = None) -> Reading:
    """Read what a person pasted of df, mount, /proc/mounts, ls /dev/shm or docker inspect.

    Args:
        text: the paste.
        given: `need_bytes` (or `workload`, input JSON), `declared_size_limit_bytes`,
            `crashing_pod`: what is known beside it.

    Raises:
        InputError: the text is too long, or what is given is no size.
    """
    given = given or {}
    need, declared = _need(given), _whole(given, "declared_size_limit_bytes")
    plain = clean(text)
    lines = plain.split("\n")
    found = list(rows(lines))
    own = [row for row in found if row.target.rstrip("/") in _ALIASES]
    if own:
        return _table(own, found, lines, need, declared, given)
    if (inspected := inspect(plain, lines, need)) is not None:
        return inspected
    if mounted := [each for each in mounts(lines) if each.target.rstrip("/") == SHM]:
        return _mounted(mounted[-1], need, declared)
    if _ABSENT.search(plain):
        return Reading(kind="df", format="df", verdict="absent", notes=(words("absent"),))
    if (listed := listing(lines)) is not None:
        return _listed(listed)
    if found:
        return _elsewhere(found, lines)
    if match := _DU.search(plain):
        return _du(match, lines)
    return Reading(kind="df", verdict="unparsable", notes=(words("unparsable"),))


def _need(given: Mapping[str, Any]) -> int | None:
    if isinstance(given.get("workload"), dict):
        return size_job(parse(given["workload"])).need_bytes
    return _whole(given, "need_bytes")


def _whole(given: Mapping[str, Any], key: str) -> int | None:
    value = given.get(key)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_BYTES:
        raise InputError.at(f"given.{key}", "must be a number of bytes")
    return value


def _table(
    own: list[Row],
    found: list[Row],
    lines: Sequence[str],
    need: int | None,
    declared: int | None,
    given: Mapping[str, Any],
) -> Reading:
    if any(row.inodes for row in own) and not any(not row.inodes for row in own):
        line = own[-1]
        return Reading(
            kind="df", format="df", verdict="inodes_not_bytes",
            notes=(words("inodes_not_bytes"),), origins=(_origin("", line.line, line.text),),
        )  # fmt: skip
    own = [row for row in own if not row.inodes and row.size is not None]
    if not own:
        return Reading(kind="df", verdict="unparsable", notes=(words("unparsable"),))
    crashing = str(given.get("crashing_pod") or given.get("crashing_container") or "")
    right = [row for row in own if crashing and _same(row.where, crashing)]
    readings = right or own
    worst = max(readings, key=lambda row: (_share(row), -(row.size or 0)))
    total = worst.size or 0
    verdict = of_use(total, worst.used, worst.percent, need, declared) if total else "too_small"
    if _on_disk(worst):
        verdict = "not_tmpfs"
    notes = [words(verdict, size=total, used=worst.used, avail=worst.avail, need=need,
                   declared=declared, source=worst.source or worst.fstype)]  # fmt: skip
    used = [row.used for row in readings if row.used is not None]
    moves = trend(used, total) if len(used) > 1 else None
    if moves:
        notes.append(words("samples", count=str(len(used)), used=max(used), trend=moves))
        if len({row.size for row in readings}) > 1:
            notes.append(words("sizes_differ"))
    if worst.decimal:
        notes.append(words("decimal", size=total))
    if need is not None and total >= need:
        notes.append(words("fits", need=need))
    if verdict in {"default_64m", "full", "nearly_full", "too_small_for_need", "below_default"}:
        notes.append(words("raise"))
    if worst.where:
        right_place = not crashing or _same(worst.where, crashing)
        key = "in_pod" if right_place else "other_pod"
        notes.append(words(key, where=worst.where, crashing=crashing))
    elif crashing and not right:
        notes.append(words("in_pod", where="a place that the paste does not name"))
    if not worst.headed and worst.text.split()[-5:-4] and worst.text.split()[-5].isdigit():
        notes.append(words("no_header"))
    if worst.target.startswith("/run"):
        notes.append(words("run_shm"))
    if len(found) > len(own):
        notes.append(words("other_rows", count=str(len(found) - len(own))))
    tmpfs = verdict != "not_tmpfs"
    return Reading(
        kind="df",
        format="df",
        size_bytes=total,
        used_bytes=worst.used,
        avail_bytes=worst.avail,
        samples=len(readings),
        trend=moves,
        verdict=verdict,
        notes=tuple(notes),
        warnings=(Remark(id="wrong_medium", text=notes[0]),) if not tmpfs else (),
        origins=(_origin("current_shm", worst.line, worst.text),),
        workload={"current_shm": total} if total and tmpfs else None,
        parsed={"where": worst.where} if worst.where else {},
    )


def _share(row: Row) -> float:
    if row.percent is not None and row.used is None:
        return row.percent / 100
    return (row.used or 0) / row.size if row.size else 1.0


def _same(where: str, pod: str) -> bool:
    """Whether a command named this pod, or the workload it belongs to."""
    name = where.rpartition("/")[2]
    return name == pod or ("/" in where and pod.startswith(f"{name}-"))


def _on_disk(row: Row) -> bool:
    kind = row.fstype.lower()
    if kind:
        return kind not in _MEMORY
    source = row.source.lower()
    return (source.startswith("/dev/") and source != SHM) or source in _NOT_TMPFS or ":/" in source


def _mounted(mount: Mount, need: int | None, declared: int | None) -> Reading:
    total = mount.size
    if mount.fstype not in _MEMORY:
        verdict = "not_tmpfs"
    elif total is None:
        verdict = "unsized_tmpfs"
    else:
        verdict = of_size(total, need, declared)
    notes = [words(verdict, size=total, need=need, declared=declared, source=mount.source)]
    if verdict not in {"size_only", "unsized_tmpfs", "not_tmpfs"}:
        notes.append(words("size_only", size=total))
    warnings = []
    if "ro" in mount.options:
        warnings.append(Remark(id="mount_read_only", text=words("read_only")))
    return Reading(
        kind="df", format="mount", size_bytes=total, verdict=verdict, notes=tuple(notes),
        warnings=tuple(warnings), origins=(_origin("current_shm", mount.line, mount.text),),
        workload={"current_shm": total} if total and verdict != "not_tmpfs" else None,
    )  # fmt: skip


def _listed(listed: Listing) -> Reading:
    notes = [words("listing")]
    names = sorted(listed.counts, key=lambda who: -(listed.sums or listed.counts).get(who, 0))
    if names:
        shown = ", ".join(_owner(listed, who) for who in names)
        notes.append(words("owners", owners=shown))
    if listed.counts.get("torch"):
        notes.append(words("leftovers"))
    sums = listed.sums
    return Reading(
        kind="df",
        format="ls",
        verdict="listing",
        notes=tuple(notes),
        used_bytes=listed.total,
        torch_bytes=None if sums is None else sums.get("torch", 0),
        nccl_bytes=None if sums is None else sums.get("nccl", 0),
        samples=sum(listed.counts.values()),
    )


def _owner(listed: Listing, who: str) -> str:
    files = listed.counts[who]
    amount = "" if listed.sums is None else f", {words_size(listed.sums[who])}"
    return f"{who or 'others'} {files} {'file' if files == 1 else 'files'}{amount}"


def words_size(value: int) -> str:
    """Write bytes for people."""
    from calculator.units import size  # noqa: PLC0415

    return size(value)


def _elsewhere(found: list[Row], lines: Sequence[str]) -> Reading:
    asked = any(re.search(r"\bdf\b[^\n|;]{0,60}/dev/shm", line[:400]) for line in lines)
    if asked and len(found) == 1:
        row = found[0]
        disk = row.target == "/" or _on_disk(row)
        verdict = "not_tmpfs" if disk else "absent"
        notes = (words(verdict, source=row.source), words("plain_folder", target=row.target))
    else:
        verdict, notes = "absent", (words("no_row"), words("absent"))
    return Reading(kind="df", format="df", verdict=verdict, notes=notes)


def _du(match: re.Match[str], lines: Sequence[str]) -> Reading:
    from calculator.readers.df.listing import _bytes  # noqa: PLC0415

    bare = match["size"].isdigit()
    used = _bytes(match["size"]) * (1024 if bare else 1)
    line = next((i for i, each in enumerate(lines, 1) if match[0] in each), 1)
    return Reading(
        kind="df", format="du", verdict="ok", used_bytes=min(used, MAX_BYTES),
        notes=(words("du"),), origins=(_origin("", line, lines[line - 1]),),
    )  # fmt: skip


def _origin(path: str, line: int, text: str) -> Origin:
    return Origin(path=path, line=line, text=text[:400])
