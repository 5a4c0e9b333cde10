"""`diagnose`: the cause of a pasted log."""

from __future__ import annotations

import io
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from calculator.commands.base import Result, add_given, encoding_of, given
from calculator.diagnose import Scanner
from calculator.errors import InputError
from calculator.printing import as_json

if TYPE_CHECKING:
    from calculator.commands.base import Commands

_CHUNK: Final = 1_000_000


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("diagnose", help="what a log says: the cause, and what helps")
    add_given(parser)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> Result:
    """Read a log of any length, piece by piece, and answer."""
    known = given(arguments)
    scanner = Scanner()
    for chunk in _chunks(arguments.file):
        scanner.feed(chunk)
    found = scanner.finish(known)
    if arguments.json:
        return Result(as_json(found.model_dump(mode="json")))
    return Result(found.answer)


def _chunks(name: str) -> Iterator[str]:
    """Yield the text; bytes that are none are replaced, as logs have them."""
    if name == "-":
        if sys.stdin is None:
            raise InputError.at("standard input", "is closed")
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        yield from _pieces(sys.stdin)
        return
    try:
        path = Path(name)
        with path.open("rb") as file:
            encoding = encoding_of(file.read(2))
        with path.open(encoding=encoding, errors="replace") as text:
            yield from _pieces(text)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError.at(name, reason or "cannot be read") from None


def _pieces(text: TextIO) -> Iterator[str]:
    while chunk := text.read(_CHUNK):
        yield chunk.removeprefix("\ufeff")
