"""`probe`: measure a job while it runs; the probe itself is one file that stands alone.

It runs where the job runs, where the packages of the engine may be missing: nothing of the
engine is imported to measure.
"""

from __future__ import annotations

import sys
from argparse import REMAINDER, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calculator.commands.base import Commands, Result


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
    from calculator.commands.base import Result  # noqa: PLC0415 - it needs the engine's packages

    return Result("", measure(arguments.words))


def measure(words: list[str]) -> int:
    """Run the probe; return the exit status, which is that of the command it wraps."""
    if not sys.platform.startswith("linux"):
        print("shm-sizer: probe: needs Linux: it reads /proc and /dev/shm", file=sys.stderr)
        return 2
    from calculator.probe import shm_probe  # noqa: PLC0415 - elsewhere it cannot be imported

    return shm_probe.main(words, f"{_typed()} probe")


def _typed() -> str:
    """Return what was typed before the command, without the folders."""
    program = Path(sys.argv[0]).name
    if program != "__main__.py":
        return program
    python = getattr(sys, "orig_argv", [sys.executable])[0]  # from Python 3.10 on
    return f"{Path(python).name} -m calculator"
