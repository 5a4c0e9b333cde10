"""The line of the probe: found in a text, and read.

The probe (`calculator/probe/shm_probe.py`) ends with one line, `SHM-PROBE {...}`.  It is
found in whatever it was copied with; terminals may have broken it into several.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from calculator.errors import InputError
from calculator.typed import MAX_BYTES

_MARK: Final = "SHM-PROBE "
MARK: Final = re.compile(_MARK + r"(?=\{)")
LONGEST: Final = 64_000
"""Characters that are looked at after the mark; the probe writes a quarter of that."""

_KEPT: Final = len(_MARK) + LONGEST
_BROKEN: Final = len(_MARK)
"""Characters of a mark that a piece may end with, all but the last."""

Number = Annotated[int, Field(ge=0, le=MAX_BYTES)]
Words = Annotated[str, Field(max_length=1000)]


class Seen(BaseModel):
    """A part of the line; what later probes add is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Files(Seen):
    """Named files of one kind that were left, in bytes."""

    kind: Words
    bytes: Number


class Course(Seen):
    """The highest use, in bytes, in each of some equal steps of so many seconds."""

    step: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    bytes: Annotated[tuple[Number, ...], Field(max_length=1000)]


class Room(Seen):
    """What was seen of /dev/shm, in bytes."""

    size: Number
    start: Number
    peak: Number
    course: Course | None = None
    files_left: Annotated[tuple[Files, ...], Field(max_length=16)] = ()


class Processes(Seen):
    """The highest counts of some processes; sizes in bytes."""

    fd_limit: Number | None = None
    private: Number = 0


class Rank(Processes):
    """One training process."""

    workers: Number
    pin_thread: bool = False


class Job(Seen):
    """The processes of the job; `owners` had DataLoader workers at the same time."""

    workers: Number
    owners: Number
    torch: Annotated[tuple[Words, ...], Field(max_length=8)] = ()
    python: Annotated[tuple[Words, ...], Field(max_length=8)] = ()
    max_map_count: Number | None = None
    ranks: Annotated[tuple[Rank, ...], Field(max_length=64)] = ()
    workers_highest: Processes = Processes()


class Cgroup(Seen):
    """The memory cgroup, in bytes."""

    limit: Number | None = None


class Ending(Seen):
    """How the job ended, in words."""

    means: Words = ""


class Finding(Seen):
    """A cause that the probe named."""

    id: Words
    title: Words
    helps: Words = ""
    shown: Words = ""


class Record(Seen):
    """The line, as far as it is used here."""

    version: Literal[1]
    mode: Literal["wrap", "pid", "watch"]
    partial: bool = False
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    shm: Room
    job: Job
    memory: Cgroup | None = None
    exit: Ending = Ending()
    found: Annotated[tuple[Finding, ...], Field(max_length=16)] = ()

    @property
    def base(self) -> int:
        """What lay there before a wrapped command, in bytes; of a watched job it is not known."""
        return self.shm.start if self.mode == "wrap" else 0

    @property
    def shared(self) -> bool:
        """Whether the peak may be other programs' as well."""
        return self.mode != "wrap" or any(each.kind == "other" for each in self.shm.files_left)


class Catcher:
    """Keeps the last record of a text that comes in pieces, and nothing else of it."""

    def __init__(self) -> None:
        self.kept = ""
        self._end = ""

    def feed(self, piece: str) -> None:
        """Take the next piece; it may end anywhere, in the middle of a record, too."""
        seen = self._end + piece
        last = None
        for last in MARK.finditer(seen):  # noqa: B007 - a long log may have many: only one is kept
            pass
        if last is not None:
            self.kept = seen[last.start() :][:_KEPT]
        elif self.kept:
            self.kept = (self.kept + piece)[:_KEPT]
        self._end = seen[-_BROKEN:]


def find(text: str) -> Record | None:
    """Return the last record in a text, or None where there is none.

    Raises:
        InputError: there is one, and it is incomplete or not what the probe writes.
    """
    catcher = Catcher()
    catcher.feed(text)
    return read(catcher.kept)[0] if catcher.kept else None


def read(kept: str) -> tuple[Record, str]:
    """Read what begins with the mark; return the record, and its line without what follows it.

    Raises:
        InputError: it is incomplete, or not what the probe writes.
    """
    line = re.sub(r"[\r\n]+", "", kept[len(_MARK) :])
    try:
        data, end = json.JSONDecoder().raw_decode(line)
    except (ValueError, RecursionError):
        message = "the probe's line is incomplete: copy it from SHM-PROBE to its last brace"
        raise InputError.at("", message) from None
    try:
        return Record.model_validate(data), _MARK + line[:end]
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"])) or "the line"
        message = f"the probe's line is damaged, or of another version: {place}"
        raise InputError.at("", message) from None
