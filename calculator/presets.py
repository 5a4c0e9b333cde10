"""Ready-made workloads: one TOML file each in `presets/`.

title = "ResNet-50, one GPU"
summary = "One line: what a person recognises it by"
group = "Vision"
order = 20
featured = true                   # shown before the others; by default not
source = "https://..."            # where the numbers stand; optional
[workload]                        # what differs from the defaults, as in the input JSON
ranks = 1
[[workload.loaders]]
batch_size = 128
[published]                       # what is often recommended for it; optional
need = "~1.25 GB"
recommended = "4 GB"
why = "Why ours is enough"
"""

from __future__ import annotations

from functools import cache
from typing import Any

from calculator import link, resources
from calculator.recommend import Model
from calculator.workload import Workload, parse

DEFAULT_PRESET = "images-8gpu"


class Published(Model):
    """A recommendation found elsewhere, as it was written, and why ours differs."""

    need: str
    recommended: str
    why: str


class Preset(Model):
    """A workload people start from."""

    id: str
    title: str
    summary: str
    group: str
    featured: bool
    source: str | None
    workload: Workload
    published: Published | None


class UnknownPresetError(LookupError):
    """No preset has this id."""

    def __init__(self, preset: str) -> None:
        self.preset = preset
        super().__init__(f"no preset {preset!r}; there are: {', '.join(preset_ids())}")


def preset_ids() -> tuple[str, ...]:
    """Return the ids of all presets in the order of the picker."""
    found = resources.names("presets", ".toml")
    return tuple(sorted(found, key=lambda name: (resources.table("presets", name)["order"], name)))


def titles() -> dict[str, str]:
    """Return id -> title of all presets, in order."""
    return {name: resources.table("presets", name)["title"] for name in preset_ids()}


def workload_data(preset: str) -> dict[str, Any]:
    """Return the input JSON of a preset: only what differs from the defaults.

    Raises:
        UnknownPresetError: no such preset.
    """
    if preset not in preset_ids():
        raise UnknownPresetError(preset)
    data: dict[str, Any] = resources.table("presets", preset).get("workload", {})
    return data


def called(text: str) -> str | None:
    """Return the id of the preset whose workload has this link, if one has."""
    return _links().get(text)


@cache
def _links() -> dict[str, str]:
    return {link.write(load(name).workload): name for name in reversed(preset_ids())}


def load(preset: str) -> Preset:
    """Return one preset.

    Raises:
        UnknownPresetError: no such preset.
        InputError: its workload is not valid.
    """
    workload = parse(workload_data(preset))
    row = resources.table("presets", preset)
    return Preset(
        id=preset,
        title=row["title"],
        summary=row["summary"],
        group=row["group"],
        featured=row.get("featured", False),
        source=row.get("source"),
        workload=workload,
        published=Published(**row["published"]) if "published" in row else None,
    )
