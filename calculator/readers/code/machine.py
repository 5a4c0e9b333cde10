"""Reads a program in the order it would run, without running it: values, calls and loops.

Every expression becomes a value that says what is known of it.  Where a condition is
open, both ways are read, and what they leave behind is a choice.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Final

from calculator.readers.code import calls, expressions, statements
from calculator.readers.code.arguments import ArgumentTable
from calculator.readers.code.budget import MAX_DEPTH, MAX_LOADERS, MAX_STEPS, EnoughError
from calculator.readers.code.source import Source
from calculator.readers.code.values import (
    Choice,
    Class,
    Const,
    Func,
    LoaderSite,
    Made,
    Obj,
    Scope,
    Unknown,
    Value,
)


class Machine:
    """The state of reading one program.

    Attributes:
        loaders: the calls that make loaders, in the order they are reached.
        made: every call of something imported.
        together: pairs of loaders that hold batches at once.
        alone: the next function is read without a caller: what it is passed is not known.
        started: processes of the job, where a command line or a person says so.
    """

    def __init__(self, source: Source, given: Mapping[str, Any]) -> None:
        self.source = source
        self.given = given
        self.scope = Scope()
        self.arguments = ArgumentTable()
        self.loaders: dict[object, LoaderSite] = {}
        self.made: list[Made] = []
        self.objects: list[Obj] = []
        self.classes: list[Class] = []
        self.functions: list[Func] = []
        self.called: set[ast.AST] = set()
        self.reached: set[ast.AST] = set()
        self.active: list[LoaderSite] = []
        self.iterators: list[LoaderSite] = []
        self.together: set[tuple[int, int]] = set()
        self.conditions: list[tuple[str, object, int]] = []
        self.path: list[object] = []
        self.frames: list[Scope] = []
        self.start_method: Const | None = None
        self.strategy: Const | None = None
        self.ranks_seen: list[tuple[int | None, int, str]] = []
        self.started: int | None = None
        self.steps = 0
        self.cut_short = False
        self.alone = False
        self.depth = 0
        self.calls = 0

    # ---------------------------------------------------------------- reading

    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value:
        """Return what an expression stands for."""
        if node is None:
            return Const(None)
        self.count()
        if self.depth >= MAX_DEPTH:
            return self.unknown(node)
        self.depth += 1
        try:
            found = expressions.evaluate(self, node, scope)
        finally:
            self.depth -= 1
        return found

    def run(self, body: list[ast.stmt], scope: Scope) -> statements.Flow:
        """Read statements one after the other."""
        return statements.run(self, body, scope)

    def call(
        self, func: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
    ) -> Value:
        """Return what calling a value gives."""
        return calls.call(self, func, args, kwargs, node)

    def count(self) -> None:
        """Count one step.

        Raises:
            EnoughError: there were too many.
        """
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise EnoughError

    # ---------------------------------------------------------------- what is found

    def unknown(self, node: ast.AST, upper: int | None = None, *, machine: bool = False) -> Unknown:
        """Return a value that only the running program knows."""
        text = self.source.text_of(node)
        return Unknown(text, upper, machine, line=getattr(node, "lineno", 0))

    @property
    def hyper(self) -> dict[str, Value]:
        """Return the parameters of the function that is being read."""
        return self.frames[-1].parameters if self.frames else {}

    def self_of_frame(self) -> Value | None:
        """Return the object whose method is being read."""
        return self.frames[-1].owner if self.frames else None

    def assigned(self, old: Value | None, new: Value) -> Value:
        """Return what a place holds after an assignment that may stand under a condition."""
        if not self.conditions or old is None or old is new:
            return new
        text, key, branch = self.conditions[-1]
        options = list(old.options) if isinstance(old, Choice) and old.key == key else [old, old]
        if branch < len(options):
            options[branch] = new
        return Choice(options, text, key, line=new.line)

    def add_loader(self, made: Made, node: ast.AST, kind: str = "torch") -> LoaderSite:
        """Remember a call that makes a loader; the same call on the same way is one loader."""
        key = (node, *self.path)
        if key not in self.loaders:
            if len(self.loaders) >= MAX_LOADERS:
                return LoaderSite(made, kind=kind, line=made.line)
            self.loaders[key] = LoaderSite(made, kind=kind, line=made.line)
        return self.loaders[key]

    # ---------------------------------------------------------------- the whole program

    def read(self) -> None:
        """Read the module, then what it defines and never calls."""
        try:
            self.run(self.source.tree.body, self.scope)
            for function in list(self.functions):
                if function.node not in self.called and self._makes_something(function.node):
                    self._run_alone(function)
            for function in list(self.functions):
                if self.loaders and function.node not in self.called and _loops(function.node):
                    self._run_alone(function)
        except (EnoughError, RecursionError):
            self.cut_short = True

    def loader_named(self, name: str) -> LoaderSite | None:
        """Return the loader of this name, for a parameter nobody passes."""
        return next((each for each in self.loaders.values() if each.name == name), None)

    def _makes_something(self, node: ast.AST) -> bool:
        return any(
            isinstance(each, ast.Call) and each not in self.reached and _looks_right(each)
            for each in ast.walk(node)
        )

    def _run_alone(self, function: Func) -> None:
        """Call a function with its defaults, a method on an object made if there is none."""
        owner = function.owner
        if isinstance(owner, Class):
            existing = [each for each in self.objects if each.cls is owner]
            target: Value = existing[0] if existing else self.call(owner, [], {}, owner.node)
            function = Func(function.node, function.scope, target, function.defaults)
        self.alone = True
        calls.call_function(self, function, [], {}, function.node)
        self.alone = False


def _loops(node: ast.AST) -> bool:
    return any(isinstance(each, ast.For | ast.AsyncFor | ast.While) for each in ast.walk(node))


_INTERESTING: Final = ("Loader", "Loaders", "TrainingArguments", "Trainer", "Queue", "DataBunch")


def _looks_right(node: ast.Call) -> bool:
    func = node.func
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return str(name).endswith(_INTERESTING) or name in {"from_folder", "dataloaders", "spawn"}
