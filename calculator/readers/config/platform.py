"""Files of other platforms: where the size of /dev/shm stands in them, read and mended.

Each platform is a few lines of data in `calculator/readers/platforms/`: where it is, in which
unit, and what to know.  The mended text differs from the paste only in that value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from calculator import resources
from calculator.readers.config import edit
from calculator.readers.config.answer import answer
from calculator.readers.config.paste import Paste
from calculator.readers.config.platform_value import FLAG, WORDS, joined, literal, memory, value
from calculator.readers.config.say import memory_warnings, note, warn
from calculator.readers.config.tree import Node, Path, find
from calculator.readers.reading import Reading, Remark
from calculator.units import GRAMMARS, MIB, ceil_to, size

ORDER = 40
MOST_RANKS: Final = 1024
_WRONG: Final = {"unit_invalid", "unit_mismatch", "unitless_bytes"}


@cache
def platforms() -> tuple[tuple[str, dict[str, Any]], ...]:
    """Return the name and data of every platform."""
    names = resources.names("readers/platforms", ".toml")
    return tuple((name, resources.table("readers/platforms", name)) for name in names)


def reads(paste: Paste) -> bool:
    """Whether the paste is a file of one of the platforms."""
    return _which(paste) is not None


def _tree(paste: Paste, data: dict[str, Any]) -> Node | None:
    if data["syntax"] == "yaml":
        return paste.yaml
    if data["syntax"] == "hcl":
        return paste.hcl if "{" in paste.text else None
    return None if paste.is_json else paste.toml


def _which(paste: Paste) -> tuple[dict[str, Any], Node] | None:
    best: tuple[int, dict[str, Any], Node] | None = None
    for _, data in platforms():
        root = _tree(paste, data)
        if root is None or (
            data["syntax"] == "toml" and not re.search(r"^[^\S\n]*\[", paste.text, re.MULTILINE)
        ):
            continue
        if any(next(find(root, each), None) for each in data.get("not", ())):
            continue
        if not all(next(find(root, each), None) for each in data.get("require", ())):
            continue
        score = sum(next(find(root, each), None) is not None for each in data["detect"])
        score += 2 * any(next(find(root, each), None) for each in data["shm"])
        score += 5 * (bool(score) and paste.hint == data["format"])
        if score and (best is None or score > best[0]):
            best = (score, data, root)
    return (best[1], best[2]) if best else None


def read(paste: Paste) -> Reading | None:
    """Read the size and the memory limit, and write the file with the size that is wanted."""
    which = _which(paste)
    if which is None:
        return None
    data, root = which
    warnings: list[Remark] = []
    place = next((hit for each in data["shm"] for hit in find(root, each)), None)
    text = literal(place[1], data["unit"]) if place else ""
    shm = value(text, data["unit"], warnings) if place else None
    limit = memory(root, data)
    wanted = paste.wanted
    ipc = _ipc(root, data, place)
    warnings += _warnings(shm, wanted, limit, ipc)
    wrong = any(each.id in _WRONG for each in warnings)
    parsed: dict[str, Any] = {"shm_bytes": shm}
    known = {"memory_bytes": limit, "ipc": ipc, "image": _first(root, data.get("image", "-"))}
    parsed |= {key: each for key, each in known.items() if each is not None}
    notes = list(data["notes"])
    mended: str | None = None
    patched: dict[str, Any] = {}
    if data.get("unsupported") or _refuses(root, data):
        platform = data.get("refuses", data["title"])
        warnings.append(warn("platform_unsupported", platform=platform))
    else:
        mended, patched = _mended(paste, root, data, place, shm=shm, wrong=wrong)
        if mended is None and wanted:
            notes.append(note("no_place", place=data["shm"][0]))
        if shm is None:
            notes.append(note("docker_default"))
    line = place[1].line if place and shm else 0
    return answer(
        paste, [], format=data["format"], framework=data["title"], shm=shm, memory=limit,
        warnings=warnings, notes=notes, parsed=parsed, patched=patched, text=mended,
        effective="host /dev/shm" if ipc == "host" else "",
        origins=[paste.origin("current_shm", line)] if line else [],
        ranks=_ranks(root, data), extra={"literal": text} if text else {},
    )  # fmt: skip


def _ipc(root: Node, data: dict[str, Any], place: tuple[Path, Node] | None) -> str | None:
    """Return the IPC mode that the file sets, of its own or in options of docker run."""
    if place and data["unit"] in WORDS and re.search(r"--ipc[= ]host", joined(place[1])):
        return "host"
    return _first(root, data.get("ipc", "-"))


def _warnings(
    shm: int | None, wanted: int | None, limit: int | None, ipc: str | None
) -> Iterator[Remark]:
    if ipc == "host":
        yield warn("host_ipc_security")
        if shm:
            yield warn("ipc_host_makes_shm_size_moot")
    if wanted and shm and shm != wanted:
        key = "existing_larger" if shm > wanted else "existing_smaller"
        yield warn(key, existing=size(shm), wanted=size(wanted))
    yield from memory_warnings(max(shm or 0, wanted or 0), limit)


def _mended(
    paste: Paste,
    root: Node,
    data: dict[str, Any],
    place: tuple[Path, Node] | None,
    *,
    shm: int | None,
    wrong: bool,
) -> tuple[str | None, dict[str, Any]]:
    """Return the file with the size that is wanted, or meant; the same text if it has it."""
    target = max(paste.wanted or 0, shm or 0)
    if not target or not (wrong or paste.wanted):
        return None, {}
    text, patched = _patch(paste, root, data, place, target)
    return (paste.text if target == shm and not wrong else text), patched


def _refuses(root: Node, data: dict[str, Any]) -> bool:
    """Whether the file asks for the variant of the platform that takes no size."""
    names = [
        str(node.scalar).upper() for each in data.get("refuse", ()) for _, node in find(root, each)
    ]
    return "FARGATE" in names and "EC2" not in names


def _first(root: Node, pattern: str) -> str | None:
    found = next((node.scalar for _, node in find(root, pattern)), None)
    return None if found is None else str(found)


def _ranks(root: Node, data: dict[str, Any]) -> int | None:
    found = next((node.scalar for _, node in find(root, data.get("ranks", "-"))), None)
    return found if type(found) is int and 0 < found <= MOST_RANKS else None


def _patch(
    paste: Paste, root: Node, data: dict[str, Any], place: tuple[Path, Node] | None, target: int
) -> tuple[str | None, dict[str, Any]]:
    """Return the mended text and the values in it, under the names that people check."""
    unit = data["unit"]
    whole = ceil_to(target, MIB)
    written = GRAMMARS["docker" if unit in WORDS else unit].write(whole)
    raw: Any = int(written) if unit in {"bytes", "mib"} else written
    key = place[0][-1] if place else (data["insert"].rpartition(".")[2] or "shm_size")
    values = {"shm_bytes": whole, key: raw, "value": whole if unit == "bytes" else raw}
    values[data.get("named", f"{key}_shm_bytes")] = whole
    if unit in WORDS:
        values[key] = _options(joined(place[1]) if place else "", written)
    text = edit.put(paste.text, root, data, place, written)
    return text, values if text is not None else {}


def _options(old: str, written: str) -> str:
    flag = f"--shm-size={written}"
    if FLAG.search(old):
        return FLAG.sub(flag, old, count=1)
    return f"{old} {flag}".strip()
