"""Answers as text for a terminal, from the templates in `words/`."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, FunctionLoader, StrictUndefined

from calculator import resources
from calculator.units import GRAMMARS, count, size


def summarize(template: str, **names: object) -> str:
    """Return an answer as lines for people."""
    return _environment().get_template(template).render(names)


@cache
def _environment() -> Environment:
    environment = Environment(  # noqa: S701 - plain text, not HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        loader=FunctionLoader(lambda name: resources.text("words", f"{name}.txt.j2")),
    )
    environment.filters.update({name: grammar.write for name, grammar in GRAMMARS.items()})
    environment.filters.update(size=size, count=count)
    return environment
