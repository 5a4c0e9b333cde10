"""Modules joined to one script: fewer fetches, and none in a page that is opened as a file.

Each becomes a function that gets its imports by name (web/make/modules.js) and otherwise stays as
it is, so that it can be read. Understood are the ways in which web/js imports and exports, and
those of Pyodide's two files; anything else ends the build.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from web.make.failure import BuildError

HOST: Final = "https://inside.invalid/"
"""Where the modules believe to lie: no such address exists, and none is asked for."""

_ALL: Final = re.compile(r'^import \* as (\w+) from "\./([\w.]+)";$', re.MULTILINE)
_SOME: Final = re.compile(r'^import \{([\w\s,]+)\} from "\./([\w.]+)";$', re.MULTILINE)
_LATER: Final = re.compile(r'(?<![{\w.])import\((?=[`"])')  # in a comment a { is before it
_NAMED_LATER: Final = re.compile(r'(?<![{\w.])import\("\./([\w.]+)"\)')
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
_LAST: Final = re.compile(r"export\s*(?:\{([\w\s,]+)\}|default (\w+));\s*(?://#.*\s*)?\Z")
_LEFT: Final = re.compile(  # Python's own imports, in a text of js/loader.js, are none
    r"""^(?:import\s*(?:["'{*]|\w+\s*(?:,\s*\{|from\s*["']))|export\b).*""", re.MULTILINE
)
_UNSAFE: Final = re.compile(r"<!--|</?script|</?style", re.IGNORECASE)

_GLUE: Final = Path(__file__).with_name("modules.js")

Find = Callable[[str], str]


@dataclass(frozen=True)
class Module:
    """A module as a function's body, what it exports, and what it wants of which others."""

    name: str
    body: str
    exports: tuple[str, ...]
    wants: tuple[tuple[str, tuple[str, ...]], ...]


def beside(entry: str, find: Find) -> str:
    """Return one module that lies where the entry lies and takes its place.

    Args:
        entry: the module's name.
        find: gives the text of a module by its name.

    Raises:
        BuildError: a module has what this does not understand, or wants what another does not
            have.
    """
    modules = {each.name: each for each in _wanted(entry, find, ())}
    _check(modules)
    functions = map(_function, modules.values())
    return "\n".join([_GLUE.read_text("utf-8"), *functions, f'use("{entry}");\n'])


def inside(entry: str, find: Find, *, foreign: tuple[str, ...] = ()) -> str:
    """Return one script that runs the entry and what it imports, and fetches nothing.

    Args:
        entry: the module's name.
        find: gives the text of a module by its name.
        foreign: further modules, not ours: those that are imported by an address made at run time.

    Raises:
        BuildError: a module has what this does not understand, or wants what another does not
            have.
    """
    modules = {each.name: _placed(each) for each in _wanted(entry, find, ())}
    modules |= {name: _foreign(name, find(name)) for name in foreign}
    _check(modules)
    functions = (_function(module) for module in modules.values())
    glue = _GLUE.read_text("utf-8")
    return "\n".join(['"use strict";', glue, *functions, f'use("{entry}");\n'])


def inline(script: str) -> str:
    """Return a script that may stand in a page.

    Raises:
        BuildError: it holds something that HTML takes for its own.
    """
    if found := _UNSAFE.search(script):
        raise BuildError(f"a script holds {found.group()}, which cannot stand in a page")
    return script


def _wanted(name: str, find: Find, above: tuple[str, ...]) -> Iterator[Module]:
    """Yield what a module imports, each before those that want it, and the module itself."""
    if name in above:
        raise BuildError(f"modules that import each other: {' > '.join((*above, name))}")
    module = _own(name, find(name))
    for other, _ in module.wants:
        yield from _wanted(other, find, (*above, name))
    yield module


def _own(name: str, text: str) -> Module:
    """Read one of our modules."""
    wants = [(other, ()) for _, other in _ALL.findall(text)]
    wants += [(other, ()) for other in _NAMED_LATER.findall(text)]
    some = {other: dict(_pairs(names)) for names, other in _SOME.findall(text)}
    body = _ALL.sub(r'const \1 = use("\2");', text)
    body = _SOME.sub(_taken, body)
    body = _NAMED_LATER.sub(r'bring("./\1")', body)
    exports = tuple(_EXPORT.findall(body))
    body = _EXPORT.sub("", body)
    if left := _LEFT.search(body):
        raise BuildError(f"{name} cannot be joined: {left.group()}")
    return Module(name, body, exports, (*wants, *((key, tuple(of)) for key, of in some.items())))


def _placed(module: Module) -> Module:
    """Have a module believe to lie at an address, and import from there what has been joined."""
    address = json.dumps(f"{HOST}js/{module.name}")
    body = _LATER.sub("bring(", module.body.replace("import.meta.url", address))
    return replace(module, body=body)


def _foreign(name: str, text: str) -> Module:
    """Read a module of Pyodide's: it imports nothing, and what it exports stands at its end."""
    last = _LAST.search(text)
    if not last:
        raise BuildError(f"{name} cannot be joined: no export at its end")
    names, default = last.groups()
    pairs = {"default": default} if default else {new: own for own, new in _pairs(names)}
    body = text[: last.start()].replace("import.meta.url", json.dumps(f"{HOST}py/{name}"))
    body += "\nshare({ " + ", ".join(f"{new}: {own}" for new, own in pairs.items()) + " });"
    return Module(name, body, (), ())


def _pairs(names: str) -> Iterator[tuple[str, str]]:
    """Yield the two names of each of `a, b as c`: (a, a), (b, c)."""
    for each in filter(None, (part.strip() for part in names.split(","))):
        first, _, second = each.partition(" as ")
        yield first, second or first


def _taken(found: re.Match[str]) -> str:
    names = ", ".join(a if a == b else f"{a}: {b}" for a, b in _pairs(found.group(1)))
    return f'const {{ {names} }} = use("{found.group(2)}");'


def _check(modules: dict[str, Module]) -> None:
    for module in modules.values():
        for other, names in module.wants:
            if missing := set(names) - set(modules[other].exports):
                raise BuildError(f"{module.name} wants {', '.join(sorted(missing))} of {other}")


def _function(module: Module) -> str:
    shares = f"\nshare({{ {', '.join(module.exports)} }});" if module.exports else ""
    return f'define("{module.name}", (use, share) => {{\n{module.body.strip()}{shares}\n}});\n'
