"""What df, mount, ls and docker inspect say about /dev/shm, and what that means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from calculator.readers.df.inspect import inspect
from calculator.readers.df.known import Known, known
from calculator.readers.df.listing import Listing, listed_size, listing
from calculator.readers.df.mounts import Mount, mounts
from calculator.readers.df.stated import listed, stated
from calculator.readers.df.table import Row, rows
from calculator.readers.df.usage import MEMORY, SHM, on_disk, usage
from calculator.readers.df.verdict import of_size, words
from calculator.readers.reading import Origin, Reading, Remark
from calculator.readers.text import clean
from calculator.typed import MAX_BYTES
from calculator.units import KIB, size

_ALIASES: Final = (SHM, "/run/shm")
_ABSENT = re.compile(
    r"\b(?:df|mount|ls|findmnt|stat|du)\b[^\n]{0,40}/dev/shm/?['\"\u2019»”]?\s{0,3}:?[^\n/]{0,80}"
    r"(?:can't find mount point|no such file|not found|not mounted|non trouv|nicht gefunden|"
    r"no existe|没有那个文件|Aucun fichier|Datei oder Verzeichnis nicht)",
    re.IGNORECASE,
)
_DU = re.compile(r"^(?P<size>\d[\d.,]{0,20}[KMGT]?)\s+/dev/shm/?$", re.MULTILINE)

_Reader = Callable[[str, Sequence[str], Known], Reading | None]


def read(text: str, given: Mapping[str, Any] | None = None) -> Reading:
    """Read what a person pasted of df, mount, /proc/mounts, ls /dev/shm or docker inspect.

    Args:
        text: the paste.
        given: `need_bytes` (or `workload`, input JSON), `declared_size_limit_bytes`,
            `crashing_pod`: what is known beside it.

    Raises:
        InputError: the text is too long, or what is given is no size.
    """
    facts = known(given)
    plain = clean(text)
    lines = plain.split("\n")
    shown = "%" in plain or "--output" in plain
    found = list(rows(lines)) if shown else []
    own = [row for row in found if row.target.rstrip("/") in _ALIASES]
    own = own or [row for row in stated(lines) if row.target.rstrip("/") in _ALIASES]
    if own:
        return usage(own, max(len(found) - len(own), 0), facts)
    readers: tuple[_Reader, ...] = (_inspected, _mounted, _absent, _listed)
    answers = (reader(plain, lines, facts) for reader in readers)
    first = next((each for each in answers if each is not None), None)
    if first is not None:
        return first
    if found:
        return _elsewhere(found, lines)
    nothing = Reading(kind="df", verdict="unparsable", notes=(words("unparsable"),))
    return _du(plain, lines) or nothing


def _inspected(text: str, lines: Sequence[str], facts: Known) -> Reading | None:
    return inspect(text, lines, facts.need)


def _absent(text: str, _: Sequence[str], __: Known) -> Reading | None:
    if _ABSENT.search(text) is None:
        return None
    return Reading(kind="df", format="df", verdict="absent", notes=(words("absent"),))


def _mounted(text: str, lines: Sequence[str], facts: Known) -> Reading | None:
    every = (*mounts(lines), *listed(text, lines))
    found = [each for each in every if each.target.rstrip("/") == SHM]
    return _mount(found[-1], facts) if found else None


def _mount(mount: Mount, facts: Known) -> Reading:
    total = mount.size
    if mount.fstype not in MEMORY:
        verdict = "not_tmpfs"
    elif total is None:
        verdict = "unsized_tmpfs"
    else:
        verdict = of_size(total, facts.need, facts.declared)
    values = {"need": facts.need, "declared": facts.declared, "source": mount.source}
    notes = [words(verdict, size=total, **values)]
    if verdict not in {"size_only", "unsized_tmpfs", "not_tmpfs"}:
        notes.append(words("size_only", size=total))
    read_only = "ro" in mount.options
    return Reading(
        kind="df",
        format="mount",
        size_bytes=total,
        verdict=verdict,
        notes=tuple(notes),
        warnings=(Remark(id="mount_read_only", text=words("read_only")),) if read_only else (),
        origins=(Origin(path="current_shm", line=mount.line, text=mount.text[:400]),),
        workload={"current_shm": total} if total and verdict != "not_tmpfs" else None,
    )


def _listed(_: str, lines: Sequence[str], __: Known) -> Reading | None:
    found = listing(lines)
    return None if found is None else _owners(found)


def _owners(found: Listing) -> Reading:
    notes = [words("listing")]
    amounts = found.counts if found.sums is None else found.sums
    names = sorted(found.counts, key=lambda who: -amounts.get(who, 0))
    if names:
        shown = ", ".join(_owner(found, who) for who in names)
        notes.append(words("owners", owners=shown))
    if found.counts.get("torch"):
        notes.append(words("leftovers"))
    sums = found.sums
    return Reading(
        kind="df",
        format="ls",
        verdict="listing",
        notes=tuple(notes),
        used_bytes=found.total,
        torch_bytes=None if sums is None else sums.get("torch", 0),
        nccl_bytes=None if sums is None else sums.get("nccl", 0),
        samples=sum(found.counts.values()),
    )


def _owner(found: Listing, who: str) -> str:
    files = found.counts[who]
    amount = "" if found.sums is None else f", {size(found.sums[who])}"
    return f"{who or 'others'} {files} {'file' if files == 1 else 'files'}{amount}"


def _elsewhere(found: Sequence[Row], lines: Sequence[str]) -> Reading:
    asked = any(_asks(line) for line in lines)
    verdict, notes = "absent", [words("no_row"), words("absent")]
    if asked and len(found) == 1:
        row = found[0]
        verdict = "not_tmpfs" if row.target == "/" or on_disk(row) else "absent"
        notes = [words(verdict, source=row.source), words("plain_folder", target=row.target)]
    return Reading(kind="df", format="df", verdict=verdict, notes=tuple(notes))


def _asks(line: str) -> bool:
    return re.search(r"\bdf\b[^\n|;]{0,60}/dev/shm", line[:400]) is not None


def _du(text: str, lines: Sequence[str]) -> Reading | None:
    match = _DU.search(text)
    if match is None:
        return None
    used = listed_size(match["size"]) * (KIB if match["size"].isdigit() else 1)
    line = next(_line_of(match[0], lines), 1)
    return Reading(
        kind="df",
        format="du",
        verdict="ok",
        used_bytes=min(used, MAX_BYTES),
        notes=(words("du"),),
        origins=(Origin(path="", line=line, text=match[0][:400]),),
    )


def _line_of(text: str, lines: Sequence[str]) -> Iterator[int]:
    yield from (number for number, line in enumerate(lines, 1) if line == text)
