"""What a person told about the job, as a list to read: labels of the form and what stands there.

What decides the size is always among it; the rest where it is not what it is without anybody
saying so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from calculator.form import Control, control
from calculator.loader import Loader
from calculator.sample import SampleField
from calculator.units import count
from calculator.workload import Workload

ALWAYS: Final = frozenset(
    {"ranks", "current_shm", "torch_version", "batch_size", "num_workers", "prefetch_factor"}
)
"""Inputs that are listed whatever stands in them."""

FIRST: Final = ("ranks",)
"""What stands before the loaders; the job's other inputs stand after them."""

MOST_FIELDS: Final = 12
"""Fields of a sample that are listed one by one; of more only the number is said."""

ELSEWHERE: Final = frozenset({"loaders", "deployment", "name", "fields"})
"""What is no line of its own: lists, and what only configuration blocks use."""


@dataclass(frozen=True)
class Line:
    """One input: its label and what stands in it, both as in the form."""

    label: str
    value: str


def told(workload: Workload) -> tuple[Line, ...]:
    """List the inputs that matter for this job, in the order of the form."""
    rest = [name for name in Workload.model_fields if name not in FIRST]
    return (
        *_lines(workload, "", FIRST),
        *(line for number in range(len(workload.loaders)) for line in _loader(workload, number)),
        *_lines(workload, "", rest),
    )


def _loader(workload: Workload, number: int) -> Iterator[Line]:
    """List one loader; its name is said where there are several."""
    loader = workload.loaders[number]
    of = f" ({loader.name})" if len(workload.loaders) > 1 else ""
    for line in _lines(workload, f"loaders.{number}.", Loader.model_fields):
        yield Line(f"{line.label}{of}", line.value)
    if len(loader.fields) > MOST_FIELDS:
        yield Line(f"One sample{of}", f"{count(len(loader.fields))} fields")
        return
    for position in range(len(loader.fields)):
        yield _field(workload, f"loaders.{number}.fields.{position}", of)


def _field(workload: Workload, path: str, of: str) -> Line:
    """Put a field of the sample into one line: `3, 224, 224 float32`."""
    given = [control(workload, f"{path}.{name}") for name in SampleField.model_fields]
    by_name = {each.path.rpartition(".")[2]: each for each in given}
    is_tensor = by_name["kind"].value == "tensor"
    main = ("shape", "dtype") if is_tensor else ("kind",)
    special = [
        f"{each.label}: {each.value}"
        for name, each in by_name.items()
        if is_tensor and name not in {"name", "kind", *main} and each.value
    ]
    words = " ".join(by_name[name].value for name in main)
    return Line(f"One sample{of}: {by_name['name'].value}", "; ".join((words, *special)))


def _lines(workload: Workload, parent: str, names: Iterable[str]) -> Iterator[Line]:
    for name in names:
        if name in ELSEWHERE:
            continue
        found = control(workload, f"{parent}{name}")
        if name in ALWAYS or found.value != _usual(parent, name):
            yield Line(found.label, _words(found))


@cache
def _usual(parent: str, name: str) -> str:
    """Return what stands in an input when nobody said anything."""
    return control(Workload(), f"{'loaders.0.' if parent else ''}{name}").value


def _words(found: Control) -> str:
    if found.kind == "checkbox":
        return "yes" if found.checked else "no"
    return dict(found.choices).get(found.value, found.value)
