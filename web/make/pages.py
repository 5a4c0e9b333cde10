"""The static pages: one for the default workload, one for each preset, each a full page.

What the engine answers for a preset is written beside its page, byte for byte, and stands
in the page: the live page shows the same fragments. The reference sections around them
are rendered from the engine and from facts.
"""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from jinja2 import ChoiceLoader, Environment, FileSystemLoader
from markupsafe import Markup

from calculator import api, page, presets, report, resources
from calculator.blocks import outlines
from calculator.cited import cited
from calculator.diagnose.known import known
from calculator.presets import DEFAULT_PRESET, Preset
from calculator.report import Report
from web.make import found, held, measured, preview, sources, versions
from web.make.policy import CONTENT_SECURITY_POLICY

ROOT: Final = Path(__file__).resolve().parents[2]
WEB: Final = ROOT / "web"
PROBE: Final = ROOT / "calculator" / "probe" / "shm_probe.py"
INSPECTOR: Final = ROOT / "calculator" / "inspector" / "batch_inspector.py"
MEASURED: Final = ROOT / "tests" / "measured.json"


def write(dist: Path, *, base_url: str, assets: str = "") -> None:
    """Write the pages into `dist`.

    Args:
        dist: the folder of the finished site; it need not exist.
        base_url: where it will live, or "" where that is not known.
        assets: the folder of styles and scripts, seen from there, with a slash at its end.
    """
    (dist / "p").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(WEB / "favicon.svg", dist / "favicon.svg")
    for carried in (PROBE, INSPECTOR):
        shutil.copyfile(carried, dist / carried.name)
    base_url = base_url.rstrip("/")
    place = partial(_address, base_url)
    base = place("")
    default = next(shown for shown in _presets(base) if shown.id == DEFAULT_PRESET)
    picture = preview.draw(default.report, default.title, WEB / "css" / "base.css")
    (dist / found.PREVIEW).write_bytes(picture)
    paths = [f"p/{shown.id}.html" for shown in _presets(base)]
    found.write(dist, base_url, ["", *paths])
    render = partial(_render, assets=assets, place=place)
    for shown in _presets(base):
        answer = api.answer(json.dumps({"preset": shown.id, "base": base}))
        (dist / "p" / f"{shown.id}.json").write_bytes(answer.encode())
        html = render(shown, answer, "../", f"p/{shown.id}.html")
        (dist / "p" / f"{shown.id}.html").write_bytes(html.encode())
        if shown.id == DEFAULT_PRESET:
            html = render(shown, answer, "", "")
            (dist / "index.html").write_bytes(html.encode())


def _address(base_url: str, path: str) -> str:
    return f"{base_url}/{path}" if base_url else ""


# ---------------------------------------------------------------- one page


@dataclass(frozen=True)
class Shown:
    """A preset with its answer, as the templates see it."""

    preset: Preset
    report: Report

    def __getattr__(self, name: str) -> Any:
        return getattr(self.preset, name)

    @property
    def source_name(self) -> str:
        """What the source is called, or nothing."""
        return sources.readable(self.preset.source) if self.preset.source else ""

    @property
    def words(self) -> str:
        """What the preset can be found by, in lower case."""
        one = self.preset
        where = sources.words(one.source) if one.source else ""
        return f"{one.id} {one.title} {one.summary} {one.group} {where}".lower()


@cache
def _presets(base: str) -> tuple[Shown, ...]:
    found = (presets.load(name) for name in presets.preset_ids())
    return tuple(Shown(preset, report.build(preset.workload, base=base)) for preset in found)


def _render(
    shown: Shown, answer: str, root: str, path: str, *, assets: str, place: Callable[[str], str]
) -> str:
    """Render the page that opens with one preset.

    Args:
        shown: the preset.
        answer: what the engine answers for it.
        root: relative address of the folder that holds index.html.
        path: the page's own.
        assets: the folder of styles and scripts, seen from there.
        place: gives the full address of a path of the site, or "".
    """
    answered = json.loads(answer)
    context = {
        **_reference(place("")),
        "root": root,
        "assets": f"{root}{assets}",
        "canonical": place(path),
        "preview": place(found.PREVIEW),
        "preview_size": preview.SIZE,
        "software": found.software,
        "themes": preview.backgrounds(WEB / "css" / "base.css"),
        "policy": CONTENT_SECURITY_POLICY,
        "probe": PROBE.read_text("utf-8"),
        "shown": shown,
        "block": partial(_block, shown.report),
        "parts": {name: Markup(html) for name, html in answered["parts"].items()},  # noqa: S704
        "blocks": {name: Markup(html) for name, html in answered["blocks"].items()},  # noqa: S704
        "start": {
            "preset": shown.id,
            "link": answered["link"],
            "workload": answered["workload"],
            "base": place(""),
        },
    }
    return _environment().get_template("page.html").render(context)


@dataclass(frozen=True)
class Entry:
    """A target in the picker; `words` are what it can be found by, in lower case."""

    id: str
    title: str
    group: str
    words: str

    @property
    def lead(self) -> str:
        """The group's name, where the title begins with it."""
        return f"{self.group} " if self.title.startswith(f"{self.group} ") else ""

    @property
    def short(self) -> str:
        """The title without that."""
        return self.title.removeprefix(self.lead)


@dataclass(frozen=True)
class Group:
    """A group of targets in the picker."""

    id: str
    name: str
    targets: tuple[Entry, ...]


@cache
def _groups() -> tuple[Group, ...]:
    """Return the picker's groups, in the order of their first targets."""
    found: dict[str, list[Entry]] = {}
    for each in outlines():
        words = " ".join((each.id, each.title, each.group, *each.also)).lower()
        found.setdefault(each.group, []).append(Entry(each.id, each.title, each.group, words))
    return tuple(
        Group(name.lower().replace(" ", "-"), name, tuple(entries))
        for name, entries in found.items()
    )


@cache
def _environment() -> Environment:
    live = page.environment()
    if live.loader is None:
        raise RuntimeError("the engine's templates have no loader")
    return live.overlay(loader=ChoiceLoader([FileSystemLoader(WEB / "templates"), live.loader]))


# ---------------------------------------------------------------- the reference sections


@cache
def _reference(base: str) -> Mapping[str, Any]:
    """Return what the reference sections and the questions may use."""
    facts = {name: resources.table("facts", name) for name in ("runtimes", "crashes", "sources")}
    default = next(shown for shown in _presets(base) if shown.id == DEFAULT_PRESET)
    context = {
        "runtimes": facts["runtimes"]["runtime"],
        "runtime": {row["id"]: row for row in facts["runtimes"]["runtime"]},
        "crashes": [
            {**row, "seen": versions.seen(row)}
            for row in facts["crashes"]["crash"]
            if row["collate"] != "none"
        ],
        "errors": known(),
        "sources": facts["sources"],
        "presets": _presets(base),
        "default": default,
        "measured": measured.telling(MEASURED),
        "inspector": INSPECTOR.read_text("utf-8"),
        "matrix": versions.matrix(),
        "held": held.held(MEASURED),
        "groups": _groups(),
        "cite": cited,
        "block": partial(_block, default.report),
    }
    asked = _questions(context)
    faq = found.questions((each.q, each.a) for group in asked for each in group.questions)
    return {**context, "questions": asked, "faq": faq}


@dataclass(frozen=True)
class Question:
    """A question with its answer, a piece of HTML, and the ids of its sources."""

    id: str
    q: str
    a: Markup
    sources: tuple[str, ...]


@dataclass(frozen=True)
class Questions:
    """The questions under one heading."""

    name: str
    questions: tuple[Question, ...]


def _questions(context: Mapping[str, Any]) -> tuple[Questions, ...]:
    """Return the questions by heading, in the order in which they are written."""
    text = (WEB / "content" / "faq.toml").read_text(encoding="utf-8")
    found: dict[str, list[Question]] = {}
    for row in tomllib.loads(text)["question"]:
        answer = _environment().from_string(row["a"]).render(context).strip()
        html = Markup(answer)  # noqa: S704 - a rendered template
        question = Question(row["id"], row["q"], html, tuple(row["sources"]))
        found.setdefault(row["group"], []).append(question)
    return tuple(Questions(name, tuple(each)) for name, each in found.items())


def _block(found: Report, target: str) -> Markup:
    """Render one configuration block, folded; the live page keeps it up to date."""
    macros: Any = _environment().get_template("_block").module
    chosen = next(each for each in found.targets if each.id == target)
    return Markup(macros.folded(chosen))  # noqa: S704 - a rendered template
