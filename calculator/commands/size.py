"""`size`: the answer, as text or JSON."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from calculator import report
from calculator.commands.base import Result, add_inputs, workload
from calculator.printing import as_json
from calculator.summary import summarize

if TYPE_CHECKING:
    from calculator.commands.base import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("size", help="the answer, as text or JSON")
    add_inputs(parser)
    parser.add_argument("--json", action="store_true", help="print the whole report as JSON")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> Result:
    """Size a job."""
    job, hints = workload(arguments)
    found = report.build(job)
    if arguments.json:
        return Result(as_json(found.model_dump(mode="json")), hints=hints)
    return Result(summarize("summary", workload=job, report=found), hints=hints)
