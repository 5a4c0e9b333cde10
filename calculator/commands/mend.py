"""`mend`: a Compose or Kubernetes file or Helm values, with the /dev/shm it needs."""

from __future__ import annotations

import io
import sys
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from calculator.commands.base import UTF16, Result, decoded, given
from calculator.errors import InputError
from calculator.inputs import read_shm
from calculator.manifests import Mended, mend
from calculator.printing import as_json
from calculator.slips import slip

if TYPE_CHECKING:
    from calculator.commands.base import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("mend", help="a Compose or Kubernetes file, with its /dev/shm")
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help="or - (the default)")
    parser.add_argument("--shm", required=True, metavar="SIZE", help="the size, such as 8g")
    parser.add_argument(
        "--container", metavar="NAME", help="the service or container that is meant"
    )
    parser.add_argument("--given", metavar="JSON", help="what is known besides, such as a policy")
    parser.add_argument("--diff", action="store_true", help="print the changes, not the whole file")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> Result:
    """Mend a file; the exit status is 1 where it needs a hand or a word first."""
    size = read_shm(arguments.shm)
    text = read_exactly(arguments.file)
    found = mend(text, size, container=arguments.container, given=given(arguments))
    status = 0 if found.action in {"patch", "no_change"} else 1
    hints = list(slip("shm", arguments.shm))
    if arguments.json:
        return Result(as_json(found.model_dump(mode="json")), status, hints)
    if arguments.diff:
        return Result(found.diff, status, hints)
    _explain(found)
    return Result(found.text if status == 0 else found.snippet, status, hints)


def read_exactly(name: str) -> str:
    """Return a text with its line ends and byte order mark as they are.

    Raises:
        InputError: it cannot be read, or is not text.
    """
    label = "standard input" if name == "-" else name
    try:
        if name != "-":
            data = Path(name).read_bytes()
            return decoded(data) if data[:2] in UTF16 else data.decode("utf-8")
        if sys.stdin is None:
            raise InputError.at(label, "is closed")
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(newline="")
        return str(sys.stdin.read())
    except OSError as error:
        raise InputError.at(label, error.strerror or "cannot be read") from None
    except UnicodeDecodeError as error:
        raise InputError.at(label, f"is not text ({error})") from None


def _explain(found: Mended) -> None:
    """Say on standard error what was done, beside the file on standard output."""
    said = [found.message, *found.notes]
    said += [f"line {each.line}: {each.text}" for each in found.reasons]
    said += [each.text for each in found.warnings]
    if sys.stderr is not None:
        for line in said:
            print(f"shm-sizer: {line}", file=sys.stderr)
