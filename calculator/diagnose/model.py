"""What a log says: the answer's parts."""

from __future__ import annotations

from typing import Any

from calculator.recommend import Model


class Evidence(Model):
    """A line that the answer rests on; lines count from 1."""

    line: int
    text: str


class Advice(Model):
    """One action in words, and the size that it names, where it names one."""

    id: str
    text: str


class Source(Model):
    """Where a statement can be looked up."""

    title: str
    url: str


class Diagnosis(Model):
    """The whole answer.

    `workload` holds inputs of the form that the text names, such as `torch_version`;
    `size_bytes` is the size the first advice names, where it could be computed.
    """

    diagnosis: str
    confidence: str
    evidence: tuple[Evidence, ...]
    extract: dict[str, Any]
    actions: tuple[str, ...]
    secondary: tuple[str, ...]
    answer: str
    title: str
    means: str
    dont: str
    platform: str
    advice: tuple[Advice, ...]
    sources: tuple[Source, ...]
    workload: dict[str, Any]
    size_bytes: int | None
    lines: int
