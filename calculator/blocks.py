"""Configuration blocks: one template per platform in `targets/`, with TOML front matter.

Adding a platform is adding one file there:

    +++
    title = "docker run"      # what the picker shows
    group = "Docker"          # where it shows it
    order = 10                # ascending within all targets
    language = "bash"
    filename = "train.sh"     # what a download is called
    size = "docker"           # grammar of units.GRAMMARS the body writes, or "none"
    verify = "..."            # how to see the size in effect
    recreate = "..."          # what must be restarted for it to apply
    [[caveats]]
    text = "..."
    source = "docker-run-shm"  # short name in facts/sources.toml
    +++
    body, a Jinja2 template

Body, verify, recreate and caveats see the names of `Job`, and a filter for each grammar:
`{{ shm_bytes | docker }}`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from jinja2 import Environment, StrictUndefined

from calculator import resources
from calculator.descriptors import Descriptors
from calculator.recommend import Memory, Model
from calculator.units import GRAMMARS, count, size
from calculator.workload import Workload


class Caveat(Model):
    """One thing to know before using a block, and where it can be read."""

    text: str
    source: str


class Block(Model):
    """A finished configuration block.

    `size` names the grammar in which `text` spells the size, or is "none" where the
    platform has no size to set.
    """

    id: str
    title: str
    group: str
    language: str
    filename: str
    size: str
    text: str
    verify: str
    recreate: str
    caveats: tuple[Caveat, ...]


@dataclass(frozen=True)
class Job:
    """What templates may use."""

    workload: Workload
    shm_bytes: int
    memory: Memory
    descriptors: Descriptors

    def names(self) -> Mapping[str, Any]:
        """The template's variables."""
        workload = self.workload
        return {
            "shm_bytes": self.shm_bytes,
            "memory": self.memory,
            "descriptors": self.descriptors,
            "ranks": workload.ranks,
            "accelerator": workload.accelerator,
            "loaders": list(zip(_identifiers(workload), workload.loaders, strict=True)),
            "workload": workload,
            "command": _command(workload.ranks),
        }


class UnknownTargetError(LookupError):
    """No target has this id."""

    def __init__(self, target: str) -> None:
        self.target = target
        super().__init__(f"no target {target!r}; there are: {', '.join(target_ids())}")


def target_ids() -> tuple[str, ...]:
    """Return the ids of all targets in the order of the picker."""
    found = resources.names("targets", ".j2")
    return tuple(sorted(found, key=lambda name: (_front(name)["order"], name)))


def titles() -> dict[str, str]:
    """Return id -> title of all targets, in order."""
    return {name: _front(name)["title"] for name in target_ids()}


def render(target: str, job: Job) -> Block:
    """Render one target for a job.

    Raises:
        UnknownTargetError: no such target.
    """
    if target not in target_ids():
        raise UnknownTargetError(target)
    front, names = _front(target), job.names()
    sources = resources.table("facts", "sources")
    return Block(
        id=target,
        title=front["title"],
        group=front["group"],
        language=front["language"],
        filename=front["filename"],
        size=front["size"],
        text=_template(target).render(names).strip("\n") + "\n",
        verify=_line(front["verify"], names),
        recreate=_line(front["recreate"], names),
        caveats=tuple(
            Caveat(text=_line(each["text"], names), source=sources[each["source"]]["url"])
            for each in front.get("caveats", ())
        ),
    )


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
    )
    filters: dict[str, Callable[..., str]] = {name: g.write for name, g in GRAMMARS.items()}
    environment.filters.update(filters, people=size, count=count)
    return environment


@cache
def _template(target: str) -> Any:
    return _environment().from_string(_parts(target)[1])


@cache
def _line_template(text: str) -> Any:
    return _environment().from_string(text)


def _line(text: str, names: Mapping[str, Any]) -> str:
    return str(_line_template(text).render(names))


def _command(ranks: int) -> str:
    return "python train.py" if ranks == 1 else f"torchrun --nproc-per-node={ranks} train.py"


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
