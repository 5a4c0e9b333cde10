"""Runs inside Pyodide: tell which files of its archive a piece of work takes."""

import json
import sys
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

Work = Callable[[], object]


def needed(home: str, rehearsal: str) -> str:
    """Return the names of the files that are in use afterwards, as a JSON list.

    That is: the modules that are imported, the data that was read, and the whole of a folder
    that was listed.

    Args:
        home: the archive.
        rehearsal: the source of a script whose last expression is the work.
    """
    from pyodide.code import eval_code  # noqa: PLC0415  there is none outside of Pyodide

    read, listed = watched()
    eval_code(rehearsal, {})()
    names = {name for name in read if name.startswith("calculator/")}
    names |= {module.removeprefix(f"{home}/") for module in imported(f"{home}/")}
    with zipfile.ZipFile(home) as archive:
        names |= {name for name in archive.namelist() if name.rpartition("/")[0] in listed}
    return json.dumps(sorted(names))


def imported(home: str) -> Iterator[str]:
    """Yield the paths of the modules that are imported."""
    for module in list(sys.modules.values()):
        origin = getattr(getattr(module, "__spec__", None), "origin", None) or ""
        if origin.startswith(home):
            yield origin


def watched() -> tuple[set[str], set[str]]:
    """Return two sets that from now on hold what is read from archives, and what is listed."""
    read: set[str] = set()
    listed: set[str] = set()
    open_file, list_folder = zipfile.ZipFile.open, zipfile.Path.iterdir

    def noting_open(self: zipfile.ZipFile, name: Any, *rest: Any, **more: Any) -> Any:
        read.add(getattr(name, "filename", name))
        return open_file(self, name, *rest, **more)

    def noting_list(self: zipfile.Path) -> Any:
        listed.add(self.at.rstrip("/"))
        return list_folder(self)

    zipfile.ZipFile.open = noting_open  # type: ignore[method-assign]
    zipfile.Path.iterdir = noting_list  # type: ignore[method-assign]
    return read, listed


needed  # noqa: B018  the value of a script run by Pyodide is its last expression
