"""Runs inside Pyodide: compile modules to what this very Python imports without compiling."""

import importlib.util
import zipfile
from importlib import _bootstrap_external

# There is no public function that gives the bytes of a .pyc file without writing one.
hash_pyc = _bootstrap_external._code_to_hash_pyc  # type: ignore[attr-defined]  # noqa: SLF001


def compile_archive(source: str, target: str, home: str, optimize: int) -> None:
    """Write an archive that holds the bytecode of the source archive's modules.

    A module x.py becomes x.pyc in the same place, marked with the hash of its source and never
    checked against it. Its tracebacks name `home` as the archive that it came from.
    """
    with zipfile.ZipFile(source) as modules, zipfile.ZipFile(target, "w") as compiled:
        for name in modules.namelist():
            text = modules.read(name)
            code = compile(text, f"{home}/{name}", "exec", dont_inherit=True, optimize=optimize)
            mark = importlib.util.source_hash(text)
            content = hash_pyc(code, mark, False)  # noqa: FBT003  its third: checked
            compiled.writestr(f"{name}c", content)


compile_archive  # noqa: B018  the value of a script run by Pyodide is its last expression
