"""The table that `df` prints: rows of sizes, in whatever unit, language and column order."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from calculator.readers.text import command
from calculator.typed import MAX_BYTES
from calculator.units import KIB

_POWER: Final = {"": 0, "b": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5, "e": 6}
_CELL = re.compile(
    r"(?P<number>\d{1,18}(?:[.,]\d{1,6})?)(?P<unit>[KMGTPE]?)(?P<tail>i?B?)", re.IGNORECASE
)
_BLOCKS = re.compile(
    r"(?:^|\s)(?P<count>\d{1,10})(?P<unit>[KMGT]?)(?P<tail>B?)-[^\s\d]+"
    r"|bloc\w* de (?P<count2>\d{1,10})(?P<unit2>[KMGT]?)",
    re.IGNORECASE,
)
_INODES = re.compile(
    r"(?:^|\s)(?:I[- ]?Nodes?|Inode[ns]?|IUsed|IFree|Inodos|i节点|Иноды)(?:\s|$)", re.IGNORECASE
)
_HEADERS: Final = {
    "source": ("filesystem", "source"), "fstype": ("type", "fstype"), "size": ("size",),
    "used": ("used",), "avail": ("avail", "available"), "pcent": ("use%", "capacity", "pcent"),
    "target": ("mounted", "target"), "file": ("file",), "itotal": ("inodes",),
    "iused": ("iused",), "iavail": ("ifree",), "ipcent": ("iuse%",),
}  # fmt: skip
_FIRST: Final = (
    "filesystem", "文件系统", "檔案系統", "dateisystem", "sys.", "sys", "système", "s.ficheros",
    "s.", "filsystem", "ファイルシス", "ファイルシステム", "файловая", "файл.система",
    "bestandssysteem",
    "sist.", "파일", "파일시스템", "system", "tiedostojärjestelmä", "dosyasistemi", "source",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One line of the table about one mount point."""

    line: int
    text: str
    source: str
    target: str
    size: int | None
    used: int | None
    avail: int | None
    percent: float | None
    fstype: str = ""
    inodes: bool = False
    where: str = ""
    decimal: bool = False
    headed: bool = True
    bare: bool = False


@dataclass
class _Style:
    """How the table at hand writes its numbers; commands and headers change it."""

    block: int | None = None
    decimal: bool = False
    inodes: bool = False
    columns: tuple[str, ...] = ()
    where: str = ""
    asked: tuple[str, ...] = ()
    headed: bool = False


def rows(lines: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of all tables in the text."""
    style = _Style()
    pending = ""
    decimal = any("%" in line and re.search(r"\d[.,]\dk\b", line) for line in lines[:200])
    for number, line in enumerate(lines, 1):
        said = command(line) if "df" in line else ""
        if df_words := _df_words(said):
            style = _from_command(df_words, said)
            pending = ""
            continue
        tokens = line.split()
        if not tokens:
            pending = ""
            continue
        if _is_header(tokens, line):
            style = _from_header(line, tokens, style)
            pending = ""
            continue
        whole = [pending, *tokens] if pending else tokens
        row = _row(number, line, whole, style, decimal=decimal or style.decimal)
        pending = tokens[0] if row is None and len(tokens) == 1 else ""
        if row is not None:
            yield row


def _df_words(said: str) -> list[str]:
    """Return the words of a df command line, or nothing."""
    if not re.search(r"(?:^|[\s;&|'\"(])df(?:[\s'\"]|$)", said[:400]) or said.startswith("df:"):
        return []
    try:
        words = shlex.split(said[:400])
    except ValueError:
        words = said[:400].split()
    flat = [part for word in words for part in (word.split() if " df" in f" {word}" else [word])]
    return flat[flat.index("df") :] if "df" in flat else []


def _from_command(words: list[str], said: str) -> _Style:
    style = _Style(where=where(said))
    options = [word for word in words[1:] if word.startswith("-")]
    letters = "".join(word[1:] for word in options if not word.startswith("--"))
    style.decimal = "H" in letters.split("B")[0] or "--si" in options
    style.inodes = "i" in letters.split("B")[0] or "--inodes" in options
    style.asked = tuple(word for word in words[1:] if word.startswith("/"))
    for index, word in enumerate(words):
        if word.startswith("--output="):
            style.columns = tuple(word.partition("=")[2].split(","))
        unit = word.partition("=")[2] if word.startswith("--block-size=") else ""
        if re.fullmatch(r"-[ahTlPak]*B\w*", word):
            unit = word.partition("B")[2] or (words[index + 1] if index + 1 < len(words) else "")
        if unit:
            style.block = _block(unit)
    if style.block is None and not {"h", "H"} & set(letters):
        style.block = KIB**2 if "m" in letters else KIB if "k" in letters else None
    return style


_WITH_VALUE: Final = {
    "-n",
    "--namespace",
    "-c",
    "--container",
    "-u",
    "--user",
    "-e",
    "--env",
    "-w",
    "--workdir",
}
_INSIDE: Final = {"kubectl", "oc", "docker", "podman", "nerdctl", "crictl"}


def where(said: str) -> str:
    """Return the pod or container that a command ran in; empty for the shell's own place."""
    words = said[:400].split()
    if "exec" not in words or not _INSIDE & {word.rpartition("/")[2] for word in words}:
        return ""
    rest = iter(words[words.index("exec") + 1 :])
    for word in rest:
        if word in _WITH_VALUE:
            next(rest, "")
        elif not word.startswith("-"):
            return word
    return ""


def _block(unit: str) -> int | None:
    match = re.fullmatch(r"(\d{0,9})([KMGTPE]?)(i?)(B?)", unit, re.IGNORECASE)
    if match is None:
        return None
    base = 1000 if match[4] and not match[3] and match[2] else KIB
    return int(match[1] or 1) * int(base ** _POWER[match[2].lower()])


def _is_header(tokens: Sequence[str], line: str) -> bool:
    first = tokens[0].lower()
    known = first in _FIRST or ("%" in line and _BLOCKS.search(line) is not None)
    return known and not re.search(r"\d%|\d+ ?% ?/", line) and len(tokens) > 1


def _from_header(line: str, tokens: Sequence[str], style: _Style) -> _Style:
    found = _BLOCKS.search(line)
    block = style.block
    if found:
        unit = (found["unit"] or found["unit2"] or "") + (found["tail"] or "")
        block = int(found["count"] or found["count2"]) * (_block(unit) or 1)
    columns = style.columns or _columns(tokens)
    return _Style(
        block=block,
        decimal=style.decimal,
        inodes=style.inodes or (_INODES.search(line) is not None and not found),
        columns=columns,
        where=style.where,
        asked=style.asked,
        headed=True,
    )


def _columns(tokens: Sequence[str]) -> tuple[str, ...]:
    """Name the columns of an English header; others keep the usual order."""
    found: list[str] = []
    for token in tokens:
        plain = token.lower()
        name = next((key for key, words in _HEADERS.items() if plain in words), "")
        if not name and _BLOCKS.fullmatch(plain):
            name = "size"
        if plain != "on":
            found.append(name)
    return tuple(found) if all(found) and "size" in found else ()


def _row(number: int, line: str, tokens: list[str], style: _Style, *, decimal: bool) -> Row | None:
    columns = style.columns
    if columns and len(columns) == len(tokens):
        cells = dict(zip(columns, tokens, strict=True))
    else:
        cells = _usual(tokens)
    if not cells:
        return None
    target = cells.get("target", style.asked[0] if len(style.asked) == 1 else "")
    fallback = style.block or (1 if style.headed and style.columns else KIB)
    sizes = [
        _cell(cells.get(name, ""), fallback, decimal=decimal)
        for name in (
            ("itotal", "iused", "iavail") if "itotal" in cells else ("size", "used", "avail")
        )
    ]
    if all(each is None for each in sizes) or not target:
        return None
    percent = cells.get("pcent", "").rstrip("%")
    return Row(
        line=number, text=line, source=cells.get("source", ""), target=target,
        size=sizes[0], used=sizes[1], avail=sizes[2],
        percent=float(percent) if re.fullmatch(r"\d{1,3}", percent) else None,
        fstype=cells.get("fstype", ""), inodes=style.inodes or "itotal" in cells,
        where=style.where, decimal=decimal, headed=style.headed,
        bare=cells.get("size", "").isdigit(),
    )  # fmt: skip


def _usual(tokens: list[str]) -> dict[str, str]:
    """Read `source [type] size used avail use% mount`, counted from the percent sign."""
    ends = [i for i, each in enumerate(tokens) if re.fullmatch(r"\d{1,3}%|-", each)]
    at = next((i for i in ends if i >= len(("size", "used", "avail"))), 0)
    if not at or at + 1 >= len(tokens) or not tokens[at + 1].startswith("/"):
        return {}
    # macOS counts inodes too: size used avail capacity iused ifree %iused mount
    size, used, avail = tokens[at - 3 : at]
    before = tokens[: at - 3]
    typed = len(before) > 1 and re.fullmatch(r"[a-z][\w.]*", before[-1]) is not None
    return {
        "source": before[0] if before else "",
        "fstype": before[-1] if typed else "",
        "size": size, "used": used, "avail": avail, "pcent": tokens[at], "target": tokens[at + 1],
    }  # fmt: skip


def _cell(text: str, block: int, *, decimal: bool) -> int | None:
    match = _CELL.fullmatch(text)
    if match is None:
        return None
    number = Decimal(match["number"].replace(",", "."))
    unit, tail = match["unit"].lower(), match["tail"].lower()
    if not unit and not tail:
        value = number * block
    else:
        base = 1000 if (tail == "b" and unit) or (decimal and tail != "ib") else KIB
        value = number * base ** _POWER[unit]
    return int(value) if value <= MAX_BYTES else None
