"""What the commands share: their result, the inputs they take, the files they read."""

from __future__ import annotations

import argparse
import codecs
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from calculator import link
from calculator.errors import InputError, Problem
from calculator.inputs import collect
from calculator.reading import DoubledKeyError, read_json
from calculator.slips import slip, slips
from calculator.workload import Workload, parse

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - it has no other name
    """Where a command adds its parser."""


UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How a text of Windows may begin."""


@dataclass(frozen=True)
class Result:
    """What a command prints, the exit status it ends with, and hints on what was given."""

    text: str
    status: int = 0
    hints: Sequence[Problem] = ()


Run = Callable[[argparse.Namespace], Result]


# ---------------------------------------------------------------- files


def read_text(name: str) -> str:
    """Return the text of a file, or of standard input for `-`; a byte order mark is left out.

    Raises:
        InputError: it cannot be read, or is not text.
    """
    label = "standard input" if name == "-" else name
    try:
        return _stdin() if name == "-" else decoded(Path(name).read_bytes()).replace("\r\n", "\n")
    except OSError as error:
        raise InputError.at(label, error.strerror or "cannot be read") from None
    except ValueError as error:
        raise InputError.at(label, f"is not text ({error})") from None


def decoded(data: bytes) -> str:
    """Return text as Windows writes it too: PowerShell's `>` makes UTF-16.

    Raises:
        UnicodeDecodeError: it is no text.
    """
    return data.decode(encoding_of(data[:2]))


def encoding_of(start: bytes) -> str:
    """Return the encoding of a file that begins so."""
    return "utf-16" if start in UTF16 else "utf-8-sig"


def read_json_text(label: str, text: str) -> Any:
    """Read JSON.

    Raises:
        InputError: at `label`, the text is no JSON, or says a key twice.
    """
    try:
        return read_json(text)
    except DoubledKeyError as error:
        raise InputError.at(label, str(error)) from None
    except (ValueError, RecursionError) as error:
        raise InputError.at(label, f"is not JSON ({error})") from None


def _stdin() -> str:
    if sys.stdin is None:
        raise InputError.at("standard input", "is closed")
    return sys.stdin.read().removeprefix("\ufeff")


# ---------------------------------------------------------------- the job


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Add what says a job: file, preset, single values."""
    parser.add_argument(
        "workload",
        nargs="?",
        metavar="WORKLOAD.json",
        help="input JSON, or - for standard input",
    )
    parser.add_argument("--preset", metavar="ID", help="start from a preset; see `list presets`")
    parser.add_argument(
        "--link",
        metavar="LINK",
        help="start from a link of the page, or what stands behind its #; in quotes",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="set one input, such as loaders.0.batch_size=128; wins over file and preset",
    )


def add_given(parser: argparse.ArgumentParser) -> None:
    """Add what may be said beside a text that is pasted."""
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="or - (the default)")
    parser.add_argument("--given", metavar="JSON", help="what is known besides, as JSON")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")


def given(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what was said beside the text.

    Raises:
        InputError: it is no JSON object.
    """
    if arguments.given is None:
        return {}
    data = read_json_text("--given", arguments.given)
    if not isinstance(data, dict):
        raise InputError.at("--given", "must be a set of keys and values")
    return data


def workload(arguments: argparse.Namespace) -> tuple[Workload, list[Problem]]:
    """Return the job, and hints on sizes that are hardly meant."""
    base, notes = _linked(arguments) if arguments.link is not None else (_file(arguments), [])
    data = collect(arguments.preset, base, dict(map(_change, arguments.set)))
    return parse(data), [*notes, *slips(data), *slip("shm", getattr(arguments, "shm", None))]


def _file(arguments: argparse.Namespace) -> Any:
    name = arguments.workload
    label = "standard input" if name == "-" else name
    return None if name is None else read_json_text(label, read_text(name))


def _linked(arguments: argparse.Namespace) -> tuple[Any, list[Problem]]:
    """Return the job of a link, and what of the link could not be read."""
    if arguments.workload is not None or arguments.preset is not None:
        raise InputError.at("--link", "says the whole job: no file and no preset beside it")
    shared = link.read(arguments.link)
    notes = [Problem("--link", note) for note in shared.notes]
    if not shared.readable:
        raise InputError(notes)
    return shared.workload.model_dump(mode="json"), notes


def _change(text: str) -> tuple[str, Any]:
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise InputError.at("--set", f"{text[:80]!r} is not PATH=VALUE")
    try:
        return path.strip(), _value(value)
    except DoubledKeyError as error:
        raise InputError.at(path.strip(), str(error)) from None


def _value(text: str) -> Any:
    """Read a list or an object as JSON; everything else stays text, as on the page."""
    if text.lstrip()[:1] not in {"[", "{"}:
        return text
    try:
        return read_json(text)
    except DoubledKeyError:
        raise
    except (ValueError, RecursionError):
        return text
