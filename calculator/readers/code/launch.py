"""How many processes share the container: command lines, launchers and trainers."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from calculator.readers.code.values import Const, Made, Seq, Value, constant, whole

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine
    from calculator.readers.code.source import Source

_LAUNCHER: Final = re.compile(
    r"\b(torchrun|accelerate\s+launch|deepspeed|srun|mpirun|mpiexec|horovodrun|"
    r"python3?\s+-m\s+torch\.distributed\.(?:run|launch)|python3?\s+\S{1,200}\.py)\b"
)
_SBATCH: Final = re.compile(r"^\s*SBATCH\s+(--\S{1,80}(?:[ =]\S{1,80})?)")
MAX_RANKS: Final = 1024
"""Processes of one container: as many as the engine takes."""

_PER_NODE: Final = {
    "nproc_per_node", "nproc-per-node", "ntasks-per-node", "num_gpus", "num-gpus", "gpus-per-node",
}  # fmt: skip
_WORLD_NAMES: Final = (
    "nproc_per_node", "num_gpus", "n_gpus", "ngpus", "gpus_per_node", "ngpus_per_node",
    "world_size", "num_processes", "gpus", "num_devices",
)  # fmt: skip
_SIGNS: Final = {
    "DistributedSampler": "DistributedSampler", "init_process_group": "init_process_group",
    "DistributedDataParallel": "DistributedDataParallel", "Accelerator": "Accelerator",
    "FullyShardedDataParallel": "FSDP", "fully_shard": "FSDP", "DDP": "DDP",
}  # fmt: skip


@dataclass
class Ranks:
    """Processes of one container: the number, where it stands, and the whole job if larger."""

    value: int | None = None
    line: int = 0
    words: str = ""
    job: int | None = None
    asked: str = ""


def commands(source: Source) -> list[tuple[int, str]]:
    """Return the command lines in the paste: in comments, docstrings and what is no Python."""
    found: list[tuple[int, str]] = [*source.shell]
    found += [(line, text.removeprefix("!").strip()) for line, text in source.comments.items()]
    for number, line in enumerate(source.lines, 1):
        if "nproc" in line or "accelerate launch" in line or "torchrun" in line:
            found.append((number, line.strip().strip("\"'#>$! ")))
    known: dict[int, str] = {}
    for place, text in found:
        if _LAUNCHER.search(text[:2000]) or _SBATCH.match(text[:200]):
            known.setdefault(place, text[:2000])
    return sorted(known.items())


def _options(command: str) -> dict[str, str]:
    try:
        words = shlex.split(command, comments=False)
    except ValueError:
        words = command.split()
    found: dict[str, str] = {}
    for place, word in enumerate(words[:300]):
        if word.startswith("-"):
            name, equals, value = word.lstrip("-").partition("=")
            if not equals and place + 1 < len(words) and not words[place + 1].startswith("-"):
                value = words[place + 1]
            found.setdefault(name, value)
    return found


def ranks_in_command(command: str) -> int | str | None:
    """Return the processes a node that a command line starts; a text where it leaves that open."""
    options = _options(command)
    for name, value in options.items():
        if name in _PER_NODE:
            return int(value) if value.isdecimal() and len(value) < 5 else value or None  # noqa: PLR2004
    first = command.split()
    everything = options.get("num_processes") or (
        (options.get("n") or options.get("np") or options.get("ntasks"))
        if {"srun", "mpirun", "mpiexec", "horovodrun"} & set(first)
        else None
    )
    if everything is None or not everything.isdecimal() or len(everything) > 4:  # noqa: PLR2004
        return None
    nodes = options.get("num_machines") or options.get("nodes") or options.get("N") or "1"
    return (
        max(1, int(everything) // int(nodes))
        if nodes.isdecimal() and nodes != "0"
        else int(everything)
    )


def _in_commands(machine: Machine) -> Ranks | None:
    for line, command in commands(machine.source):
        found = ranks_in_command(command)
        if isinstance(found, int) and 0 < found <= MAX_RANKS:
            words = f"{found} processes, as line {line} starts them ({command[:80]})"
            return Ranks(found, line, words)
        if isinstance(found, str):
            return Ranks(
                None, line, asked=f"`{command[:60]}` starts one process for every GPU there is"
            )
    return None


def _in_trainer(made: Made) -> Ranks | None:
    """Read Lightning's `Trainer(devices=4, num_nodes=2)`."""
    if made.short not in {"Trainer", "Fabric"}:
        return None
    strategy = constant(made.kwargs.get("strategy"))
    devices = made.kwargs.get("devices") or made.kwargs.get("gpus")
    if (
        devices is None
        or strategy == "dp"
        or constant(made.kwargs.get("accelerator")) in {"tpu", "cpu"}
    ):
        return None
    count = len(devices.items) if isinstance(devices, Seq) else _device_count(devices)
    if count is None or count < 1:
        return Ranks(None, made.line, asked="Trainer takes all GPUs there are")
    nodes = whole(made.kwargs.get("num_nodes")) or 1
    words = f"Trainer(devices={count}): {count} ranks, each with loaders of its own"
    return Ranks(count, made.line, words, count * nodes if nodes > 1 else None)


def _device_count(devices: Value) -> int | None:
    found = constant(devices)
    if isinstance(found, str) and found.isdecimal() and len(found) < 5:  # noqa: PLR2004
        return int(found)
    if isinstance(found, str) and "," in found:
        return len([each for each in found.split(",") if each.strip()])
    return whole(devices)


def _several(devices: Value | None) -> int | None:
    """Return how many devices a list of them names, where it is a list."""
    listed = isinstance(devices, Seq) or "," in str(constant(devices))
    count = len(devices.items) if isinstance(devices, Seq) else _device_count(devices or Const(0))
    return count if listed and count and 1 < count <= MAX_RANKS else None


def ranks(machine: Machine) -> Ranks:
    """Return how many training processes share the container, and where that stands."""
    given = machine.given.get("ranks")
    if isinstance(given, int) and not isinstance(given, bool) and 0 < given <= MAX_RANKS:
        return Ranks(given, 0, f"{given} processes, as you said")
    found = _in_commands(machine)
    if found is not None and found.value:
        return found
    for count, line, words in machine.ranks_seen:
        if count:
            return Ranks(count, line, f"{words} starts {count} processes")
    for made in machine.made:
        trainer = _in_trainer(made)
        if trainer is not None:
            return trainer
    for site in machine.loaders.values():
        if site.kind == "yolo" and (count := _several(site.call.kwargs.get("device"))):
            return Ranks(count, site.line, f"Ultralytics starts {count} processes, one a device")
    for name in _WORLD_NAMES:
        value = machine.arguments.found.get(name)
        count = whole(value)
        if count is not None and 1 < count <= MAX_RANKS and isinstance(value, Const):
            return Ranks(
                count, value.line, f"{count} processes, the default of --{name.replace('_', '-')}"
            )
    if found is not None:
        return found
    return _asked(machine)


def _asked(machine: Machine) -> Ranks:
    if machine.ranks_seen:
        _, line, words = machine.ranks_seen[0]
        return Ranks(None, line, asked=f"{words} starts as many processes as the machine has GPUs")
    for made in machine.made:
        count = whole(made.kwargs.get("num_replicas") or made.kwargs.get("world_size"))
        if made.short in _SIGNS and count is not None and 0 < count <= MAX_RANKS:
            return Ranks(
                count, made.line, f"{count} processes, as {made.short} in line {made.line} says"
            )
    for made in machine.made:
        if made.short in _SIGNS:
            return Ranks(
                None,
                made.line,
                asked=f"{_SIGNS[made.short]} in line {made.line} means several processes",
            )
    for made in machine.made:
        if made.short.endswith("TrainingArguments"):
            why = f"{made.short} in line {made.line} serves as many as torchrun or accelerate start"
            return Ranks(None, made.line, asked=why)
    return Ranks(1)


def started(machine: Machine) -> int | None:
    """Return the processes of the whole job, where that is known before anything is read."""
    given = machine.given.get("ranks")
    found = _in_commands(machine)
    if isinstance(given, int):
        return given
    if found is None or found.value is None:
        return None
    _, command = next(each for each in commands(machine.source) if each[0] == found.line)
    options = _options(command)
    nodes = options.get("nnodes") or options.get("num_machines") or options.get("nodes") or "1"
    return found.value * int(nodes) if nodes.isdecimal() and len(nodes) < 5 else None  # noqa: PLR2004
