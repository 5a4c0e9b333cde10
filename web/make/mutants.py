"""Would the tests notice? The memory model, changed in one place at a time, and each time tested.

mutmut makes the changes and runs the tests; which files and which tests stands in pyproject.toml.
It works in a copy under .build/, made anew each time, so that nothing of an earlier run counts.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from web.make import shell
from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import say

LEAST_PERCENT = 90
"""How many of the changes the tests must notice."""

KILLED = "killed"
UNTESTED = "not checked"
CACHES = shutil.ignore_patterns("__pycache__")


def check(places: Places) -> int:
    """Make every change, test each, show which went unnoticed; return 1 when too many did."""
    prepare(places)
    say("mutants: each change to the memory model is tested, which takes 5 to 10 minutes")
    mutmut = Path(sys.executable).with_name("mutmut")
    surroundings = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run([mutmut, "run"], check=False, cwd=places.mutants, env=surroundings)
    if done.returncode:
        raise BuildError("mutmut did not finish; what it says stands above")

    def ask(*words: str) -> str:
        return shell.run([mutmut, *words], cwd=places.mutants, failing="mutmut does not answer")

    return judge(outcomes(ask("results", "--all", "true")), lambda name: ask("show", name))


# ---------------------------------------------------------------- before


def prepare(places: Places) -> None:
    """Copy what mutmut needs, with the properties of the model's files opened to it."""
    settings = tomllib.loads(places.pyproject.read_text("utf-8"))["tool"]["mutmut"]
    shutil.rmtree(places.mutants, ignore_errors=True)
    places.mutants.mkdir(parents=True)
    for name in [*settings["source_paths"], *settings["also_copy"], "tests", "pyproject.toml"]:
        origin, copy = places.root / name, places.mutants / name
        if origin.is_dir():
            shutil.copytree(origin, copy, ignore=CACHES)
        else:
            shutil.copy(origin, copy)
    for name in settings["only_mutate"]:
        file = places.mutants / name
        file.write_text(open_properties(file.read_text("utf-8")), "utf-8")


def open_properties(source: str) -> str:
    """Write `@property` as a call after the function: mutmut passes decorated functions over."""
    lines = source.splitlines()
    for node in reversed(list(properties(ast.parse(source)))):
        call = f"{' ' * node.col_offset}{node.name} = property({node.name})"
        lines.insert(node.end_lineno or len(lines), call)
        del lines[node.decorator_list[0].lineno - 1]
    return "\n".join(lines) + "\n"


def properties(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """Yield the methods whose one decorator is `property`, from top to bottom."""
    for kind in tree.body:
        for node in kind.body if isinstance(kind, ast.ClassDef) else ():
            if isinstance(node, ast.FunctionDef) and is_property(node):
                yield node


def is_property(function: ast.FunctionDef) -> bool:
    """Say whether `property` is the one decorator."""
    return [ast.unparse(each) for each in function.decorator_list] == ["property"]


# ---------------------------------------------------------------- after


def outcomes(listing: str) -> dict[str, str]:
    """Read `mutmut results`: one change a line, its name and what became of it."""
    pairs = (line.strip().split(": ", 1) for line in listing.splitlines() if line.strip())
    return dict(pairs)


def judge(found: Mapping[str, str], show: Callable[[str], str]) -> int:
    """Print the counts and every change that was not noticed; return the exit status.

    Raises:
        BuildError: the run was stopped before every change was tested.
    """
    if UNTESTED in found.values():
        raise BuildError("mutmut was stopped before every change was tested")
    for name, became in found.items():
        if became != KILLED:
            print(f"{place(name)}: {became}")
            print("\n".join(changed_lines(show(name))))
    counts = Counter(found.values())
    percent = 100 * counts[KILLED] / len(found) if found else 0.0
    print(f"{len(found)} changes, {', '.join(told(counts))}: {percent:.1f} % noticed")
    if percent < LEAST_PERCENT:
        say(f"failed: fewer than {LEAST_PERCENT} % of the changes were noticed")
        return 1
    return 0


def told(counts: Mapping[str, int]) -> Iterator[str]:
    """Yield each count in words; the usual three also where they are 0."""
    for became in dict.fromkeys([KILLED, "survived", "timeout", *sorted(counts)]):
        yield f"{counts[became]} {became}"


def place(name: str) -> str:
    """Write mutmut's name of a change as module and function: `calculator.live LoaderUse.queued`.

    Its names are `calculator.terms.x_term__mutmut_3` and, for methods,
    `calculator.live.xǁLoaderUseǁqueued__mutmut_1`.
    """
    module, _, mangled = name.partition("__mutmut_")[0].rpartition(".")
    function = mangled.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
    return f"{module} {function}"


def changed_lines(diff: str) -> Iterable[str]:
    """Pick the lines that differ out of a unified diff."""
    for line in diff.splitlines():
        if line.startswith(("-", "+")) and not line.startswith(("---", "+++")):
            yield f"    {line}"
