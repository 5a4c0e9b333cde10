"""Two jobs side by side: which inputs differ, and what each makes of /dev/shm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from calculator.form import control, holder
from calculator.report import Report
from calculator.sample import Kind, SampleField
from calculator.workload import Workload


@dataclass(frozen=True)
class Job:
    """A job and its answer."""

    workload: Workload
    report: Report


@dataclass(frozen=True)
class Difference:
    """An input that is not the same; None where one job has no such input.

    `of` names the loader, or the loader and the field, that the input belongs to.
    """

    path: str
    label: str
    of: tuple[str, ...]
    kept: str | None
    now: str | None


@dataclass(frozen=True)
class Amount:
    """A size on both sides, in bytes."""

    name: str
    kept: int
    now: int

    @property
    def more(self) -> int:
        """How much more it is now."""
        return max(self.now - self.kept, 0)

    @property
    def less(self) -> int:
        """How much less it is now."""
        return max(self.kept - self.now, 0)


@dataclass(frozen=True)
class Comparison:
    """What differs between two jobs.  `kept` and `now` are their answers."""

    kept: Report
    now: Report
    inputs: tuple[Difference, ...]
    sizes: tuple[Amount, ...]
    terms: tuple[Amount, ...]


def compare(kept: Job, now: Job) -> Comparison:
    """Hold a job against one that was kept."""
    return Comparison(
        kept=kept.report,
        now=now.report,
        inputs=tuple(differences(kept.workload, now.workload)),
        sizes=tuple(_sizes(kept.report, now.report)),
        terms=tuple(_terms(kept.report, now.report)),
    )


# ---------------------------------------------------------------- inputs


def differences(kept: Workload, now: Workload) -> Iterator[Difference]:
    """Yield the inputs that are not the same, as the form shows them."""
    before, after = (dict(_leaves(each.model_dump(mode="json"))) for each in (kept, now))
    for path in {**after, **before}:
        here = now if path in after else kept
        if path in before and path in after:
            told = before[path] != after[path]
        else:
            told = _tells(here, path)
        if told:
            yield Difference(
                path=path,
                label=control(here, path).label,
                of=_owners(here, path),
                kept=_shown(kept, path) if path in before else None,
                now=_shown(now, path) if path in after else None,
            )


_ALWAYS: Final = {"batch_size", "num_workers", "prefetch_factor", "kind", "shape", "dtype"}
"""What is told of a loader or a field that the other job has not, even where it is the default."""


def _tells(workload: Workload, path: str) -> bool:
    """Whether an input says something of a loader or a field that only one job has."""
    *parents, name = path.split(".")
    entry = holder(workload, parents)
    if isinstance(entry, SampleField) and entry.kind is not Kind.TENSOR and name != "kind":
        return False
    default = type(entry).model_fields[name].default
    return name != "name" and (name in _ALWAYS or getattr(entry, name) != default)


def _leaves(data: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path of each input and its value; a list of numbers is one input."""
    for name, value in data.items():
        path = f"{above}{name}"
        if isinstance(value, dict):
            yield from _leaves(value, f"{path}.")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for position, entry in enumerate(value):
                yield from _leaves(entry, f"{path}.{position}.")
        else:
            yield path, value


def _owners(workload: Workload, path: str) -> tuple[str, ...]:
    parts = path.split(".")
    if parts[0] != "loaders":
        return ()
    loader = workload.loaders[int(parts[1])]
    owners = (loader.name,) if len(workload.loaders) > 1 else ()
    if parts[2] == "fields":
        field = loader.fields[int(parts[3])]
        return (*owners, field.name)
    return owners


def _shown(workload: Workload, path: str) -> str:
    """An input as the form shows it."""
    found = control(workload, path)
    if found.kind == "checkbox":
        return "yes" if found.checked else "no"
    return dict(found.choices).get(found.value, found.value) or "not set"


# ---------------------------------------------------------------- sizes


def _sizes(kept: Report, now: Report) -> Iterator[Amount]:
    for name, before, after in (
        ("Recommended", kept.shm.recommended_bytes, now.shm.recommended_bytes),
        ("Total active IPC memory", kept.shm.need_bytes, now.shm.need_bytes),
        ("IPC per process (GPU)", kept.per_rank_bytes, now.per_rank_bytes),
        ("Single item", kept.item_bytes, now.item_bytes),
        ("Container memory, at least", kept.memory.limit_bytes, now.memory.limit_bytes),
    ):
        yield Amount(name, before, after)


def _terms(kept: Report, now: Report) -> Iterator[Amount]:
    """One amount for each kind of term, all loaders together."""
    before, after = _by_kind(kept), _by_kind(now)
    names = {**_names(kept), **_names(now)}
    for kind in {**after, **before}:
        name = names[kind]
        yield Amount(name, before.get(kind, 0), after.get(kind, 0))


def _by_kind(report: Report) -> dict[str, int]:
    found: dict[str, int] = {}
    for term in report.shm.terms:
        kind = term.id.partition("-")[0]
        found[kind] = found.get(kind, 0) + term.bytes
    return found


def _names(report: Report) -> dict[str, str]:
    """What each kind of term is called, without the loader it is about; the first one speaks."""
    return {
        term.id.partition("-")[0]: term.name.partition(" (")[0]
        for term in reversed(report.shm.terms)
    }
