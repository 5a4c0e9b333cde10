"""Statements: assignments, conditions, loops, definitions."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from calculator.readers.code import loops
from calculator.readers.code.arguments import decorated_defaults
from calculator.readers.code.arithmetic import condition_key
from calculator.readers.code.comments import commented
from calculator.readers.code.values import (
    Batch,
    Choice,
    Class,
    Const,
    Func,
    LoaderSite,
    Made,
    Map,
    Obj,
    Ref,
    Repeat,
    Scope,
    Seq,
    Tensor,
    Unknown,
    Value,
    constant,
)

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

MAX_UNROLLED: Final = 8


@dataclass
class Flow:
    """How a block of statements ends: what it returned or yielded, and whether it always does."""

    returned: list[Value] = field(default_factory=list)
    ended: bool = False
    broke: bool = False


def run(machine: Machine, body: list[ast.stmt], scope: Scope) -> Flow:
    """Read the statements of a block."""
    flow = Flow()
    for node in body:
        machine.count()
        part = _statement(machine, node, scope)
        flow.returned += part.returned
        flow.broke |= part.broke
        if part.ended:
            flow.ended = True
            break
    return flow


def _statement(machine: Machine, node: ast.stmt, scope: Scope) -> Flow:
    match node:
        case ast.Return():
            return Flow([machine.evaluate(node.value, scope)], ended=True)
        case ast.Break():
            return Flow(ended=True, broke=True)
        case ast.Continue() | ast.Raise():
            return Flow(ended=True)
        case ast.If():
            return _condition(machine, node, scope)
        case ast.For() | ast.AsyncFor():
            return loops.run_for(machine, node, scope)
        case ast.While():
            machine.evaluate(node.test, scope)
            return _inside(machine, [*node.body, *node.orelse], scope)
        case ast.Try() | ast.TryStar():
            flow = _inside(machine, [*node.body, *node.orelse, *node.finalbody], scope)
            for handler in node.handlers:
                with_condition(machine, "an exception", handler, handler.body, scope)
            return flow
        case ast.With() | ast.AsyncWith():
            for item in node.items:
                value = machine.evaluate(item.context_expr, scope)
                if item.optional_vars is not None:
                    assign(machine, item.optional_vars, value, scope)
            return machine.run(node.body, scope)
        case ast.Match():
            for case in node.cases:
                with_condition(
                    machine, machine.source.text_of(node.subject), case, case.body, scope
                )
            return Flow()
        case _:
            return _simple(machine, node, scope)


def _simple(machine: Machine, node: ast.stmt, scope: Scope) -> Flow:
    match node:
        case ast.Assign():
            value = machine.evaluate(node.value, scope)
            value = commented(machine, node, value)
            for target in node.targets:
                assign(machine, target, value, scope)
        case ast.AnnAssign():
            if node.value is not None:
                value = commented(machine, node, machine.evaluate(node.value, scope))
                assign(machine, node.target, value, scope)
        case ast.AugAssign():
            _augmented(machine, node, scope)
        case ast.Expr():
            value = machine.evaluate(node.value, scope)
            if isinstance(node.value, ast.Yield):
                return Flow([value])
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            _define(machine, node, scope)
        case ast.ClassDef():
            _define_class(machine, node, scope)
        case ast.Import() | ast.ImportFrom():
            _import(node, scope)
        case _:
            pass
    return Flow()


def _inside(machine: Machine, body: list[ast.stmt], scope: Scope) -> Flow:
    """Run a block that a `break` or an exception may leave early: what follows it still runs."""
    flow = machine.run(body, scope)
    return Flow(flow.returned, ended=False)


# ---------------------------------------------------------------- conditions


def _condition(machine: Machine, node: ast.If, scope: Scope) -> Flow:
    test = machine.evaluate(node.test, scope)
    if isinstance(test, Const):
        return machine.run(node.body if test.value else node.orelse, scope)
    text, key = machine.source.text_of(node.test), condition_key(node.test)
    before = dict(scope.names)
    first = with_condition(machine, text, key, node.body, scope)
    after_first = scope.names
    scope.names = dict(before)
    second = with_condition(machine, text, key, node.orelse, scope, branch=1)
    scope.names = _merged(after_first, scope.names, text, key)
    return Flow(
        _choice_of(first.returned, second.returned, text, key),
        ended=first.ended and second.ended,
        broke=first.broke or second.broke,
    )


def with_condition(
    machine: Machine,
    text: str,
    key: object,
    body: list[ast.stmt],
    scope: Scope,
    *,
    branch: int = 0,
) -> Flow:
    """Read a block that runs only sometimes."""
    machine.conditions.append((text, key, branch))
    try:
        return machine.run(body, scope)
    finally:
        machine.conditions.pop()


def _choice_of(first: list[Value], second: list[Value], text: str, key: object) -> list[Value]:
    if len(first) == 1 and len(second) == 1:
        return [Choice([*first, *second], text, key, line=first[0].line)]
    return [*first, *second]


def _merged(
    first: dict[str, Value], second: dict[str, Value], text: str, key: object
) -> dict[str, Value]:
    found = dict(second)
    for name, value in first.items():
        other = second.get(name)
        if other is None or other is value:
            found[name] = value
        elif not same(value, other):
            found[name] = Choice([value, other], text, key, line=value.line)
    return found


def same(one: Value, other: Value) -> bool:
    """Tell whether two values are the same constant."""
    return (
        isinstance(one, Const)
        and isinstance(other, Const)
        and type(one.value) is type(other.value)
        and one.value == other.value
    )


# ---------------------------------------------------------------- assignments


def assign(machine: Machine, target: ast.expr, value: Value, scope: Scope) -> None:
    """Bind a value to a name, an attribute, an entry or several of them."""
    match target:
        case ast.Name():
            scope.names[target.id] = value
            _name_it(value, target.id)
        case ast.Attribute():
            owner = machine.evaluate(target.value, scope)
            if isinstance(owner, Obj):
                old = owner.attributes.get(target.attr)
                owner.attributes[target.attr] = machine.assigned(old, value)
            elif isinstance(owner, LoaderSite | Made):
                kwargs = owner.call.kwargs if isinstance(owner, LoaderSite) else owner.kwargs
                kwargs[target.attr] = machine.assigned(kwargs.get(target.attr), value)
            _name_it(value, target.attr)
        case ast.Subscript():
            owner = machine.evaluate(target.value, scope)
            key = constant(machine.evaluate(target.slice, scope))
            if isinstance(owner, Map) and isinstance(key, str | int):
                owner.items[key] = machine.assigned(owner.items.get(key), value)
                _name_it(value, str(key))
            elif isinstance(value, Batch):
                loops.keep(value)
        case ast.Tuple() | ast.List():
            for place, each in enumerate(target.elts):
                part = element(machine, value, place, len(target.elts))
                inner = each.value if isinstance(each, ast.Starred) else each
                assign(machine, inner, part, scope)
        case _:
            pass


def element(machine: Machine, value: Value, place: int, number: int) -> Value:
    """Return one entry of what is unpacked into `number` names."""
    match value:
        case Seq():
            return value.items[place] if place < len(value.items) else Unknown("")
        case Batch():
            return Batch(value.loader, line=value.line)
        case Repeat():
            return value.item
        case Choice():
            options = [element(machine, each, place, number) for each in value.options]
            return Choice(options, value.condition, value.key, line=value.line)
        case Tensor() if value.dims:
            return Tensor(value.dims[1:], value.dtype, value.lib, line=value.line)
        case Made():
            return loops.part_of_made(value, place)
        case _:
            return Unknown("", line=value.line)


def _name_it(value: Value, name: str) -> None:
    if isinstance(value, LoaderSite) and (not value.name or value.named_by_function):
        value.name, value.named_by_function = name, False
    elif isinstance(value, Choice):
        for each in value.options:
            _name_it(each, name)


def _augmented(machine: Machine, node: ast.AugAssign, scope: Scope) -> None:
    left = ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)
    value = machine.evaluate(node.value, scope)
    if isinstance(node.target, ast.Name | ast.Attribute | ast.Subscript):
        old = machine.evaluate(node.target, scope)
        if isinstance(node.op, ast.Add) and isinstance(old, Seq | Unknown):
            for each in value.items if isinstance(value, Seq) else [value]:
                if isinstance(each, Batch) and isinstance(old, Seq):
                    loops.keep(each)
        if isinstance(old, Map) and isinstance(value, Map):
            old.items.update(value.items)
            return
        assign(machine, node.target, machine.evaluate(left, scope), scope)


# ---------------------------------------------------------------- definitions


def _define(machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
    func = Func(node, scope, line=node.lineno)
    func.defaults = defaults(machine, node.args, scope)
    func.defaults.update(decorated_defaults(machine, node, scope))
    scope.names[node.name] = func
    machine.functions.append(func)


def defaults(machine: Machine, args: ast.arguments, scope: Scope) -> dict[str, Value]:
    """Return the defaults of a function's parameters."""
    names = [each.arg for each in (*args.posonlyargs, *args.args)]
    found = {
        name: machine.evaluate(node, scope)
        for name, node in zip(reversed(names), reversed(args.defaults), strict=False)
    }
    for each, node in zip(args.kwonlyargs, args.kw_defaults, strict=False):
        if node is not None:
            found[each.arg] = machine.evaluate(node, scope)
    return {name: _by_default(value, name) for name, value in found.items()}


def _by_default(value: Value, name: str) -> Value:
    if isinstance(value, Const):
        return Const(value.value, f"{name}'s default", line=value.line)
    return value


def _define_class(machine: Machine, node: ast.ClassDef, scope: Scope) -> None:
    bases = [machine.evaluate(each, scope) for each in node.bases]
    made = Class(node, bases, scope, line=node.lineno)
    scope.names[node.name] = made
    machine.classes.append(made)
    inner = Scope(scope)
    before = len(machine.functions)
    machine.run(node.body, inner)
    for func in machine.functions[before:]:
        if func.owner is None and func.scope is inner:
            func.owner = made
            func.scope = scope
    made.attributes = inner.names


def _import(node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
    for alias in node.names:
        if isinstance(node, ast.Import):
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            scope.names[alias.asname or name] = Ref(name, line=node.lineno)
        else:
            full = f"{node.module}.{alias.name}" if node.module else alias.name
            scope.names[alias.asname or alias.name] = Ref(full, line=node.lineno)
