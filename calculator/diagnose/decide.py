"""Which finding is the cause: the first failure of the last run, and what only follows from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from calculator.diagnose.context import Context, Space
from calculator.diagnose.lines import Line
from calculator.diagnose.signatures import Finding, neighbours, signatures
from calculator.units import MIB

_SHM_NAMES: Final = re.compile(r"shm|shared[-_]?mem|dev-?shm", re.IGNORECASE)
_DISTRIBUTED: Final = frozenset({"nccl-watchdog", "nccl-generic", "store-broken"})
_SIGBUS: Final = frozenset({"shm_exhausted", "bus_error_unattributed", "bus_error_not_shm"})
_SHM: Final = frozenset({"shm_exhausted", "shm_exhausted_nccl", "shm_semaphores"})
_OPEN: Final = frozenset({"dataloader_timeout", "unknown", "worker_exit_unattributed"})
_LARGE: Final = 64 * MIB


@dataclass
class Decision:
    """The cause, how sure it is, and the lines that show it."""

    diagnosis: str
    confidence: str
    primary: Finding | None = None
    same: list[Finding] = field(default_factory=list)
    others: list[Finding] = field(default_factory=list)
    shown: list[Line] = field(default_factory=list)
    secondary: list[str] = field(default_factory=list)
    actions: tuple[str, ...] = ()
    space: Space | None = None
    feeder: bool = False
    clipped: bool = False


def decide(lines: Sequence[Line], findings: Sequence[Finding], found: Context) -> Decision:
    """Choose the cause among the findings."""
    failures = _in_time([each for each in findings if each.signature.role != "context"])
    now, before = _last_attempt(failures, found)
    primary = _first(now)
    space = _worst(found.spaces)
    if primary is None:
        return _without_failure(found, space)
    made = Decision(primary.signature.diagnosis, primary.signature.confidence, primary)
    made.actions = primary.signature.actions
    made.space = space
    _judge_bus_error(made, found)
    _judge_volume(made, lines, found)
    made.feeder = _lost_silently(lines, primary, now)
    made.same = [each for each in now if _belongs(each, made)]
    made.others = [each for each in now if each is not primary and each not in made.same]
    _add_secondary(made, now, before, lines, found)
    made.shown = _shown(made, found)
    return made


def _lost_silently(lines: Sequence[Line], primary: Finding, now: Sequence[Finding]) -> bool:
    """Whether a feeder thread lost the batch; of a worker that dies the main process hears."""
    fed = any(" in _feed" in low for low in neighbours(lines, primary.position))
    return fed and not any(each.signature.sets.get("signal") for each in now)


# ---------------------------------------------------------------- first in time, in the last run


def _in_time(failures: list[Finding]) -> list[Finding]:
    """Order by time where every finding has a time of one form, else as they stand."""
    times = [each.line.time for each in failures]
    forms = {re.sub(r"\d", "0", re.split(r"[.,Z+]", time)[0]) for time in times}
    sources = {each.line.source for each in failures}
    if len(forms) == 1 and all(times) and len(sources) > 1:
        return sorted(failures, key=lambda each: (each.line.time, each.position))
    return failures


def _last_attempt(failures: list[Finding], found: Context) -> tuple[list[Finding], list[Finding]]:
    """Split into the failures of the last run that failed, and those of runs before it."""
    for start in reversed(found.attempts):
        now = [each for each in failures if each.position >= start]
        if any(each.signature.role in {"cause", "sign"} for each in now):
            return now, [each for each in failures if each.position < start]
    return failures, []


def _first(failures: Sequence[Finding]) -> Finding | None:
    causes = [each for each in failures if each.signature.role == "cause"]
    signs = [each for each in failures if each.signature.role == "sign"]
    if causes and signs and causes[0].signature.diagnosis == "nccl_network":
        return min(causes[0], signs[0], key=failures.index)
    sure = [each for each in causes if each.signature.confidence != "low"]
    if causes:
        return (sure or causes)[0]
    return signs[0] if signs else _best_echo(failures)


def _best_echo(failures: Sequence[Finding]) -> Finding | None:
    """Return the one that tells most: they stand in that order in the file."""
    return min(failures, key=lambda each: signatures().index(each.signature), default=None)


# ---------------------------------------------------------------- what the surroundings change


def _without_failure(found: Context, space: Space | None) -> Decision:
    if "asked-both" in found.lines:
        shown = [found.lines["asked-both"]]
        return Decision("ipc_shm_conflict", "medium", shown=shown, space=space)
    if not _not_applied(found, space):
        return _calm(found, space)
    made = Decision("shm_size_not_applied", "high", space=space)
    _judge_clipping(made, found)
    made.shown = _shown(made, found)
    return made


def _calm(found: Context, space: Space | None) -> Decision:
    """Nothing failed; but a /dev/shm that is full, or a warning, is worth saying."""
    if space and space.full:
        return Decision("shm_exhausted", "medium", shown=[space.line], space=space)
    made = Decision("none", "medium", space=space)
    if found.notes:
        made.actions = found.notes[0].signature.actions
        made.shown = [found.notes[0].line]
    return made


def _not_applied(found: Context, space: Space | None) -> bool:
    """Whether a size was asked for and a clearly smaller one is there."""
    asked = found.named.get("shm_limit_bytes")
    there = space.size if space else found.named.get("shm_size_bytes")
    return bool(asked and there is not None and there < asked * 9 // 10)


def _worst(spaces: Sequence[Space]) -> Space | None:
    return max(spaces, key=lambda each: each.used / max(each.size, 1), default=None)


def _judge_bus_error(made: Decision, found: Context) -> None:
    """A size not in effect explains a full /dev/shm; a large empty one speaks against it."""
    if made.diagnosis in _OPEN and made.space and made.space.full:
        made.diagnosis, made.confidence, made.actions = "shm_exhausted", "medium", ()
    if made.diagnosis not in _SHM | _SIGBUS:
        return
    if _not_applied(found, made.space) and made.diagnosis != "shm_semaphores":
        made.secondary.append("shm_exhausted")
        made.diagnosis, made.confidence, made.actions = "shm_size_not_applied", "high", ()
        _judge_clipping(made, found)
        return
    if made.space is None or made.diagnosis not in _SIGBUS or not _is_bus(made.primary):
        return
    if made.space.full:
        made.diagnosis, made.confidence, made.actions = "shm_exhausted", "high", ()
    elif made.space.ample:
        made.diagnosis, made.confidence, made.actions = "bus_error_not_shm", "medium", ()
    elif made.space.size <= _LARGE:
        made.diagnosis, made.actions = "shm_exhausted", ()
        made.confidence = "high" if made.confidence != "low" else "medium"


def _judge_clipping(made: Decision, found: Context) -> None:
    """In a pod the memory limit may be what the volume was cut down to."""
    limit = found.named.get("memory_limit_bytes")
    made.clipped = bool(limit and made.space and limit * 9 // 10 <= made.space.size <= limit)
    if made.clipped and found.platform == "kubernetes":
        made.actions = ("raise_memory_limit", "verify_df", "lower_shm_limit")


def _is_bus(primary: Finding | None) -> bool:
    return primary is not None and primary.signature.sets.get("signal") == "SIGBUS"


def _judge_volume(made: Decision, lines: Sequence[Line], found: Context) -> None:
    """An evicted volume is the one on /dev/shm by its mount, else by its name."""
    if made.diagnosis != "emptydir_evicted" or made.primary is None:
        return
    volume = made.primary.groups.get("volume", "")
    mounts = found.shm_volumes | _mounted(lines)
    ours = volume in mounts if mounts else bool(_SHM_NAMES.search(volume))
    if not ours:
        made.diagnosis = "emptydir_evicted_other_volume"
        made.confidence = "high" if mounts else "medium"


_NAME: Final = re.compile(r"^\s*-?\s*name:\s*\"?([\w.-]{1,253})")


def _mounted(lines: Sequence[Line]) -> set[str]:
    """Read `name` beside `mountPath: /dev/shm` when they stand on lines of their own."""
    found: set[str] = set()
    for at, line in enumerate(lines):
        if re.search(r"mountpath:\s*[\"']?/dev/shm[\"']?\s*$", line.low):
            near = [lines[i].text for i in (at - 1, at + 1) if 0 <= i < len(lines)]
            found.update(match[1] for text in near if (match := _NAME.match(text)))
    return found


# ---------------------------------------------------------------- consequences


def _belongs(finding: Finding, made: Decision) -> bool:
    """Whether a finding says the same as the cause; of echoes, only the very same counts."""
    primary = made.primary
    if primary is None or primary.signature.role == "echo":
        return primary is not None and finding.signature is primary.signature
    same = finding.signature.diagnosis == primary.signature.diagnosis
    return same and finding.signature.role != "echo"


def _add_secondary(
    made: Decision,
    now: Sequence[Finding],
    before: Sequence[Finding],
    lines: Sequence[Line],
    found: Context,
) -> None:
    primary = made.primary
    if primary is None:
        return
    others = [each for each in now if each is not primary]
    specific = primary.signature.role != "echo" and made.diagnosis != "nccl_network"
    nccl = made.diagnosis == "shm_exhausted_nccl"
    if specific and any(each.signature.id in _DISTRIBUTED for each in others) and not nccl:
        made.secondary.append("nccl_abort_is_consequence")
    if nccl and any(each.signature.diagnosis == "nccl_shm_attach_missing" for each in others):
        made.secondary.append("nccl_shm_attach_missing")
    if _spawned(primary, lines, found):
        made.secondary.append("spawn_dataset_tensors")
        if made.diagnosis == "fd_limit":
            made.actions = ("dataset_as_one_tensor_or_numpy", "raise_nofile", "use_fork")
        else:
            made.actions = ("raise_shm", "dataset_as_numpy", "use_fork", "verify_df")
    for each in before:
        earlier = each.signature.diagnosis
        if each.signature.role != "echo" and earlier not in {made.diagnosis, *made.secondary}:
            made.secondary.append(earlier)


def _spawned(primary: Finding, lines: Sequence[Line], found: Context) -> bool:
    """Whether the dataset was on its way to a new process."""
    if primary.signature.diagnosis not in {"fd_limit", "shm_exhausted"}:
        return False
    words = ("popen_spawn_posix", "popen_forkserver")
    around = "spawned" in found.lines and neighbours(lines, primary.position)
    return bool(around) and any(word in low for low in around or () for word in words)


# ---------------------------------------------------------------- what is shown


def _shown(made: Decision, found: Context) -> list[Line]:
    """Return the cause's lines, then those that decided beside them."""
    shown: list[Line] = [made.primary.line] if made.primary else []
    shown += [each.line for each in made.same]
    extra: list[str] = []
    if made.diagnosis == "shm_size_not_applied":
        extra += [
            "compose-service",
            "asked-flag",
            "asked-compose",
            "shm_limit_bytes",
            "asked-inspect",
        ]
    if "spawn_dataset_tensors" in made.secondary:
        extra += ["spawned"]
    if made.diagnosis in {"oom_killed", "node_memory_pressure"}:
        extra += ["size-limit", "memory_limit_bytes", "memory-flag", "exit-code-137"]
    if made.diagnosis.startswith("emptydir"):
        extra += ["shm-mount"]
    if made.diagnosis == "shm_file_removed":
        extra += ["logind"]
    shown += [found.lines[name] for name in extra if name in found.lines]
    if made.space and made.diagnosis in _SIGBUS | {"shm_size_not_applied"} | _SHM:
        shown.append(made.space.line)
    return list(dict.fromkeys(shown))
