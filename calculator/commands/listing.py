"""`list`: the presets and targets there are."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from calculator import blocks, presets
from calculator.commands.base import Result
from calculator.printing import as_json

if TYPE_CHECKING:
    from calculator.commands.base import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("list", help="what there is")
    parser.add_argument("what", choices=["presets", "targets"])
    parser.add_argument("--json", action="store_true")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> Result:
    """List ids and titles."""
    titles = presets.titles() if arguments.what == "presets" else blocks.titles()
    if arguments.json:
        return Result(as_json([{"id": name, "title": title} for name, title in titles.items()]))
    width = max(map(len, titles))
    return Result("".join(f"{name:<{width}}  {title}\n" for name, title in titles.items()))
