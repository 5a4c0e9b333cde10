"""What a person pastes into the page, whatever it is: sorted, read, and put into words.

The text comes in pieces.  A log may be of any length and is read as it comes, and so is the
probe's line in it; everything else must be seen as a whole, and is small.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any, Final, Literal

from calculator import measured, probed
from calculator.diagnose import Diagnosis, Scanner
from calculator.errors import InputError
from calculator.manifests import Mended, mend
from calculator.measured import Measured
from calculator.readers import read
from calculator.readers.amounts import laid_over
from calculator.readers.code.source import MAX_CODE
from calculator.readers.reading import Reading
from calculator.recommend import Model
from calculator.sizing import size_job
from calculator.workload import Workload, parse

Kind = Literal["auto", "log", "df", "code", "config", "manifest", "probe"]

KINDS: Final[Mapping[Kind, str]] = {
    "auto": "whatever it is",
    "log": "a log",
    "df": "what df shows",
    "code": "code",
    "config": "a configuration",
    "manifest": "a manifest",
    "probe": "what the probe measured",
}
"""What a text can be, for people."""

WHOLE: Final = 2_000_000
"""Characters of a text that is looked at as a whole; what is longer is read as a log."""

NO_CAUSE: Final = frozenset({"none", "unknown"})
"""Diagnoses that name no cause: the text may not be a log at all."""


_LOADER: Final = "DataLoader("

SHM: Final = "/dev/shm"  # noqa: S108 - where df's row ends

MANIFESTS: Final = frozenset({"kubernetes", "compose", "compose-v1", "helm-values", "json-patch"})
"""Formats of manifests that are known for certain."""

_FENCED: Final = re.compile(
    r"^```[\w-]{0,20}[ \t]*\r?\n(.*?)^```[ \t]*\r?$", re.MULTILINE | re.DOTALL
)
"""A block of Markdown."""


class Paste(Model):
    """What a text says: one of its readings, and what it makes of the job.

    `workload` is the whole input JSON with what the text says in it, or None where it says
    nothing about the job.  `line` is what the probe wrote, without the text around it.
    """

    kind: Kind
    diagnosis: Diagnosis | None = None
    reading: Reading | None = None
    mended: Mended | None = None
    measured: Measured | None = None
    line: str | None = None
    workload: dict[str, Any] | None = None

    @property
    def kinds(self) -> Mapping[Kind, str]:
        """What it could have been read as."""
        return KINDS

    @property
    def said(self) -> str:
        """The answer in one sentence."""
        if self.diagnosis is not None:
            return self.diagnosis.title
        if self.mended is not None:
            return self.mended.message
        if self.measured is not None:
            return self.measured.title
        notes = self.reading.notes if self.reading is not None else ()
        return notes[0] if notes else f"Read as {KINDS[self.kind]}."


class Intake:
    """Takes one text, piece by piece."""

    def __init__(self) -> None:
        self._scanner = Scanner()
        self._catcher = probed.Catcher()
        self._pieces: list[str] = []
        self._length = 0

    def feed(self, piece: str) -> None:
        """Take the next piece; it may end anywhere."""
        self._scanner.feed(piece)
        self._catcher.feed(piece)
        self._length += len(piece)
        if self._length <= WHOLE:
            self._pieces.append(piece)
        else:
            self._pieces.clear()

    def finish(self, job: Workload, kind: Kind = "auto", container: str | None = None) -> Paste:
        """Say what all of it is and means, for the job in the form.

        Args:
            job: what the form says.
            kind: what the text is, where a person says so.
            container: which container of a manifest is meant.

        Raises:
            InputError: it is too long to be what it is said to be.
        """
        if kind == "probe" or (kind == "auto" and self._catcher.kept):
            return _probe(self._catcher.kept, job)
        if self._length > WHOLE:
            if kind not in {"auto", "log"}:
                raise InputError.at("", "is too long to be read as that: only logs may be")
            return self._log(job)
        text = "".join(self._pieces)
        if kind == "log" or not text.strip():
            return self._log(job)
        if kind == "manifest":
            return _manifest(text, job, container)
        if kind != "auto":
            return _reading(read(text, kind, _known(job)), text, job)
        return self._sorted(text, job, container)

    def _sorted(self, text: str, job: Workload, container: str | None) -> Paste:
        """Find out what it is: the kinds that are surest to know come first."""
        log = self._log(job)
        cause = log.diagnosis is not None and log.diagnosis.diagnosis not in NO_CAUSE
        try:
            found = read(text, "auto", _known(job))
        except InputError:  # too long for what it may be otherwise: only a log is long
            if not cause and _LOADER in text:
                raise
            return log if cause else self._unknown(text, job, container, log)
        if found.kind == "yaml":
            return _manifest(text, job, container)
        if found.kind == "df" and found.verdict != "unparsable":
            return log if cause and not _is_df_alone(log) else _reading(found, text, job)
        if not _says_something(found):
            return log if cause else self._unknown(text, job, container, log)
        sure = cause and log.diagnosis is not None and log.diagnosis.confidence == "high"
        return log if sure and not _is_python(text) else _reading(found, text, job)

    @staticmethod
    def _unknown(text: str, job: Workload, container: str | None, log: Paste) -> Paste:
        """Try what only a closer look can tell; in the end it is a log that names no cause."""
        mended = _manifest(text, job, container)
        if mended.mended is not None and mended.mended.format in MANIFESTS:
            return mended
        if len(text) > MAX_CODE or not _is_python(text):
            return log
        code = read(text, "code", _known(job))
        return _reading(code, text, job) if code.loaders else log

    def _log(self, job: Workload) -> Paste:
        given = {"workload": job.model_dump(mode="json")}
        found = self._scanner.finish(given)
        return Paste(kind="log", diagnosis=found, workload=_overlaid(job, found.workload))


def _known(job: Workload) -> dict[str, Any]:
    """Return what readers may want to know of the job."""
    return {"need_bytes": size_job(job).need_bytes, "job": job.model_dump(mode="json")}


def _reading(found: Reading, text: str, job: Workload) -> Paste:
    kind: Kind = found.kind if found.kind in {"df", "code"} else "config"  # type: ignore[assignment]
    workload = _overlaid(job, found.workload or {})
    if kind == "config" and found.text is not None:
        # what is handed back is for the job that this very text describes, as the form has it next
        wanted = size_job(parse(workload) if workload else job).recommended_bytes
        found = read(text, kind, {**_known(job), "need_bytes": wanted})
    return Paste(kind=kind, reading=found, workload=workload)


def _probe(kept: str, job: Workload) -> Paste:
    if not kept:
        raise InputError.at("", "has no line of the probe: it begins with SHM-PROBE {")
    record, line = probed.read(kept)
    found, corrected = measured.compare(record, job)
    changed = corrected.model_dump(mode="json") if corrected != job else None
    return Paste(kind="probe", measured=found, workload=changed, line=line)


def _manifest(text: str, job: Workload, container: str | None) -> Paste:
    wanted = size_job(job).recommended_bytes
    found = mend(text, wanted, container=container)
    if found.parse == "error":
        blocks = _FENCED.findall(text)
        if len(blocks) == 1:  # a question of somebody, with the file in it
            inner = mend(blocks[0], wanted, container=container)
            found = inner if inner.parse == "ok" else found
    return Paste(kind="manifest", mended=found)


def _says_something(found: Reading) -> bool:
    """Whether a reader made anything of the text."""
    values = (found.loaders, found.workload, found.parsed, found.warnings, found.errors)
    return any(values) or found.estimate is not None or found.kind == "code"


def _is_df_alone(log: Paste) -> bool:
    """Whether all that a diagnosis rests on is df's row itself."""
    lines = log.diagnosis.evidence if log.diagnosis is not None else ()
    return all(line.text.rstrip().endswith(SHM) for line in lines)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _overlaid(job: Workload, said: Mapping[str, Any]) -> dict[str, Any] | None:
    """Lay what a text says over the form; its loaders take the place of the form's.

    What a loader does not say of its samples stays as the form has it: it is asked for.
    None where the two do not go together: the text is explained all the same.
    """
    if not said:
        return None
    try:
        return parse(laid_over(job.model_dump(mode="json"), said)).model_dump(mode="json")
    except InputError:
        return None
