"""A listing of /dev/shm: who owns how much of it, as far as names tell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from calculator.readers.text import LONGEST_LINE, command
from calculator.typed import MAX_BYTES
from calculator.units import SizeError, parse_size

_ENTRY = re.compile(
    r"(?:\d+\s+)?[-dlsbcp][-rwxsStT]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+(?P<size>[\d.,]+[KMGT]?)\s+"
    r"(?:[A-Z][a-z]{2}\s+\d{1,2}\s+[\d:]{4,5}|\d{1,2}\s+[A-Z][a-z]{2}\s+[\d:]{4,5}"
    r"|\d{4}-\d\d-\d\d\s+\S+(?:\s+[+-]\d{4})?|\d{1,2}月\s+\d{1,2}\s+[\d:]{4,5})\s+(?P<name>.+)"
)
_HEADING: Final = "/dev/shm:"  # noqa: S108 - what ls prints above a folder
_MARKS: Final = ("/dev/shm", "torch_", "nccl-", "sem.", "psm_")  # noqa: S108
_OWNERS: Final = {
    "torch": re.compile(r"(?:.*/)?torch_\d+_\S*"),
    "nccl": re.compile(r"(?:.*/)?nccl-\S+"),
    "semaphores": re.compile(r"(?:.*/)?sem\.\S+"),
    "Python": re.compile(r"(?:.*/)?(?:psm_|mp-|pym-|wnsm_)\S+"),
    "Ray": re.compile(r"(?:.*/)?(?:plasma\S*|ray\S*)"),
    "vLLM": re.compile(r"(?:.*/)?(?:vllm\S*|VLLM\S*)"),
    "Open MPI": re.compile(r"(?:.*/)?(?:vader_segment|sm_segment|ucx_shm_posix|osc_rdma)\S*"),
}


@dataclass(frozen=True)
class Listing:
    """Files by owner: how many and how many bytes; bytes are None where no sizes are shown."""

    counts: dict[str, int]
    sums: dict[str, int] | None

    @property
    def total(self) -> int | None:
        """Bytes of all files."""
        return None if self.sums is None else sum(self.sums.values())


def owner(name: str) -> str:
    """Return who makes files of this name; empty: nobody known."""
    return next((who for who, pattern in _OWNERS.items() if pattern.fullmatch(name)), "")


def listing(lines: Sequence[str]) -> Listing | None:
    """Read `ls` of /dev/shm; None where the text is none."""
    if not any(mark in line for line in lines for mark in _MARKS):
        return None
    counts: dict[str, int] = {}
    sums: dict[str, int] = {}
    about = False
    for line in lines:
        said = command(line)
        if re.search(r"\bls\b[^|;]*?/dev/shm", said[:300]) or said == _HEADING:
            about = True
            continue
        entry = _ENTRY.fullmatch(line.strip()) if len(line) < LONGEST_LINE else None
        if entry:
            size = listed_size(entry["size"])
            if entry["name"] in {".", ".."} or line.lstrip().startswith("d"):
                continue
            who = owner(entry["name"].split(" -> ")[0].strip())
            counts[who] = counts.get(who, 0) + 1
            sums[who] = sums.get(who, 0) + size
    known = any(counts.get(who) for who in _OWNERS)
    if counts and (about or known):
        return Listing(counts, sums)
    return _bare(lines, about=about)


def _bare(lines: Sequence[str], *, about: bool) -> Listing | None:
    """Read `ls` without sizes: names only."""
    counts: dict[str, int] = {}
    others = 0
    for line in lines:
        if _HEADING in line or re.search(r"\bls\b", line[:200]):
            continue
        for name in line.split()[:2000]:
            who = owner(name)
            counts[who] = counts.get(who, 0) + 1
            others += not who
    known = counts.get("torch", 0) + counts.get("nccl", 0)
    if known and (about or others <= known):
        return Listing(counts, None)
    return Listing({}, {}) if about and not counts else None


def listed_size(text: str) -> int:
    """Return the bytes of a size as ls and du write it; 0 where it is none."""
    try:
        return min(parse_size(text), MAX_BYTES)
    except SizeError:
        return 0
