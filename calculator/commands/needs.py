"""What the workloads that manifests name need: presets, files, or sizes of a mapping."""

from __future__ import annotations

import fnmatch
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

from calculator import presets
from calculator.commands.base import read_json_text, read_text
from calculator.errors import InputError
from calculator.manifests.findings import Need, UnknownWorkloadError
from calculator.sizing import size_job
from calculator.units import SizeError, parse_size
from calculator.workload import parse

_LARGEST: Final = 1_000_000


class Workloads:
    """Finds what an object needs: its annotation, else the first pattern that fits it."""

    def __init__(self, mapping: str | None) -> None:
        self.mapping = _mapping(mapping) if mapping else {}

    def __call__(self, file: str, name: str, annotation: str) -> Need | None:
        """Return what an object of a file needs; None where nobody says.

        Raises:
            UnknownWorkloadError: what is named cannot be used.
        """
        wanted = annotation or next(
            (value for pattern, value in self.mapping.items() if _fits(name, pattern)), ""
        )
        if not wanted:
            return None
        folder = str(Path.cwd()) if file == "-" or not annotation else str(Path(file).parent)
        return _need(wanted, folder, sized=not annotation)


def _fits(name: str, pattern: str) -> bool:
    """Whether NAMESPACE/KIND/NAME fits a pattern for all of it, its end, or its name."""
    parts = name.split("/")
    ends = ("/".join(parts[i:]) for i in range(len(parts)))
    return any(fnmatch.fnmatchcase(end, pattern) for end in ends)


def _mapping(path: str) -> dict[str, str]:
    text = read_text(path)
    try:
        data = tomllib.loads(text) if path.endswith(".toml") else read_json_text(path, text)
    except tomllib.TOMLDecodeError as error:
        raise InputError.at(path, f"is not TOML ({error})") from None
    if not isinstance(data, dict) or not all(isinstance(each, str) for each in data.values()):
        raise InputError.at(path, "must name a workload or a size for each object")
    return data


@cache
def _need(wanted: str, folder: str, *, sized: bool) -> Need:
    """Return the need of a preset, of a file beside the manifest, or of a size."""
    if wanted in presets.preset_ids():
        return Need(wanted, size_job(presets.load(wanted).workload).need_bytes)
    if wanted.endswith(".json"):
        return Need(wanted, _of_file(wanted, Path(folder)))
    if sized:
        try:
            return Need(wanted, parse_size(wanted))
        except SizeError:
            pass
    raise UnknownWorkloadError("there is neither such a preset nor a file NAME.json")


def _of_file(wanted: str, folder: Path) -> int:
    """Return the need of a workload in a file; a manifest can only name what lies beside it."""
    path = (folder / wanted).resolve()
    if Path(wanted).is_absolute() or not path.is_relative_to(folder.resolve()):
        raise UnknownWorkloadError("a file must lie beside the manifest or below")
    try:
        if path.stat().st_size > _LARGEST:
            raise UnknownWorkloadError("the file is too large")
        data: Any = read_json_text(wanted, path.read_text(encoding="utf-8-sig"))
        return size_job(parse(data)).need_bytes
    except (OSError, UnicodeDecodeError):
        raise UnknownWorkloadError("the file cannot be read") from None
    except InputError as error:
        raise UnknownWorkloadError(f"the file is no workload ({error})") from None
