"""`read`: what a paste says: df output, DataLoader code, a configuration, the probe's line."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from calculator import readers
from calculator.commands.base import Result, add_given, given, read_text
from calculator.errors import InputError, Problem
from calculator.printing import as_json
from calculator.summary import summarize

if TYPE_CHECKING:
    from calculator.commands.base import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("read", help="what df, code, a configuration or the probe says")
    add_given(parser)
    parser.add_argument("--kind", choices=readers.KINDS, default="auto", help="what the text is")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> Result:
    """Read a paste; an input that is refused at its places ends with 2."""
    found = readers.read(read_text(arguments.file), arguments.kind, given(arguments))
    problems = [Problem("", each.question) for each in found.errors]
    status = 2 if problems else 0
    if arguments.json:
        return Result(as_json(found.model_dump(mode="json")), status, problems)
    if problems:
        raise InputError(problems)
    return Result(summarize("read", reading=found))
