"""The door for the page: one JSON string in, one JSON string out.

Request (every key optional):

    {"preset": ID, "workload": {...}, "set": {PATH: VALUE}, "remove": [PATH],
     "shm": SIZE, "parts": [NAME] or null for all, "targets": [ID] or null for all,
     "base": ADDRESS of the page, which the blocks lead back to,
     "compare": {...}, "unit": "auto", "MiB" or "GiB",
     "brief": true for the sizes alone of the report, "shm",
     "printed": true for the report as text, too}

`compare` is a second workload, which the part of that name holds against the first.
All sizes in words follow `unit`; bytes and the text of blocks do not.

Answer, the same bytes on CPython and on Pyodide:

    {"ok": true, "workload": {...}, "report": {...}, "parts": {NAME: HTML},
     "blocks": {TARGET: HTML}, "hints": [...],
     "link": the workload as a link, "preset": ID of the preset it equals, or null,
     "printed": the report as the command line prints it, where that was asked}
    {"ok": false, "errors": [{"path": PATH, "message": TEXT}], "hints": [...]}

Hints look like errors, and refuse nothing.

A link says the whole job: `{"link": TEXT}` in place of preset, workload, set and remove.
What of it cannot be read is left out; if that is all of it, the answer is a refusal that
has notes in place of errors.  Else it has besides:

    {"target": ID of the platform looked at, or null,
     "other": {"workload": {...}, "link": TEXT} or null,
     "notes": [SENTENCE on what of the link could not be read]}

`other` is a second job to compare with.

A text that is pasted comes in pieces, each a request of its own with the form's workload:

    {"workload": {...}, "paste": {"chunk": TEXT, "first": true, "last": true,
     "kind": "auto", "container": NAME}}

and is answered when the last has come; before that `paste` is null:

    {"ok": true, "paste": {"kind", "html", "said", "workload" or null, "line" or null}}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from calculator import link, page, presets, report
from calculator.blocks import UnknownTargetError
from calculator.compare import Job
from calculator.errors import InputError, Problem, from_validation
from calculator.inputs import collect, read_shm
from calculator.printing import as_json
from calculator.reading import DoubledKeyError, read_json
from calculator.slips import slip, slips
from calculator.units import Unit, written_in
from calculator.workload import Workload, parse


class Piece(BaseModel):
    """A piece of a text that is pasted; `first` forgets the text before it."""

    model_config = ConfigDict(extra="forbid")

    chunk: str = ""
    first: bool = False
    last: bool = False
    kind: Literal["auto", "log", "df", "code", "config", "manifest", "probe"] = "auto"
    container: str | None = None


class Request(BaseModel):
    """What the page asks; values in `set` are texts as typed, or JSON."""

    model_config = ConfigDict(extra="forbid")

    preset: str | None = None
    workload: dict[str, Any] | None = None
    set: dict[str, Any] = {}
    remove: list[str] = []
    link: str | None = None
    shm: str | None = None
    parts: list[str] | None = None
    targets: list[str] | None = None
    compare: dict[str, Any] | None = None
    paste: Piece | None = None
    base: str = ""
    brief: bool = False
    printed: bool = False
    unit: Unit = "auto"


def answer(request: str) -> str:
    """Answer one request of the page.  Unusable input is an answer, not an exception."""
    try:
        asked = Request.model_validate(_load(request))
        with written_in(asked.unit):
            response = _respond(asked)
    except ValidationError as error:
        response = _refusal(from_validation(error))
    except InputError as error:
        response = _refusal(error)
    return json.dumps(response, ensure_ascii=False, separators=(",", ":"))


MAX_DEPTH: Final = 32
"""A request nests about ten deep; far deeper ones overflow the browser's small stack."""

_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)


def _load(request: str) -> Any:
    brackets = request.count("[") + request.count("{")
    if brackets > MAX_DEPTH and _depth(request) > MAX_DEPTH:
        raise InputError.at("", "is nested too deeply")
    try:
        return read_json(request)
    except DoubledKeyError as error:
        raise InputError.at("", f"the request {error}") from None
    except ValueError:
        raise InputError.at("", "the request is not JSON") from None


def _depth(request: str) -> int:
    """How deep the brackets of a JSON text nest, those inside strings left out."""
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", _JSON_STRING.sub("", request)):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _respond(request: Request) -> dict[str, Any]:
    if request.paste is not None and not request.paste.last:
        _taken(request.paste)
        return {"ok": True, "paste": None}
    if request.link is not None:
        return _linked(request, request.link)
    given = collect(request.preset, request.workload, request.set, request.remove)
    hints = [*slips(given), *slip("shm", request.shm)]
    try:
        if request.paste is not None:
            return _said(request.paste, parse(given))
        return _answer(request, parse(given), hints)
    except InputError as error:
        return _refusal(error, hints)


_BESIDE_A_LINK: Final = ("preset", "workload", "set", "remove", "paste")


def _linked(request: Request, text: str) -> dict[str, Any]:
    """Answer the job of a link, with what else it says."""
    for name in _BESIDE_A_LINK:
        if getattr(request, name):
            raise InputError.at(name, "cannot stand beside a link, which says the whole job")
    shared = link.read(text)
    if not shared.readable:
        return {**_refusal(InputError([])), "notes": list(shared.notes)}
    given = shared.workload.model_dump(mode="json")
    return {
        **_answer(request, shared.workload, [*slips(given), *slip("shm", request.shm)]),
        "target": shared.target,
        "other": shared.other and _job(shared.other),
        "notes": list(shared.notes),
    }


def _job(workload: Workload) -> dict[str, Any]:
    return {"workload": workload.model_dump(mode="json"), "link": link.write(workload)}


_intakes: Final[list[Any]] = []
"""The text that is coming in, if one is."""


def _taken(piece: Piece) -> Any:
    """Take a piece of a text and return what has come in; the job matters only at the end."""
    from calculator.intake import Intake  # noqa: PLC0415  few people paste: it loads when one does

    if piece.first or not _intakes:
        _intakes[:] = [Intake()]
    intake: Intake = _intakes[0]
    intake.feed(piece.chunk)
    return intake


def _said(piece: Piece, workload: Workload) -> dict[str, Any]:
    """Take the last piece of a text and answer it."""
    intake = _taken(piece)
    found = intake.finish(workload, piece.kind, piece.container)
    return {
        "ok": True,
        "paste": {
            "kind": found.kind,
            "html": page.paste(found, parse(found.workload) if found.workload else workload),
            "said": found.said,
            "workload": found.workload,
            "line": found.line,
        },
    }


def _answer(request: Request, workload: Workload, hints: list[Problem]) -> dict[str, Any]:
    shm_bytes = None if request.shm is None else read_shm(request.shm)
    try:
        found = report.build(
            workload, shm_bytes=shm_bytes, targets=request.targets, base=request.base
        )
    except UnknownTargetError as error:
        raise InputError.at("targets", str(error)) from None
    preset = _untouched(request) or presets.called(found.link)
    parts = _parts(request.parts)
    return {
        "ok": True,
        "workload": workload.model_dump(mode="json"),
        "report": found.model_dump(mode="json", include=_BRIEF if request.brief else None),
        "parts": page.render(
            parts,
            workload,
            found,
            published=presets.load(preset).published if preset else None,
            kept=_kept(request.compare if "compare" in parts else None),
        ),
        "blocks": page.blocks(found),
        "hints": _rows(hints),
        "link": found.link,
        "preset": preset,
        **({"printed": as_json(found.model_dump(mode="json"))} if request.printed else {}),
    }


_BRIEF: Final = {"shm"}
"""What of the report the page itself looks at."""


def _untouched(request: Request) -> str | None:
    """Return the preset that is asked for as it stands: then none need be looked for."""
    changed = request.workload or request.set or request.remove or request.link is not None
    return None if changed else request.preset or presets.DEFAULT_PRESET


def _kept(given: dict[str, Any] | None) -> Job | None:
    """Answer the job that was kept for comparison; what is wrong with it is said of `compare`."""
    if given is None:
        return None
    try:
        workload = parse(collect(None, given, {}))
        return Job(workload, report.build(workload, targets=[]))
    except InputError as error:
        raise InputError(Problem("compare", str(each)) for each in error.problems) from None


def _parts(asked: list[str] | None) -> list[str]:
    known = page.part_names()
    unknown = [name for name in asked or () if name not in known]
    if unknown:
        raise InputError.at("parts", f"no part {unknown[0]!r}")
    return list(known) if asked is None else asked


def _refusal(error: InputError, hints: Iterable[Problem] = ()) -> dict[str, Any]:
    return {"ok": False, "errors": _rows(error.problems), "hints": _rows(hints)}


def _rows(problems: Iterable[Problem]) -> list[dict[str, str]]:
    return [{"path": each.path, "message": each.message} for each in problems]
