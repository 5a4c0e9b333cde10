"""Configuration blocks: one template per platform in `targets/`, with TOML front matter.

Adding a platform is adding one file there:

    +++
    title = "docker run"      # what the picker shows
    group = "Docker"          # where it shows it
    order = 10                # ascending within all targets
    language = "bash"         # one of header.COMMENTS
    filename = "train.sh"     # what a download is called; may hold {{ name }}
    size = "docker"           # grammar of units.GRAMMARS the body writes, or "none"
    sharing = "all"           # who shares one /dev/shm there: container.Sharing; "all" if left out
    shares = "..."            # the same in words, where the usual ones say too little
    also = ["EKS"]            # other words a person may look for it by; may be left out
    verify = "..."            # how to see the size in effect
    recreate = "..."          # what must be restarted for it to apply
    [[caveats]]
    text = "..."              # left out where it renders to nothing
    source = "docker-run-shm"  # short name in facts/sources.toml
    +++
    body, a Jinja2 template

Body, filename, shares, verify, recreate and caveats see the names of `names()` and, in words,
`processes`: how many share one /dev/shm.  They have a filter for each grammar,
`{{ shm_bytes | docker }}`, and one for each way to quote what a person typed,
`{{ image | yaml }}`.  A file whose name starts with an underscore holds macros for the
others: `{% import "_pod" as pod with context %}`.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final

from jinja2 import Environment, FunctionLoader, StrictUndefined

from calculator import resources
from calculator.container import Container, Sharing, container
from calculator.fewer import fewer_workers
from calculator.header import Origin, headed
from calculator.quoting import QUOTES
from calculator.recommend import Model
from calculator.sizing import Sizing
from calculator.units import GRAMMARS, count, size, written_in
from calculator.workload import Workload


class Caveat(Model):
    """One thing to know before using a block, and where it can be read."""

    text: str
    source: str


class Block(Model):
    """A finished configuration block.

    `size` names the grammar in which `text` spells the size, or is "none" where the
    platform has no size to set.  It is configured for the `ranks` processes of one of
    `containers` equal containers, and for `shm_bytes` of /dev/shm in each.
    """

    id: str
    title: str
    group: str
    language: str
    filename: str
    size: str
    also: tuple[str, ...]
    ranks: int
    containers: int
    per_pod: bool
    shares: str
    shm_bytes: int
    text: str
    verify: str
    recreate: str
    caveats: tuple[Caveat, ...]


def names(container: Container) -> Mapping[str, Any]:
    """Return the variables of the templates, for one container of the job."""
    workload = container.sizing.workload
    deployment = workload.deployment
    gpus = deployment.gpus if deployment.gpus is not None else workload.ranks
    return {
        "shm_bytes": container.shm_bytes,
        "need_bytes": container.sizing.need_bytes,
        "steady_need_bytes": container.sizing.steady_need_bytes,
        "fewer_workers": partial(fewer_workers, container.sizing),
        "memory": container.memory,
        "descriptors": container.descriptors,
        "ranks": workload.ranks,
        "containers": container.number,
        "accelerator": workload.accelerator and gpus > 0,
        "gpus": gpus,
        "loaders": list(zip(_identifiers(workload), workload.loaders, strict=True)),
        "workload": workload,
        "image": deployment.image,
        "argv": deployment.argv or _command(workload.ranks),
        "given": deployment,
        "name": deployment.name,
        "namespace": deployment.namespace,
    }


class UnknownTargetError(LookupError):
    """No target has this id."""

    def __init__(self, target: str) -> None:
        self.target = target
        near = difflib.get_close_matches(target, target_ids(), n=3, cutoff=0.5)
        there = (
            f"did you mean {' or '.join(near)}?"
            if near
            else f"there are: {', '.join(target_ids())}"
        )
        super().__init__(f"no target {target!r}; {there}")


@cache
def target_ids() -> tuple[str, ...]:
    """Return the ids of all targets in the order of the picker."""
    found = resources.public("targets", ".j2")
    return tuple(sorted(found, key=lambda name: (_front(name)["order"], name)))


def titles() -> dict[str, str]:
    """Return id -> title of all targets, in order."""
    return {name: _front(name)["title"] for name in target_ids()}


@dataclass(frozen=True)
class Outline:
    """What the picker shows of a target before it is rendered."""

    id: str
    title: str
    group: str
    also: tuple[str, ...]


def outlines() -> tuple[Outline, ...]:
    """Return all targets in order."""
    return tuple(
        Outline(name, front["title"], front["group"], tuple(front.get("also", ())))
        for name in target_ids()
        for front in [_front(name)]
    )


_PROCESSES: Final = "{{ ranks }} training process{{ 'es' if ranks > 1 }}"
_SHARES: Final = (
    "{{ processes }}"
    "{{ ' in each of ' ~ containers ~ (' pods' if per_pod else ' containers') if containers > 1 }}"
)
"""Who shares one /dev/shm, in words."""


def render(target: str, sizing: Sizing, *, origin: Origin, shm_bytes: int | None = None) -> Block:
    """Render one target for a job.

    Args:
        target: one of `target_ids()`.
        sizing: the job.
        origin: what the text's first line leads back to.
        shm_bytes: write this size instead of the recommended one.

    Raises:
        UnknownTargetError: no such target.
    """
    if target not in target_ids():
        raise UnknownTargetError(target)
    front = _front(target)
    sharing = Sharing(front.get("sharing", Sharing.ALL))
    one = container(sizing, sharing, shm_bytes)
    known = {**names(one), "per_pod": sharing is Sharing.POD}
    known["processes"] = _line(_PROCESSES, known)
    sources = resources.table("facts", "sources")
    return Block(
        id=target,
        title=front["title"],
        group=front["group"],
        language=front["language"],
        filename=_line(front["filename"], known),
        size=front["size"],
        also=tuple(front.get("also", ())),
        ranks=one.ranks,
        containers=one.number,
        per_pod=sharing is Sharing.POD,
        shares=_line(front.get("shares", _SHARES), known),
        shm_bytes=one.shm_bytes,
        text=headed(_text(target, known), front["language"], origin, target),
        verify=_line(front["verify"], known),
        recreate=_line(front["recreate"], known),
        caveats=tuple(
            Caveat(text=said, source=sources[each["source"]]["url"])
            for each in front.get("caveats", ())
            if (said := _line(each["text"], known))
        ),
    )


def _text(target: str, known: Mapping[str, Any]) -> str:
    """Render the body: a file is the same whatever unit somebody reads sizes in."""
    with written_in("auto"):
        rendered: str = _template(target).render(known)
    return rendered.strip("\n") + "\n"


# ---------------------------------------------------------------- templates

_FENCE: Final = "+++\n"


@cache
def _parts(target: str) -> tuple[dict[str, Any], str]:
    opening, front, body = resources.text("targets", f"{target}.j2").split(_FENCE, 2)
    if opening:
        raise ValueError(f"targets/{target}.j2 does not start with +++")
    return tomllib.loads(front), body


def _front(target: str) -> dict[str, Any]:
    return _parts(target)[0]


@cache
def _environment() -> Environment:
    environment = Environment(  # noqa: S701 - plain text, not HTML
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        loader=FunctionLoader(lambda name: resources.text("targets", f"{name}.j2")),
    )
    filters: dict[str, Callable[..., str]] = {name: g.write for name, g in GRAMMARS.items()}
    environment.filters.update(filters, people=size, count=count)
    environment.filters.update(QUOTES)
    return environment


@cache
def _template(target: str) -> Any:
    return _environment().from_string(_parts(target)[1])


@cache
def _line_template(text: str) -> Any:
    return _environment().from_string(text)


def _line(text: str, known: Mapping[str, Any]) -> str:
    if "{" not in text:
        return text
    return str(_line_template(text).render(known))


def _command(ranks: int) -> list[str]:
    if ranks == 1:
        return ["python", "train.py"]
    return ["torchrun", f"--nproc-per-node={ranks}", "train.py"]


def _identifiers(workload: Workload) -> list[str]:
    """A name for each loader as code allows it; of equal ones the later get numbers."""
    found: list[str] = []
    for loader in workload.loaders:
        name = _identifier(loader.name)
        while name in found:
            name = f"{name}_{len(found) + 1}"
        found.append(name)
    return found


def _identifier(name: str) -> str:
    """A name as Python and YAML allow it unquoted."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return plain if plain[:1].isalpha() else f"data_{plain}".rstrip("_")
