"""A link as a job.  Whatever the text is, there is an answer: what cannot be read is left out."""

from __future__ import annotations

from typing import Final

from calculator.link.escaping import decoded
from calculator.link.notes import Notes
from calculator.link.state import State
from calculator.recommend import Model
from calculator.workload import Workload

MAX_CHARACTERS: Final = 600_000
"""No longer link is read.  The longest that a form gives has a hundred thousand sizes that vary."""


class Shared(Model):
    """What a link says: a job, the platform that is looked at, a job to compare it with.

    `notes` are sentences for the person, about what could not be read.  Where not even the
    version could, the job is the default and `readable` false.
    """

    workload: Workload
    target: str | None = None
    other: Workload | None = None
    notes: tuple[str, ...] = ()
    readable: bool = True


def read(fragment: str) -> Shared:
    """Read a link, or an address that ends in one.  Raises nothing."""
    notes = Notes()
    if len(fragment) > MAX_CHARACTERS:
        notes.too_long = True
        return Shared(workload=Workload(), notes=notes.sentences(), readable=False)
    first, *others = decoded(fragment).split("&")
    one, *two = (State.read(text, notes) for text in (first, *others[:1]))
    notes.unknown.extend(others[1:])
    workload = one.workload(notes) if first else Workload()
    return Shared(
        workload=workload or Workload(),
        target=one.target,
        other=two[0].workload(notes) if two else None,
        notes=notes.sentences(),
        readable=workload is not None,
    )
