"""`fit`: what fits into a /dev/shm that cannot be changed."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from calculator.commands.base import Result, add_inputs, workload
from calculator.fit import fit
from calculator.inputs import read_shm
from calculator.printing import as_json
from calculator.summary import summarize

if TYPE_CHECKING:
    from calculator.commands.base import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("fit", help="what fits into a /dev/shm that cannot be changed")
    add_inputs(parser)
    parser.add_argument("--shm", required=True, metavar="SIZE", help="what there is, such as 2g")
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> Result:
    """Fit a job into a size; the exit status is 1 where it does not fit as it is."""
    size = read_shm(arguments.shm)
    job, hints = workload(arguments)
    found = fit(job, size)
    status = 0 if found.fits else 1
    if arguments.json:
        return Result(as_json(found.model_dump(mode="json")), status, hints)
    return Result(summarize("fit", fit=found), status, hints)
