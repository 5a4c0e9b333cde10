"""The report as text for a terminal."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined

from calculator import resources
from calculator.report import Report
from calculator.units import GRAMMARS, count, size
from calculator.workload import Workload


def summarize(workload: Workload, report: Report) -> str:
    """Return the answer as lines for people."""
    return str(_template().render(workload=workload, report=report))


@cache
def _template() -> Any:
    environment = Environment(  # noqa: S701 - plain text, not HTML
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters.update({name: grammar.write for name, grammar in GRAMMARS.items()})
    environment.filters.update(size=size, count=count)
    return environment.from_string(resources.text("words", "summary.txt.j2"))
