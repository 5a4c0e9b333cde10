"""`audit`: many manifests at once, or a whole cluster."""

from __future__ import annotations

import io
import sys
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from calculator.commands.base import Result, encoding_of
from calculator.commands.needs import Workloads
from calculator.errors import InputError
from calculator.manifests import reports
from calculator.manifests.audit import Auditor, is_json
from calculator.manifests.findings import Place
from calculator.printing import as_json

if TYPE_CHECKING:
    from calculator.commands.base import Commands

_SUFFIXES: Final = {".yaml", ".yml", ".json"}
_LARGEST: Final = 20_000_000
"""Bytes of one YAML file."""
_PASSED_OVER: Final = {".git", "node_modules", ".venv", ".terraform", "__pycache__"}


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("audit", help="many manifests: who has no /dev/shm, or too little")
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files and folders, or -")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print all rows as JSON")
    form.add_argument("--sarif", action="store_true", help="print SARIF, for a merge request")
    form.add_argument("--junit", action="store_true", help="print JUnit's XML, for CI")
    parser.add_argument("--map", metavar="FILE", help="JSON or TOML: object -> workload or size")
    parser.set_defaults(run=run)


def run(arguments: Namespace) -> Result:
    """Audit what the paths lead to; the exit status is 1 where something was found."""
    auditor = Auditor(Workloads(arguments.map))
    for path in arguments.paths:
        if path == "-":
            _stdin(auditor)
            continue
        if not Path(path).exists():
            raise InputError.at(path, "is not there")
        for file in _files(Path(path)):
            _file(auditor, file, asked=Path(path) == file)
    found = auditor.result()
    status = 1 if found.summary.found else 0
    if arguments.json:
        return Result(as_json(found.model_dump(mode="json")), status)
    if arguments.sarif:
        return Result(as_json(reports.sarif(found)), status)
    return Result(reports.junit(found) if arguments.junit else reports.text(found), status)


def _files(path: Path) -> Iterable[Path]:
    """Return a file, or the manifests of a folder, sorted."""
    if not path.is_dir():
        return [path]
    found = (each for each in path.rglob("*") if each.suffix.lower() in _SUFFIXES)
    return sorted(
        each
        for each in found
        if each.is_file() and not _PASSED_OVER & set(each.relative_to(path).parts)
    )


def _file(auditor: Auditor, path: Path, *, asked: bool) -> None:
    """Audit one file; what is broken stops only where it was named by itself."""
    label = path.as_posix()
    try:
        with path.open("rb") as first:
            encoding = encoding_of(first.read(2))
        with path.open(encoding=encoding) as source:
            _stream(auditor, label, source)
    except OSError as error:
        raise InputError.at(label, error.strerror or "cannot be read") from None
    except UnicodeError as error:
        why = error.reason if isinstance(error, UnicodeDecodeError) else str(error)
        _broken(auditor, label, f"it is not text ({why}).", asked=asked)
    except InputError as error:
        _broken(auditor, label, str(error), asked=asked)


def _broken(auditor: Auditor, label: str, why: str, *, asked: bool) -> None:
    if asked:
        raise InputError.at(label, why)
    auditor.rows.append(Place(label, 0, "file", "").row("not_read", level="note", why=why))


def _stdin(auditor: Auditor) -> None:
    if sys.stdin is None:
        raise InputError.at("standard input", "is closed")
    try:
        _stream(auditor, "-", sys.stdin)
    except UnicodeDecodeError as error:
        raise InputError.at("standard input", f"is not text ({error.reason})") from None


def _stream(auditor: Auditor, label: str, source: io.TextIOBase | Iterable[str]) -> None:
    """Read JSON as a stream, and YAML as a whole."""
    assert isinstance(source, io.TextIOBase)  # noqa: S101 - files and standard input are
    head = source.read(4096)
    if is_json(head):
        first = iter([head])
        auditor.add_json(label, lambda size: next(first, "") or source.read(size))
        return
    rest = source.read(_LARGEST)
    if len(rest) == _LARGEST:
        raise InputError.at(label, "is too large for YAML; give it as JSON (kubectl get -o json)")
    auditor.add_text(label, head + rest)
