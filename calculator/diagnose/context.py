"""What a log says besides its failures: the platform, sizes in effect, sizes asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from calculator.diagnose import values
from calculator.diagnose.lines import Line
from calculator.diagnose.signatures import Finding
from calculator.units import GIB, KIB, MIB, SizeError, parse_size

_ROW: Final = re.compile(
    r"^(?:\S{1,200})?\s{1,40}(?P<size>[\d.]+[A-Za-z]{0,3})\s+(?P<used>[\d.]+[A-Za-z]{0,3})\s+"
    r"(?P<avail>[\d.]+[A-Za-z]{0,3})\s+(?P<percent>\d{1,3})%\s+/dev/shm\s*$"
)
_BLOCKS: Final = re.compile(r"\b(?P<number>\d{1,5})(?P<unit>[KMGB]?)-blocks")
_SECTION: Final = re.compile(r"^\s*(?P<name>Limits|Requests):\s*$", re.IGNORECASE)
_MEMORY: Final = re.compile(r'^\s*"?memory"?:\s{0,20}"?(?P<value>\d[\w.]{0,20})"?,?\s*$')
_FAILED: Final = re.compile(r"oomkilled|exit code:\s{1,12}[1-9]")
_CONTAINER: Final = re.compile(r"^ {2,4}(?P<name>[a-z0-9][a-z0-9-]{0,62}):\s*$")

_PLATFORMS: Final = (
    ("windows", ("winerror", "error code: <1455>", ":\\")),
    (
        "kubernetes",
        ("[pod/", "kubectl", "emptydir", "oomkilled\n", "pod/", "admission webhook", "podsecurity",
         "node was low on resource", "crashloopbackoff", "last state:", 'pods "', "kubelet",
         "kubepods", "quantities must match", "strict decoding error", "io.k8s.api"),
    ),
    ("podman", ("podman", "cannot set shmsize")),
    (
        "compose",
        ("docker compose", "docker-compose", "compose.yaml", "compose.yml", "shm_size"),
    ),
    ("slurm", ("srun", "slurmstepd", "sbatch", "slurm", "stepid=", "salloc")),
    ("docker", ("docker", "--shm-size", "shmem allocation limit", "/var/lib/docker")),
    ("macos", ("/users/", "darwin", "macos", "/opt/homebrew")),
)  # fmt: skip


_HINTS: Final = ("you can increase /dev/shm", "recommends the use of")
"""Advice for platforms that need not be the one at hand."""


@dataclass(frozen=True, slots=True)
class Space:
    """One row of df about /dev/shm, in bytes."""

    line: Line
    size: int
    used: int
    available: int

    @property
    def full(self) -> bool:
        """Whether next to nothing is left."""
        return self.size > 0 and self.used >= self.size * 85 // 100

    @property
    def ample(self) -> bool:
        """Whether it is large and nearly empty."""
        return self.size >= GIB and self.used * 5 < self.size


@dataclass
class Context:
    """Facts beside the failures; `named` are those that signatures name, the last of each."""

    platform: str = ""
    named: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, Line] = field(default_factory=dict)
    spaces: list[Space] = field(default_factory=list)
    attempts: list[int] = field(default_factory=list)
    shm_volumes: set[str] = field(default_factory=set)
    notes: list[Finding] = field(default_factory=list)


def read(lines: Sequence[Line], findings: Sequence[Finding], given: Mapping[str, Any]) -> Context:
    """Collect what the lines say besides the failures."""
    found = Context(platform=_platform(lines, given), spaces=list(_spaces(lines)))
    for finding in findings:
        signature = finding.signature
        if signature.role != "context":
            continue
        found.lines.setdefault(signature.id, finding.line)
        if signature.says:
            found.notes.append(finding)
        if signature.id == "attempt":
            found.attempts.append(finding.position)
            continue
        _name(found, finding)
    _describe(lines, found)
    return found


_LAST_WINS: Final = frozenset({"shm_limit_bytes", "memory_limit_bytes"})
_LATE: Final = frozenset({"progress", "elastic-rank", "worker-index", "exit-code-137", "oom-pid"})


def _name(found: Context, finding: Finding) -> None:
    if finding.signature.id in _LATE:
        return
    for key, value in values.read(finding.groups).items():
        if key == "shm_volume":
            found.shm_volumes.add(value)
        elif key in {"shm_size_bytes", "shm_size_size_bytes"}:
            found.named.setdefault("shm_size_bytes", value)
        elif key in _LAST_WINS or key not in found.named:
            found.named[key] = value
            found.lines[key] = finding.line


# ---------------------------------------------------------------- df


def _spaces(lines: Sequence[Line]) -> Iterator[Space]:
    unit = KIB
    for line in lines:
        if line.low.startswith("filesystem"):
            unit = _unit(line.text)
        row = _ROW.match(line.text) if "%" in line.text else None
        if row:
            sizes = [_df_size(row[name], unit) for name in ("size", "used", "avail")]
            yield Space(line, *sizes)


def _unit(head: str) -> int:
    blocks = _BLOCKS.search(head)
    if blocks is None:
        return KIB
    power = {"": 1, "B": 1, "K": KIB, "M": MIB, "G": GIB}[blocks["unit"]]
    return int(blocks["number"]) * power


def _df_size(text: str, unit: int) -> int:
    try:
        return int(text) * unit if text.isdecimal() else parse_size(text)
    except SizeError:
        return 0


# ---------------------------------------------------------------- kubectl describe


def _describe(lines: Sequence[Line], found: Context) -> None:
    """Read the container of a described pod that failed, and its limits."""
    limits: dict[str, list[tuple[str, int, Line]]] = {}
    section = name = failing = ""
    described = False
    for line in lines:
        if head := _SECTION.match(line.text):
            section = head["name"].lower()
        elif container := _CONTAINER.match(line.text):
            name, section = container["name"], ""
        elif section and (memory := _MEMORY.match(line.text)):
            size = values.read({"limit_quantity": memory["value"]}).get("limit_bytes")
            if size is not None:
                limits.setdefault(name, []).append((section, size, line))
        if name and _FAILED.search(line.low):
            failing = name
        described = described or line.low.strip().startswith(("last state:", "container id:"))
    if described and (failing or name):
        found.named.setdefault("container", failing or name)
    for which, size, line in limits.get(failing) or next(iter(limits.values()), []):
        key = "memory_limit_bytes" if which == "limits" else "memory_request_bytes"
        found.named.setdefault(key, size)
        found.lines.setdefault(key, line)


# ---------------------------------------------------------------- platform


def _platform(lines: Sequence[Line], given: Mapping[str, Any]) -> str:
    told = given.get("platform")
    if isinstance(told, str) and told:
        return told.lower()
    if any(line.pod for line in lines):
        return "kubernetes"
    spoken = [line.low for line in lines if not any(hint in line.low for hint in _HINTS)]
    for name, words in _PLATFORMS:
        if any(word in low for low in spoken for word in words):
            return name
    if any(line.service for line in lines):
        return "compose"
    numbered = sum(line.rank is not None and not line.pod for line in lines)
    return "slurm" if numbered and _labelled(lines) else ""


def _labelled(lines: Sequence[Line]) -> bool:
    return any(line.low.startswith("srun:") for line in lines)
