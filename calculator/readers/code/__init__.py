"""Python code that makes DataLoaders: read through `ast` only, never run or evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calculator.readers.code.arguments import typed_arguments
from calculator.readers.code.facts import facts_of
from calculator.readers.code.given import checked
from calculator.readers.code.job import job_of
from calculator.readers.code.launch import commands, ranks, started
from calculator.readers.code.machine import Machine
from calculator.readers.code.result import reading
from calculator.readers.code.source import read_source
from calculator.readers.reading import Reading


def read_code(text: str, given: Mapping[str, Any] | None = None) -> Reading:
    """Read pasted code or a notebook.

    Args:
        text: the paste; it need not parse as a whole.
        given: what a person says beside it: `sample_shape`, `dtype`, `tensors`, `python`,
            `platform`, `ranks`, `cpus`.

    Raises:
        InputError: it is too long, a template, no Python, or `given` is unusable.
    """
    source = read_source(text)
    machine = Machine(source, checked(given or {}))
    for line, command in commands(source):
        typed_arguments(machine.arguments, command, line)
    machine.started = started(machine)
    machine.read()
    found = [facts_of(machine, site) for site in machine.loaders.values()]
    return reading(machine, job_of(machine, found, ranks(machine)))


read = read_code
"""The name under which every reader is called."""

__all__ = ["read", "read_code"]
