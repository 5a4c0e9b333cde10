"""`probe`: measure a job while it runs; the probe itself is one file that stands alone."""

from __future__ import annotations

import sys
from argparse import REMAINDER, Namespace
from typing import TYPE_CHECKING

from calculator.commands.base import Result
from calculator.errors import InputError

if TYPE_CHECKING:
    from calculator.commands.base import Commands


def add(commands: Commands) -> None:
    """Add the command; its options are the probe's own, which it reads itself."""
    parser = commands.add_parser(
        "probe",
        help="measure a job's /dev/shm while it runs: probe -- COMMAND ...",
        add_help=False,
        prefix_chars="\0",
    )
    parser.add_argument("words", nargs=REMAINDER)
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> Result:
    """Wrap a command or watch one; end as it ended."""
    if not sys.platform.startswith("linux"):
        raise InputError.at("probe", "needs Linux: it reads /proc and /dev/shm")
    from calculator.probe import shm_probe  # noqa: PLC0415 - elsewhere it cannot be imported

    return Result("", shm_probe.main(arguments.words))
