"""Command lines and scripts of the host: mount, fstab, Slurm, torchrun, accelerate, srun."""

from __future__ import annotations

import re
from typing import Any, Final

from calculator.readers.config.answer import answer
from calculator.readers.config.docker_line import joined, split
from calculator.readers.config.paste import Paste
from calculator.readers.config.program import program
from calculator.readers.config.say import memory_warnings, note, warn
from calculator.readers.reading import LoaderReading, Origin, Question, Reading, Remark
from calculator.typed import MAX_BYTES
from calculator.units import GRAMMARS, KIB, MIB, SizeError, read_tmpfs, size

ORDER = 60
_MOUNT = re.compile(r"\bmount\b[^\n;|&]{0,200}?(?:/dev/shm|tmpfs)[^\n;|&]{0,200}")
_FSTAB = re.compile(r"^[^\S\n]*\S+\s+/dev/shm\s+tmpfs\s+(?P<options>\S+)", re.MULTILINE)
_UNIT = re.compile(r"^[^\S\n]*Where\s*=\s*/dev/shm\s*$", re.MULTILINE)
_SIZE = re.compile(r"\bsize=(?P<size>[^,\s\"']{1,40})")
_SLURM = re.compile(r"^[^\S\n]*#SBATCH\s+(?P<options>.{0,400})$", re.MULTILINE)
_RUNNERS: Final = re.compile(
    r"^[^\S\n]*(?:\w+=\S*\s+)*(?:exec\s+|nohup\s+|sudo\s+)?(?:torchrun|accelerate\s+launch|deepspeed|srun|mpirun|"
    r"horovodrun|python[\d.]*|uv\s+run|fairseq-train|apptainer|singularity|enroot)\b",
    re.MULTILINE,
)
_MEM_UNIT: Final = {"K": KIB, "M": MIB, "G": MIB * KIB, "T": MIB * MIB, "": MIB}


def reads(paste: Paste) -> bool:
    """Whether the paste is lines for a shell, a fstab or a batch script."""
    text = paste.text[:100_000]
    mounts = _FSTAB.search(text) or _UNIT.search(text) or _shm_mount(text)
    return bool(mounts or _SLURM.search(text) or _RUNNERS.search(text))


def _shm_mount(text: str) -> re.Match[str] | None:
    match = _MOUNT.search(text)
    return match if match and "/dev/shm" in match[0] else None  # noqa: S108


def read(paste: Paste) -> Reading | None:
    """Read a mount of /dev/shm, else the batch script or the launcher's line."""
    text = paste.text[:100_000]
    if _SLURM.search(text) or not (_shm_mount(text) or _FSTAB.search(text) or _UNIT.search(text)):
        return _script(paste, text)
    return _mount(paste, text)


def _mount(paste: Paste, text: str) -> Reading:
    fstab = _FSTAB.search(text)
    found = _SIZE.search(fstab["options"] if fstab else text)
    literal = found["size"] if found else ""
    warnings: list[Remark] = []
    shm: int | None = None
    if literal and not literal.endswith("%"):
        try:
            shm = read_tmpfs(literal)
        except SizeError as error:
            key = "interpolated_value" if "$" in literal else "unit_invalid"
            warnings.append(
                warn(key, value=literal, **({} if "$" in literal else {"expected": error.expected}))
            )
            meant = re.match(r"(\d{1,12})\s?([kmgt])i?b?$", literal, re.IGNORECASE)
            shm = int(meant[1]) * KIB ** "bkmgt".index(meant[2].lower()) if meant else None
    shm = shm if shm and shm <= MAX_BYTES else None
    wanted = paste.wanted or shm
    patched: dict[str, Any] = {}
    mended = None
    if wanted and (warnings or wanted != shm):
        new = GRAMMARS["tmpfs"].write(wanted)
        mended = text.replace(f"size={literal}", f"size={new}") if literal else None
        patched = {
            "shm_bytes": wanted,
            "size_literal": f"size={new}",
            "tmpfs_size_literal": f"size={new}",
        }
    share = {"share": literal} if literal.endswith("%") else {}
    return answer(
        paste, [], format="fstab" if fstab else "shell", shm=shm, warnings=warnings,
        notes=[note("fstab" if fstab else "remount")],
        parsed={**({"shm_bytes": shm} if shm else {}), **share}, patched=patched, text=mended,
        origins=[paste.origin("current_shm", paste.line_of(f"size={literal}"))] if literal else [],
    )  # fmt: skip


def _script(paste: Paste, text: str) -> Reading | None:
    slurm = _slurm(text)
    parsed: dict[str, Any] = {key: value for key, value in slurm.items() if value is not None}
    loaders: list[LoaderReading] = []
    origins: list[Origin] = []
    asked: list[Question] = []
    ranks: int | None = None
    for number, _, line in joined(text):
        if not _RUNNERS.match(line) and not (slurm and re.search(r"\bpython|torchrun|srun", line)):
            continue
        words = split(line)
        made, count, lines, questions = program(words, paste, number)
        ranks = ranks or count
        if made and not loaders:
            loaders, origins, asked = made, lines, questions
    if not loaders and not parsed and ranks is None:
        return None
    memory, cpus = slurm.get("memory_bytes"), slurm.get("cpus")
    tasks = slurm.get("tasks_per_node")
    notes = [note("sbatch", memory=size(memory))] if memory else []
    return answer(
        paste, loaders, format="sbatch" if slurm else "shell", ranks=ranks or tasks,
        cpus=cpus, memory=memory, origins=origins, asked=asked, notes=notes, parsed=parsed,
        warnings=memory_warnings(paste.wanted, memory),
    )  # fmt: skip


def _slurm(text: str) -> dict[str, Any]:
    """Return what #SBATCH lines ask for; nothing where there are none."""
    options: dict[str, str] = {}
    for match in _SLURM.finditer(text):
        words = split(match["options"])
        for index, word in enumerate(words):
            if word.startswith("-"):
                name, equals, value = word.partition("=")
                after = words[index + 1] if index + 1 < len(words) else ""
                options[name] = value if equals else after
    if not options:
        return {}
    cpus = _count(options.get("--cpus-per-task") or options.get("-c"))
    tasks = _count(options.get("--ntasks-per-node"))
    all_tasks = _count(options.get("--ntasks") or options.get("-n"))
    nodes = _count(options.get("--nodes") or options.get("-N")) or 1
    here = tasks or (max(all_tasks // nodes, 1) if all_tasks else None)
    memory = _memory(options.get("--mem"))
    each = _memory(options.get("--mem-per-cpu"))
    gpus = _gpus(options)
    if memory is None and each is not None:
        memory = each * (cpus or 1) * (here or 1)
    per_gpu = _memory(options.get("--mem-per-gpu"))
    if memory is None and per_gpu is not None:
        memory = per_gpu * (gpus or 1)
    return {
        "memory_bytes": memory,
        "cpus": cpus,
        "gpus": gpus,
        "tasks_per_node": here,
        "nodes": nodes,
    }


def _gpus(options: dict[str, str]) -> int | None:
    for name in ("--gpus-per-node", "--gres", "--gpus", "-G", "--gpus-per-task"):
        text = options.get(name, "")
        match = re.search(r"(?:^|[:=])(\d{1,4})$", text.split(",")[0].split("(")[0])
        if match:
            return int(match[1])
    return None


def _count(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"[1-9]\d{0,6}", text) else None


def _memory(text: str | None) -> int | None:
    match = re.fullmatch(r"(\d{1,9})([KMGT]?)B?", (text or "").upper())
    value = int(match[1]) * _MEM_UNIT[match[2]] if match else 0
    return value if 0 < value <= MAX_BYTES else None
