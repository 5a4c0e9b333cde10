"""`config`: one configuration block."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from calculator import report
from calculator.blocks import UnknownTargetError
from calculator.commands.base import Result, add_inputs, workload
from calculator.errors import InputError
from calculator.inputs import read_shm

if TYPE_CHECKING:
    from calculator.commands.base import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("config", help="one configuration block")
    add_inputs(parser)
    parser.add_argument("--target", required=True, metavar="ID", help="see `list targets`")
    parser.add_argument("--shm", metavar="SIZE", help="render for this size, such as 8g")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> Result:
    """Render a target for a job."""
    job, hints = workload(arguments)
    size = None if arguments.shm is None else read_shm(arguments.shm)
    try:
        found = report.build(job, shm_bytes=size, targets=[arguments.target])
    except UnknownTargetError as error:
        raise InputError.at("--target", str(error)) from None
    return Result(found.targets[0].text, hints=hints)
