"""What a paste says: the one result of every reader.

A reader fills in what it found, asks for what it could not read, and leaves the rest
empty.  Sizes are bytes.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from calculator.recommend import Model


class Remark(Model):
    """A warning: its id of the taxonomy, and what it means here, in words."""

    id: str
    text: str
    source: str = ""


class Question(Model):
    """What the paste does not say: the place in the input JSON, and a question for people.

    `expression` is what stands there instead of a value, such as `os.cpu_count() // 2`.
    """

    path: str
    question: str
    expression: str = ""


class Origin(Model):
    """Where a value came from: its place in the input JSON, and the line it stands in, from 1."""

    path: str
    line: int
    text: str


class LoaderReading(Model):
    """One DataLoader of the paste, and what its batches come to.

    `workers` is text where it is an expression that nobody but the machine can resolve.
    `sample_bytes` are raw; `batch_bytes` is the batch of them; `peak_batches` are the ones
    queued and the one in use; `peak_max_bytes` allows for one more on its way.  `ranks` is
    how many of the job's processes have this loader; None: all.  `suggested` are tensors that
    the paste only hints at: they go into the form, and are asked for.
    """

    name: str = "loader"
    batch: int | None = None
    workers: int | str | None = None
    prefetch: int | None = None
    sample_shape: tuple[int, ...] | None = None
    dtype: str | None = None
    tensors: tuple[tuple[tuple[int, ...], str], ...] = ()
    sample_bytes: int | None = None
    payload_bytes: int | None = None
    tensors_per_batch: int | None = None
    batch_bytes: int | None = None
    peak_batches: int | None = None
    peak_bytes: int | None = None
    peak_max_bytes: int | None = None
    persistent_workers: bool | None = None
    pin_memory: bool | None = None
    collate: str | None = None
    context: str | None = None
    transport: str | None = None
    ranks: int | None = None
    suggested: tuple[tuple[tuple[int, ...], str], ...] = ()


class Estimate(Model):
    """What the loaders come to.

    The peaks are sums of raw bytes over the loaders that live together (and what stays
    resident).  What people are told is the engine's, of the whole job and with every other
    user of /dev/shm: what it keeps there with full queues, needs, and should be given.
    """

    per_rank_peak_bytes: int
    container_peak_bytes: int
    resident_bytes: int = 0
    full_bytes: int
    need_bytes: int
    recommended_bytes: int


class Reading(Model):
    """Everything a paste says.  `notes` are the sentences people read, the first one first.

    `workload` is input JSON to lay over the form.  `parsed` are values of a command line or
    of another platform's file, `patched` those of the mended one, whose text is `text`.
    """

    kind: str
    format: str = ""
    framework: str = ""
    workload: dict[str, Any] | None = None
    loaders: tuple[LoaderReading, ...] = ()
    loaders_newer: tuple[LoaderReading, ...] = ()
    ranks: int | None = None
    alive_together: bool | None = None
    asked: tuple[Question, ...] = ()
    warnings: tuple[Remark, ...] = ()
    notes: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    estimate: Estimate | None = None

    size_bytes: int | None = None
    used_bytes: int | None = None
    avail_bytes: int | None = None
    samples: int | None = None
    trend: str | None = None
    torch_bytes: int | None = None
    nccl_bytes: int | None = None
    verdict: str | None = None

    parsed: dict[str, Any] = Field(default_factory=dict)
    patched: dict[str, Any] = Field(default_factory=dict)
    text: str | None = None
    effective: str = ""
    errors: tuple[Question, ...] = ()
    extra: dict[str, Any] = Field(default_factory=dict)

    @property
    def answer(self) -> str:
        """All words of the answer, one sentence a line."""
        asked = (each.question for each in (*self.errors, *self.asked))
        return "\n".join((*self.notes, *(each.text for each in self.warnings), *asked))
