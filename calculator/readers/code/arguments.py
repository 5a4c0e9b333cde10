"""Command-line arguments and their defaults: argparse, click, absl, dataclasses."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from calculator.readers.code.values import (
    Const,
    Made,
    Obj,
    Ref,
    Scope,
    Unknown,
    Value,
    constant,
)

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

_BAGS: Final = frozenset(
    [
        "args",
        "arg",
        "opt",
        "opts",
        "cfg",
        "config",
        "conf",
        "hparams",
        "hparam",
        "FLAGS",
        "flags",
        "params",
        "cli_args",
        "options",
        "a",
    ]
)


class ArgumentTable:
    """All arguments that the program declares, by the name they are read under."""

    def __init__(self) -> None:
        self.found: dict[str, Value] = {}
        self.typed: dict[str, tuple[str, int]] = {}
        self.bags: list[Obj] = []

    def bag(self, name: str) -> Obj | None:
        """Return the parsed arguments for a usual name, if any are declared."""
        return self.parsed() if self.found and name in _BAGS else None

    def parsed(self) -> Obj:
        """Return an object that holds every argument declared so far, and those to come."""
        made = Obj(None, dict(self.found))
        self.bags.append(made)
        return made

    def add(self, made: Made) -> None:
        """Read one `add_argument`."""
        flags = [each for each in map(constant, made.args) if isinstance(each, str)]
        longest = next((each for each in flags if each.startswith("--")), flags[0] if flags else "")
        dest = constant(made.kwargs.get("dest")) or longest.lstrip("-")
        if isinstance(dest, str) and dest:
            self.put(dest.replace("-", "_"), self._default(made, longest or dest))

    def put(self, dest: str, value: Value) -> None:
        """Store an argument; what the command line in the paste says wins over its default."""
        typed = self.typed.get(dest)
        if typed is not None:
            text, line = typed
            value = Const(_number(text), f"--{dest} on the command line", line=line)
        self.found[dest] = value
        for bag in self.bags:
            bag.attributes.setdefault(dest, value)

    @staticmethod
    def _default(made: Made, flag: str) -> Value:
        action = constant(made.kwargs.get("action"))
        default = made.kwargs.get("default")
        words = f"default of {flag}"
        if default is None:
            if action in {"store_true", "store_false"}:
                return Const(action == "store_false", words, line=made.line)
            if constant(made.kwargs.get("required")) is True or not flag.startswith("-"):
                return Unknown(f"{flag} has no default", line=made.line)
            return Const(None, words, line=made.line)
        if isinstance(default, Const):
            kind = made.kwargs.get("type")
            is_int = isinstance(kind, Ref) and kind.name in {"int", "float"}
            value = _number(default.value) if is_int else default.value
            return Const(value, words, line=default.line or made.line)
        return default


def _number(value: object) -> object:
    if isinstance(value, str):
        if re.fullmatch(r"[+-]?\d{1,15}", value):
            return int(value)
        if re.fullmatch(r"[+-]?\d{0,12}\.?\d{1,12}(?:e[+-]?\d{1,2})?", value):
            return float(value)
        if value in {"True", "true"}:
            return True
        if value in {"False", "false"}:
            return False
    return value


def typed_arguments(table: ArgumentTable, command: str, line: int) -> None:
    """Remember what a command line in the paste passes to the script."""
    words = command.split()[:400]
    for place, word in enumerate(words):
        if not word.startswith("-"):
            continue
        name, equals, value = word.lstrip("-").partition("=")
        if not equals and place + 1 < len(words) and not words[place + 1].startswith("-"):
            value = words[place + 1]
        if name and value:
            table.typed.setdefault(name.replace("-", "_"), (value.strip("'\""), line))


# ---------------------------------------------------------------- click, absl


def decorated_defaults(
    machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope
) -> dict[str, Value]:
    """Return the defaults that click's decorators give a function's parameters."""
    found: dict[str, Value] = {}
    for each in node.decorator_list:
        value = machine.evaluate(each, scope)
        if isinstance(value, Made) and value.short in {"option", "argument"}:
            table = ArgumentTable()
            table.typed = machine.arguments.typed
            table.add(value)
            found.update(table.found)
    return found


def absl_flag(table: ArgumentTable, made: Made) -> None:
    """Read `flags.DEFINE_integer("name", default, ...)`."""
    name, default = constant(made.get("name", 0)), made.get("default", 1)
    if isinstance(name, str):
        value = constant(default)
        table.put(name, Const(value, f"default of --{name}", line=made.line))


def typer_default(made: Made) -> Value:
    """Return the default inside `typer.Option(4)`, `Field(4)` or `field(default=4)`."""
    factory = made.get("default_factory")
    if factory is not None:
        return Unknown(made.text, line=made.line)
    default = made.get("default", 0)
    if isinstance(default, Const) and default.value is not ...:
        return Const(default.value, "default", line=default.line)
    return default or Unknown(made.text, line=made.line)
