"""A line of a log, as it was meant: no colours, no prefixes, no escapes."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from calculator.diagnose.prefixes import peel

_COLOURS: Final = re.compile(
    r"(?:\x1b|␛)(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\n]{0,2048}(?:\x07|\x1b\\)"
    r"|[()][0-9A-Za-z]|[@-Z\\^_])"
    r"|\\(?:x1b|u001b|033|e)\[[0-9;]{0,32}m",
    re.IGNORECASE,
)
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\ufeff]")
_ENTITY: Final = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,6}|#[xX][0-9a-fA-F]{1,6});")
_ESCAPED_END: Final = re.compile(r"\\r?\\n|\\n(?=\s|[A-Z\[\"']|$)")
_REMAINS: Final = re.compile(r"(?:^|(?<=\s))\[(?:0|[0-9]{1,2}(?:;[0-9]{1,3}){0,4})m")


@dataclass(frozen=True, slots=True)
class Line:
    """One message.  `number` counts the pasted lines from 1; several may share one."""

    number: int
    text: str
    low: str
    rank: int | None = None
    pod: str = ""
    container: str = ""
    service: str = ""
    host: str = ""
    time: str = ""
    process: str = ""

    @property
    def source(self) -> tuple[int | None, str, str]:
        """Who wrote it: lines of one source belong together."""
        return self.rank, self.pod, self.service


def strip_colours(text: str) -> str:
    """Drop what only a terminal understands."""
    return _COLOURS.sub("", text) if "\x1b" in text or "␛" in text or "\\" in text else text


def clean(number: int, raw: str) -> Iterator[Line]:
    """Yield the messages of one pasted line; a progress bar redraws itself on the spot."""
    text = _CONTROLS.sub("", strip_colours(raw.rstrip("\r\n")))
    if "[" in text and "m" in text:
        text = _REMAINS.sub("", text)
    if "&" in text and _ENTITY.search(text):
        text = html.unescape(html.unescape(text))
    for piece in re.split(r"[\r\n]+", text) if "\r" in text or "\n" in text else [text]:
        yield from _messages(number, piece)


def _messages(number: int, piece: str) -> Iterator[Line]:
    message, told = peel(piece.removeprefix("> "))
    parts = message.split("\n")
    if "\\n" in message:
        parts = [part for whole in parts for part in _ESCAPED_END.split(whole)]
    for part in parts:
        text, more = peel(part) if len(parts) > 1 else (part, {})
        all_told = {**told, **more}
        rank = all_told.pop("rank", None)
        yield Line(
            number=number,
            text=text.rstrip(),
            low=text.lower(),
            rank=int(rank) if rank else None,
            **all_told,
        )
