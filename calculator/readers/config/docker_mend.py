"""A `docker run` or `podman run` line, mended where it stands; everything else stays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from calculator.readers.config.docker_line import SHM, Line, read_size, tmpfs
from calculator.units import GRAMMARS, MIB, ceil_to

_FLAG: Final = re.compile(
    r"--shm-size(?:=|[ \t]+)(?:\"[^\"\n]{0,60}\"|'[^'\n]{0,60}'|[^\s\\]{1,60})"
)
_GONE: Final = re.compile(_FLAG.pattern + r"[ \t]*(?:\\[ \t]*\n[ \t]*)?")
_HOST: Final = re.compile(r"--ipc(?:=|[ \t]+)host\b[ \t]*(?:\\[ \t]*\n[ \t]*)?")
WRONG: Final = {
    "unit_invalid", "flag_after_image", "flag_swallowed", "swarm_ignores_shm_size",
}  # fmt: skip


def mended(
    text: str, found: Sequence[Line], main: Line, wanted: int | None, warned: set[str]
) -> tuple[str | None, dict[str, Any]]:
    """Return the mended text and the values in it; nothing where nothing is to be mended.

    Args:
        text: the whole paste.
        found: its command lines.
        main: the one that runs the container.
        wanted: the size that is asked for or needed.
        warned: ids of what is wrong.
    """
    mounted = tmpfs(main)
    shm = mounted[1] if mounted else read_size(main.last("--shm-size"))
    shm = max(
        filter(None, [shm, *(read_size(each.last("--shm-size")) for each in found)]), default=None
    )
    lost = _lost(main)
    target = max(wanted or 0, shm or 0, lost or 0)
    misplaced = "ipc_shm_conflict" in warned and not (main.last("--ipc") or "").startswith(
        "container:"
    )
    wrong = misplaced or bool(WRONG & warned)
    if not target or not (wrong or wanted):
        return None, {}
    if not wrong and shm == target:
        return text, {"shm_bytes": shm, "shm_size": main.last("--shm-size")}
    whole = ceil_to(target, MIB)
    if mounted is not None:
        return _tmpfs(text, main, whole)
    literal = GRAMMARS["docker"].write(whole)
    values: dict[str, Any] = {"shm_bytes": whole, "shm_size": literal, "shm_size_literal": literal}
    pods = [each for each in found if each.verb == "pod create"]
    if pods or main.last("--pod"):
        new = _on_pod(text, found, pods, main, literal)
        return new, {**values, "pod_create_shm_bytes": whole, "run_shm_bytes": None}
    if main.verb == "service create":
        mount = f"--mount type=tmpfs,destination={SHM},tmpfs-size={whole} "
        return _change(text, main, mount), {"shm_bytes": whole, "tmpfs_size_bytes": whole}
    in_place = (
        main.last("--shm-size") is not None and not {"flag_after_image", "flag_swallowed"} & warned
    )
    drop_host = bool(wanted) and main.last("--ipc") == "host"
    if in_place:
        part = _FLAG.sub(f"--shm-size={literal}", text[main.after : main.end], count=1)
        new = text[: main.after] + part + text[main.end :]
    else:
        new = _change(text, main, f"--shm-size={literal} ")
    return (_HOST.sub("", new) if drop_host else new), values


def _lost(line: Line) -> int | None:
    """The size in a flag that another option has swallowed, or that stands after the image."""
    for option in line.options:
        if option.value and option.value.startswith("--shm-size"):
            after = line.words[option.last + 1 : option.last + 2]
            return read_size(option.value.partition("=")[2] or (after[0] if after else ""))
    words = line.command
    for index, word in enumerate(words):
        if word.startswith("--shm-size"):
            after = words[index + 1 : index + 2]
            return read_size(word.partition("=")[2] or (after[0] if after else ""))
    return None


def _change(text: str, line: Line, first: str) -> str:
    """Put an option first and take away every other size, with an option that lost its value."""
    part = text[line.after : line.end]
    for option in line.options:
        if option.value and option.last > option.first and option.value.startswith("--shm-size"):
            part = re.sub(
                rf"{re.escape(option.name)}[ \t]+(?=--shm-size)", _kept(option.name), part, count=1
            )
    return text[: line.after] + first + _GONE.sub("", part).rstrip(" ") + text[line.end :]


def _kept(name: str) -> str:
    """`--gpus` without a value surely meant all of them; other options have no such default."""
    return "--gpus all " if name == "--gpus" else ""


def _on_pod(
    text: str, found: Sequence[Line], pods: Sequence[Line], main: Line, literal: str
) -> str:
    for line in sorted(found, key=lambda each: -each.after):
        part = _GONE.sub("", text[line.after : line.end]).rstrip(" ")
        own = f"--shm-size {literal} " if line.verb == "pod create" else ""
        text = text[: line.after] + own + part + text[line.end :]
    if pods:
        return text
    name = main.last("--pod") or "NAME"
    return f"podman pod create --shm-size {literal} --name {name.removeprefix('new:')}\n{text}"


def _tmpfs(text: str, line: Line, whole: int) -> tuple[str, dict[str, Any]]:
    """Write the size of a tmpfs on /dev/shm."""
    part = text[line.after : line.end]
    values: dict[str, Any] = {"shm_bytes": whole, "tmpfs_size_bytes": whole}
    if not line.values("--tmpfs"):
        new = re.sub(r"tmpfs-size=[^,\s\"']*", f"tmpfs-size={whole}", part)
        if new == part and "tmpfs-size" not in part:
            new = re.sub(
                rf"((?:target|dst|destination)={SHM})", rf"\1,tmpfs-size={whole}", part, count=1
            )
        return text[: line.after] + new + text[line.end :], values
    literal = GRAMMARS["tmpfs"].write(whole).lower()
    sized = re.compile(rf"({SHM}/?:(?:[^\s,\"']*,)*?)size=[^,\s\"']*")
    if sized.search(part):
        new = sized.sub(rf"\g<1>size={literal}", part, count=1)
    else:
        new = re.sub(
            rf"{SHM}(:?)(?=[\w\s\"']|$)",
            lambda m: f"{SHM}:size={literal}{',' if m[1] else ''}",
            part,
            count=1,
        )
    return text[: line.after] + new + text[line.end :], {
        **values,
        "tmpfs_size_literal": f"size={literal}",
    }
