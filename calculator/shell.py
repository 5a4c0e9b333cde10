"""The shell's commands, all but the start of `probe`: what is typed, what is printed.

Exit status: 0 done, 1 the answer is "no", 2 unusable input (one clear line on standard
error).
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Final

from calculator import __version__
from calculator.commands import audit, config, diagnose, fit, listing, mend, probe, read, size
from calculator.commands.base import Result
from calculator.errors import InputError, Problem

COMMANDS: Final = (size, config, fit, diagnose, read, mend, audit, probe, listing)
"""In the order in which --help shows them."""


def run(words: Sequence[str]) -> int:
    """Run one command; return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know fewer characters
    arguments = _parser().parse_args(words)
    try:
        result: Result = arguments.run(arguments)
        _say(result.hints)
        _write(result.text)
    except InputError as error:
        return _refuse(error)
    except KeyboardInterrupt:
        return 130
    return result.status


def _refuse(error: InputError) -> int:
    _say([error])
    return 2


def _say(remarks: Iterable[InputError | Problem]) -> None:
    if sys.stderr is not None:
        for remark in remarks:
            print(f"shm-sizer: {remark}", file=sys.stderr)


def _write(text: str) -> None:
    """Print the answer; a reader that has seen enough is no error."""
    if sys.stdout is None:
        raise InputError.at("standard output", "is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _silence()
    except OSError as error:
        _silence()
        raise InputError.at("standard output", error.strerror or "cannot be written") from None


def _silence() -> None:
    """Nothing is left to flush at exit either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="shm-sizer",
        description="How large /dev/shm must be for PyTorch DataLoader workers.",
    )
    parser.add_argument("--version", action="version", version=f"shm-sizer {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    return parser
