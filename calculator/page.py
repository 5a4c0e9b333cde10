"""The page's fragments: rendered by the same templates at build time and live.

Each file of `web/templates/live/` is one fragment, named after the file; names that
start with an underscore are macros for the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from calculator import __version__, resources
from calculator.blocks import Block
from calculator.cited import cited
from calculator.compare import Job, compare
from calculator.curves import curves
from calculator.fit.panel import panel
from calculator.form import Control, control, most
from calculator.header import LINE
from calculator.picture import bar
from calculator.presets import Published
from calculator.report import Report
from calculator.staircase import staircase
from calculator.sums import add_up
from calculator.told import told
from calculator.units import GRAMMARS, count, exact, size
from calculator.workload import DEFAULT_SHM_BYTES, Workload
from calculator.zoom import zoom


def part_names() -> tuple[str, ...]:
    """Return the names of all fragments."""
    return resources.public("live", ".html")


def render(
    parts: Sequence[str],
    workload: Workload,
    report: Report,
    *,
    published: Published | None = None,
    kept: Job | None = None,
) -> dict[str, str]:
    """Render fragments for one answer.

    Args:
        parts: names out of `part_names()`.
        workload: the job.
        report: its answer.
        published: what is often recommended for it, where it is a preset as it stands.
        kept: another job to hold it against.
    """

    def describe(path: str) -> Control:
        return control(workload, path)

    def full(path: str, entries: int) -> int | None:
        limit = most(workload, path)
        return limit if entries >= limit else None

    context = {
        "workload": workload,
        "report": report,
        "control": describe,
        "full": full,
        "published": published,
        "comparison": None if kept is None else partial(compare, kept, Job(workload, report)),
    }
    return {name: environment().get_template(name).render(context) for name in parts}


def blocks(report: Report) -> dict[str, str]:
    """Render the configuration blocks of a report, each with what to know beside it."""
    template = environment().get_template("_target")
    return {each.id: template.render(target=each) for each in report.targets}


def paste(found: Any, workload: Workload) -> str:
    """Render what a pasted text says.

    Args:
        found: an `intake.Paste`.
        workload: the job that its sizes are for.
    """
    usual = Workload()
    return (
        environment()
        .get_template("_paste")
        .render(
            found=found,
            kinds=found.kinds,
            job=workload,
            is_example=(workload.ranks, workload.loaders) == (usual.ranks, usual.loaders),
        )
    )


@cache
def environment() -> Environment:
    """Return the environment of the page's templates: filters, autoescape, strict names."""
    made = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(lambda name: resources.text("live", f"{name}.html")),
    )
    made.filters.update({name: grammar.write for name, grammar in GRAMMARS.items()})
    made.filters.update(
        size=size, exact=exact, count=count, bar=bar, code=code, told=told, cited=cited
    )
    made.filters.update(add_up=add_up, zoom=zoom)
    made.filters.update(staircase=staircase, curves=curves)
    made.filters.update(panel=panel)
    made.globals.update(version=__version__, default_shm=DEFAULT_SHM_BYTES)
    made.globals.update(usual_name=Workload().deployment.name)
    made.globals.update(facts_of=resources.table("facts", "about")["facts"])
    return made


_COMMENT = re.compile(r"^[ \t]*#.*$|(?<=\S  )# .*$", re.MULTILINE)


def code(block: Block) -> Markup:
    """Return a block's text as HTML: comments dimmed, the size marked; the text is unchanged."""
    html = str(Markup.escape(block.text))
    if block.size in GRAMMARS:
        spelled = re.escape(GRAMMARS[block.size].write(block.shm_bytes))
        sized = rf"(?P<head>{LINE.pattern})|(?<![\w.-]){spelled}(?![\w.-])"
        html = re.sub(sized, _marked, html, flags=re.MULTILINE)
    return Markup(_COMMENT.sub(r"<i>\g<0></i>", html))  # noqa: S704 - escaped above


def _marked(found: re.Match[str]) -> str:
    """Mark a size; one in the link of the first line is the current one, or some other."""
    return found[0] if found["head"] else f"<mark>{found[0]}</mark>"
