"""`docker run` and `podman run` lines: what they say, and what is wrong with them.

Source: moby `opts`, containers/podman `docs/source/markdown/options/shm-size.md` and `ipc.md`.
"""

from __future__ import annotations

import re
from typing import Any

from calculator.readers.config.answer import answer
from calculator.readers.config.docker_line import SHM, START, Line, lines, read_size, tmpfs
from calculator.readers.config.docker_mend import mended
from calculator.readers.config.paste import Paste
from calculator.readers.config.program import program
from calculator.readers.config.say import memory_warnings, note, warn
from calculator.readers.reading import Reading, Remark
from calculator.typed import MAX_BYTES
from calculator.units import SizeError, read_docker, read_tmpfs, size

ORDER = 50


def reads(paste: Paste) -> bool:
    """Whether there is such a line."""
    return START.search(paste.text[:100_000]) is not None and not re.search(
        r"^[^\S\n]*(?:steps|services|jobs|FROM |- run:)", paste.text, re.MULTILINE
    )


def read(paste: Paste) -> Reading | None:
    """Read the lines, say what is wrong with them, and write the mended ones."""
    found = lines(paste.text)
    if not found:
        return None
    main = next((each for each in found if each.verb in {"run", "create"}), found[0])
    pods = [each for each in found if each.verb == "pod create"]
    warnings: list[Remark] = []
    parsed, shm = _parsed(main, warnings)
    _unit(main, warnings)
    _misplaced(main, warnings)
    pod = main.last("--pod")
    if (pod or pods) and main.last("--shm-size") and main.verb != "pod create":
        warnings.append(warn("ipc_shm_conflict"))
    if main.verb == "service create" and main.last("--shm-size"):
        warnings.append(warn("swarm_ignores_shm_size"))
    ipc = main.last("--ipc") or ""
    moot = ipc == "host"
    if paste.wanted and shm and shm > paste.wanted:
        sizes = {"existing": size(shm), "wanted": size(paste.wanted)}
        warnings.append(warn("existing_larger", **sizes))
    loaders, ranks, origins, asked = program(main.command, paste, main.number)
    memory = parsed.get("memory_bytes")
    notes = [note("docker", value=_shown(main), bytes=shm)] if shm else []
    if shm is None and not moot and not pods:
        notes.append(note("docker_default"))
    if memory and (shm or paste.wanted):
        warnings += memory_warnings(shm or paste.wanted, memory)
    answered = answer(
        paste, loaders, format="podman" if main.tool == "podman" else "docker-run",
        ranks=ranks, memory=memory, shm=None if moot else shm, cpus=parsed.get("cpus"),
        warnings=warnings, notes=notes, origins=origins, asked=asked, parsed=parsed,
        effective="host /dev/shm" if moot else "",
    )  # fmt: skip
    estimate = answered.estimate
    wanted = paste.wanted or (estimate.recommended_bytes if estimate else None)
    text, patched = mended(paste.text, found, main, wanted, {each.id for each in warnings})
    if not patched:
        return answered
    said = (*answered.notes, note("mended", size=size(patched["shm_bytes"])), note("recreate"))
    return answered.model_copy(update={"text": text, "patched": patched, "notes": said})


def _shown(line: Line) -> str:
    return line.last("--shm-size") or "the tmpfs size"


def _parsed(line: Line, warnings: list[Remark]) -> tuple[dict[str, Any], int | None]:
    ipc = line.last("--ipc")
    shm = read_size(line.last("--shm-size"))
    mounted = tmpfs(line)
    if mounted is not None:
        shm = mounted[1] if mounted[1] is not None else shm
    cpus = line.last("--cpus")
    values: dict[str, Any] = {
        "shm_bytes": shm, "memory_bytes": read_size(line.last("-m", "--memory")),
        "memory_swap_bytes": read_size(line.last("--memory-swap")), "ipc": ipc, "image": line.image,
        "gpus": line.last("--gpus"), "name": line.last("--name"), "pod": line.last("--pod"),
        "cpus": float(cpus) if cpus and re.fullmatch(r"\d{1,4}(\.\d{1,3})?", cpus) else None,
        "ulimits": line.values("--ulimit") or None, "runtime": line.last("--runtime"),
        "command": " ".join(line.command) or None, "tool": line.tool,
        "privileged": any(each.name == "--privileged" for each in line.options) or None,
    }  # fmt: skip
    if ipc == "host":
        if line.last("--shm-size"):
            warnings.append(warn("ipc_host_makes_shm_size_moot"))
        warnings.append(warn("host_ipc_security"))
    elif ipc and ipc.startswith("container:") and line.last("--shm-size"):
        warnings.append(Remark(id="ipc_shm_conflict", text=note("ipc_joined")))
    for bound in line.values("-v", "--volume", "--mount"):
        if re.match(rf"{SHM}(?::|$)", bound) or re.search(
            rf"type=bind.*(?:target|dst|destination)={SHM}\b", bound
        ):
            warnings.append(warn("hostpath_shm"))
            break
    cleaned = {key: value for key, value in values.items() if value is not None}
    if "cpus" in cleaned and cleaned["cpus"] == int(cleaned["cpus"]):
        cleaned["cpus"] = int(cleaned["cpus"])
    return cleaned, shm


def _unit(line: Line, warnings: list[Remark]) -> None:
    docker = "a number with b, k, m or g, such as 8g"
    for option in ("--shm-size", "-m", "--memory"):
        text = line.last(option)
        if not text:
            continue
        if "$" in text:
            warnings.append(warn("interpolated_value", value=text[:80]))
            continue
        try:
            meant = read_docker(text)
        except SizeError:
            meant = MAX_BYTES + 1
        if meant > MAX_BYTES:
            warnings.append(warn("unit_invalid", value=text[:80], expected=docker))
            continue
        if text.isdigit() and option == "--shm-size":
            warnings.append(warn("unitless_bytes", value=text, meant=size(meant)))
    mounted = tmpfs(line)
    if mounted and mounted[0] and line.values("--tmpfs"):
        try:
            read_tmpfs(mounted[0])
        except SizeError:
            if not mounted[0].endswith("%"):
                kernel = "the kernel takes whole numbers with k, m or g, such as 128m"
                warnings.append(warn("unit_invalid", value=mounted[0][:80], expected=kernel))


def _misplaced(line: Line, warnings: list[Remark]) -> None:
    flags = [word for word in line.command if re.match(r"--(?:shm-size|ipc)\b", word)]
    if flags:
        warnings.append(warn("flag_after_image", flag=flags[0][:80]))
    warnings.extend(
        warn("flag_swallowed", option=each.name, value=each.value[:80])
        for each in line.options
        if each.value and each.last > each.first and re.match(r"--?[a-z][\w-]*", each.value)
    )
