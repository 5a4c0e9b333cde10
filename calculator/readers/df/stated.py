"""`stat -f /dev/shm` and `findmnt -J`: the same facts in a form of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from calculator.readers.df.mounts import Mount
from calculator.readers.df.table import Row
from calculator.typed import MAX_BYTES

LONGEST_JSON: Final = 200_000
_FILE = re.compile(r"^\s*File: [\"'\u2018\u201c]?(?P<file>/\S*?)[\"'\u2019\u201d]?\s*$")
_TYPE = re.compile(r"\bType: *(?P<type>[a-z][\w/]{0,30})")
_KINDS: Final = {"ext2/ext3": "ext4", "overlayfs": "overlay"}
"""Names of `stat` for what df calls otherwise."""
_BLOCK = re.compile(r"\b(?:Fundamental block size|Block size): *(?P<bytes>\d{1,9})\b")
_BLOCKS = re.compile(
    r"Blocks: *Total: *(?P<total>\d{1,18}) +Free: *(?P<free>\d{1,18})"
    r"(?: +Available: *(?P<available>\d{1,18}))?"
)


def stated(lines: Sequence[str]) -> Iterator[Row]:
    """Yield what `stat -f` says of each file system."""
    target, kind, block = "", "", 0
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_JSON:
            continue
        if file := _FILE.match(line):
            target, kind, block = file["file"], "", 0
        if named := _TYPE.search(line):
            kind = _KINDS.get(named["type"], named["type"])
        for found in _BLOCK.finditer(line):
            block = int(found["bytes"])
        blocks = _BLOCKS.search(line)
        if blocks and target and block:
            total, free = int(blocks["total"]) * block, int(blocks["free"]) * block
            left = int(blocks["available"] or blocks["free"]) * block
            if total <= MAX_BYTES:
                yield Row(
                    line=number, text=line, target=target, source="stat", size=total,
                    used=max(total - free, 0), avail=left, fstype=kind,
                    percent=100 * (total - free) / total if total else None,
                )  # fmt: skip


def listed(text: str, lines: Sequence[str]) -> Iterator[Mount]:
    """Yield what `findmnt -J` lists."""
    if '"filesystems"' not in text or len(text) > LONGEST_JSON:
        return
    try:
        tree = json.loads(text[text.index("{") : text.rindex("}") + 1])
    except (ValueError, RecursionError):
        return
    todo: list[Any] = [tree]
    while todo:
        each = todo.pop()
        if isinstance(each, list):
            todo += reversed(each)
        if not isinstance(each, dict):
            continue
        todo += [each.get("children"), each.get("filesystems")]
        target, options = each.get("target"), each.get("options")
        if isinstance(target, str) and isinstance(options, str):
            place = next((n for n, line in enumerate(lines, 1) if f'"{target}"' in line), 1)
            yield Mount(
                line=place, text=lines[place - 1], source=str(each.get("source")), target=target,
                fstype=str(each.get("fstype")), options=tuple(options.split(",")),
            )  # fmt: skip
