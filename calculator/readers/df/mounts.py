"""Lines that say how /dev/shm is mounted: mount, /proc/mounts, mountinfo, findmnt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from calculator.readers.text import LONGEST_LINE, command
from calculator.typed import MAX_BYTES
from calculator.units import KIB, SizeError, read_tmpfs

_MOUNT = re.compile(
    r"(?P<source>\S+) on (?P<target>/\S*) type (?P<type>\S+) \((?P<options>[^)]*)\)"
)
_PROC = re.compile(
    r"(?P<source>\S+) (?P<target>/\S*) (?P<type>[a-z][\w.]*) (?P<options>(?:r[wo])\S*)(?: \d \d)?"
)
_INFO = re.compile(
    r"\d+ \d+ \d+:\d+ \S+ (?P<target>/\S*) (?P<first>\S+) (?:\S+:\d+ )*- "
    r"(?P<type>\S+) (?P<source>\S+) (?P<options>\S+)"
)
_FINDMNT = re.compile(
    r"[├─└│ ]*(?P<target>/\S*)\s+(?P<source>\S+)\s+(?P<type>[a-z][\w.]*)\s+(?P<options>r[wo],\S+)"
)


@dataclass(frozen=True)
class Mount:
    """One mounted file system."""

    line: int
    text: str
    source: str
    target: str
    fstype: str
    options: tuple[str, ...]

    @property
    def size(self) -> int | None:
        """Bytes of the size= option; None without one, or where it is a share of the RAM."""
        for option in self.options:
            key, _, value = option.partition("=")
            if key in {"size", "nr_blocks"}:
                try:
                    found = read_tmpfs(value) * (4 * KIB if key == "nr_blocks" else 1)
                except (SizeError, ValueError):
                    return None
                return found if found <= MAX_BYTES else None
        return None

    @property
    def share(self) -> str:
        """The size= option where it is a share of the machine's RAM, such as `50%`."""
        found = [each for each in self.options if re.fullmatch(r"size=\d{1,3}%", each)]
        return found[0].partition("=")[2] if found else ""


def mounts(lines: Sequence[str]) -> Iterator[Mount]:
    """Yield every mount that the text names."""
    for number, line in enumerate(lines, 1):
        if "/dev/shm" not in line or len(line) > LONGEST_LINE:  # noqa: S108 - what people paste
            continue
        said = command(line) if not line.lstrip().startswith("/") else line.strip()
        for pattern in (_MOUNT, _INFO, _PROC, _FINDMNT):
            match = pattern.match(said)
            if match:
                found = match.groupdict()
                options = f"{found.get('first') or ''},{found['options']}".strip(",")
                yield Mount(
                    line=number,
                    text=line,
                    source=found["source"],
                    target=found["target"],
                    fstype=found["type"],
                    options=tuple(options.split(",")),
                )
                break
