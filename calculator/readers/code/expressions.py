"""Expressions: constants, names, arithmetic, containers, comprehensions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from calculator.readers.code import arithmetic, loops, tensors
from calculator.readers.code.arithmetic import condition_key
from calculator.readers.code.attributes import attribute
from calculator.readers.code.names import BUILTINS, COMMON, MODULES
from calculator.readers.code.values import (
    Batch,
    Choice,
    Const,
    Func,
    LoaderSite,
    Map,
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


def evaluate(machine: Machine, node: ast.expr, scope: Scope) -> Value:
    """Return what an expression stands for."""
    line = node.lineno
    match node:
        case ast.Constant():
            value = node.value
            if value is ...:
                return machine.unknown(node)
            return Const(value, line=line)
        case ast.Name():
            return name(machine, node, scope)
        case ast.Attribute():
            return attribute(machine, machine.evaluate(node.value, scope), node.attr, node)
        case ast.Call():
            return _call(machine, node, scope)
        case ast.BinOp():
            return _binary(machine, node, scope)
        case ast.List() | ast.Tuple() | ast.Set():
            kind = "tuple" if isinstance(node, ast.Tuple) else "list"
            return Seq(_entries(machine, node.elts, scope), kind, line=line)
        case ast.Dict():
            return _dict(machine, node, scope)
        case ast.IfExp():
            return _either(machine, node, scope)
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
            return _comprehension(machine, node, scope)
        case ast.Subscript():
            return _subscript(machine, node, scope)
        case _:
            return _rest(machine, node, scope)


def _rest(machine: Machine, node: ast.expr, scope: Scope) -> Value:
    match node:
        case ast.BoolOp():
            return _bool_op(machine, node, scope)
        case ast.UnaryOp():
            return arithmetic.unary(machine, node, machine.evaluate(node.operand, scope))
        case ast.Compare():
            left = machine.evaluate(node.left, scope)
            rights = [machine.evaluate(each, scope) for each in node.comparators]
            return arithmetic.compare(machine, node, left, rights)
        case ast.JoinedStr():
            return machine.unknown(node)
        case ast.Lambda():
            from calculator.readers.code.statements import defaults  # noqa: PLC0415

            return Func(node, scope, defaults=defaults(machine, node.args, scope), line=node.lineno)
        case ast.Starred() | ast.Await() | ast.YieldFrom():
            return machine.evaluate(node.value, scope)
        case ast.Yield():
            return machine.evaluate(node.value, scope)
        case ast.NamedExpr():
            value = machine.evaluate(node.value, scope)
            scope.names[node.target.id] = value
            return value
        case _:
            return machine.unknown(node)


def name(machine: Machine, node: ast.Name, scope: Scope) -> Value:
    """Return what a name stands for; what nobody defined may still be a usual one."""
    found = scope.find(node.id)
    if found is not None:
        return found
    if node.id in BUILTINS:
        return Ref(node.id, line=node.lineno)
    if node.id in COMMON:
        return Ref(COMMON[node.id], line=node.lineno)
    if node.id in MODULES:
        return Ref(node.id, line=node.lineno)
    bag = machine.arguments.bag(node.id)
    if bag is not None:
        machine.scope.names[node.id] = bag
        return bag
    if node.id[:1].isupper() or node.id.endswith("_transforms"):
        return Ref(node.id, line=node.lineno)
    return machine.unknown(node)


# ---------------------------------------------------------------- calls


def _call(machine: Machine, node: ast.Call, scope: Scope) -> Value:
    machine.reached.add(node)
    func = machine.evaluate(node.func, scope)
    if isinstance(func, Unknown) and isinstance(node.func, ast.Name):
        func = Ref(node.func.id, line=node.lineno)  # of a module that was not pasted
    args = _entries(machine, node.args, scope)
    kwargs: dict[str, Value] = {}
    for each in node.keywords:
        value = machine.evaluate(each.value, scope)
        if each.arg is not None:
            kwargs[each.arg] = value
        else:
            kwargs.update(spread(value))
    return machine.call(func, args, kwargs, node)


def spread(value: Value) -> dict[str, Value]:
    """Return the keywords that `**value` passes; where it is a choice, each is one."""
    match value:
        case Map():
            return {str(key): each for key, each in value.items.items()}
        case Choice():
            branches = [spread(each) for each in value.options]
            found: dict[str, Value] = {}
            for key in {key: None for branch in branches for key in branch}:
                options = [branch.get(key, Const(None, "absent")) for branch in branches]
                line = next(each.line for each in options if each.line or each is options[-1])
                found[key] = Choice(options, value.condition, value.key, line=line)
            return found
        case Unknown() if value.text:
            return {"**": value}
        case _:
            return {}


def _entries(machine: Machine, nodes: list[ast.expr], scope: Scope) -> list[Value]:
    found: list[Value] = []
    for node in nodes[:1000]:
        value = machine.evaluate(node, scope)
        if isinstance(node, ast.Starred) and isinstance(value, Seq):
            found += value.items[:1000]
        else:
            found.append(value)
    return found


# ---------------------------------------------------------------- containers


def _dict(machine: Machine, node: ast.Dict, scope: Scope) -> Value:
    found = Map(line=node.lineno)
    for key, value in list(zip(node.keys, node.values, strict=True))[:2000]:
        made = machine.evaluate(value, scope)
        if key is None:
            found.items.update(spread(made))
            continue
        label = constant(machine.evaluate(key, scope))
        if isinstance(label, str | int):
            found.items[label] = made
            if isinstance(made, LoaderSite) and not made.name:
                made.name = str(label)
    return found


def _comprehension(
    machine: Machine,
    node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp,
    scope: Scope,
) -> Value:
    """Read the first loop entry by entry where it has few, and the inner ones once."""
    from calculator.readers.code.statements import assign  # noqa: PLC0415

    inner = Scope(scope)
    first = node.generators[0]
    over = machine.evaluate(first.iter, inner)
    loaders = loops.loaders_in(over)
    results: list[tuple[Value, Value]] = []
    entries = loops.entries_of(over)
    for number, entry in enumerate(entries):
        machine.path.append(("turn", number))
        assign(machine, first.target, entry, inner)
        for later in node.generators[1:]:
            for each in loops.entries_of(machine.evaluate(later.iter, inner))[:1]:
                assign(machine, later.target, each, inner)
        if isinstance(node, ast.DictComp):
            key, value = machine.evaluate(node.key, inner), machine.evaluate(node.value, inner)
        else:
            key, value = Const(number), machine.evaluate(node.elt, inner)
        machine.path.pop()
        results.append((key, value))
    for loader in loaders:
        loader.iterated = True
    if isinstance(node, ast.ListComp | ast.DictComp):
        for _, value in results:
            loops.keep(value)
    return _gathered(node, over, results)


def _gathered(node: ast.expr, over: Value, results: list[tuple[Value, Value]]) -> Value:
    line = node.lineno
    if isinstance(node, ast.DictComp):
        items = {constant(key): value for key, value in results}
        known = {key: value for key, value in items.items() if isinstance(key, str | int)}
        for key, value in known.items():
            if isinstance(value, LoaderSite) and not value.name:
                value.name = str(key)
        return Map(known, line=line)
    if isinstance(over, Seq | Map) and over.items:
        return Seq([value for _, value in results], line=line)
    return Repeat(results[0][1], loops.counted(loops.length(over)), line=line)


def _subscript(machine: Machine, node: ast.Subscript, scope: Scope) -> Value:
    value = machine.evaluate(node.value, scope)
    match value:
        case Map():
            key = constant(machine.evaluate(node.slice, scope))
            if isinstance(key, str | int) and key in value.items:
                return value.items[key]
        case Seq():
            key = constant(machine.evaluate(node.slice, scope))
            if isinstance(key, int) and -len(value.items) <= key < len(value.items):
                return value.items[key]
        case Repeat():
            return value.item if not isinstance(node.slice, ast.Slice) else value
        case Batch():
            return value
        case Tensor():
            return tensors.index(machine, value, node.slice, scope)
        case Choice():
            key = constant(machine.evaluate(node.slice, scope))
            options = [
                each.items.get(key, machine.unknown(node))
                for each in value.options
                if isinstance(each, Map)
            ]
            if options:
                return Choice(options, value.condition, value.key, line=node.lineno)
        case Ref() if value.name == "os.environ":
            key = constant(machine.evaluate(node.slice, scope))
            if key in {"WORLD_SIZE", "LOCAL_WORLD_SIZE"} and machine.started is not None:
                return Const(machine.started, "the processes that are started", line=node.lineno)
            return machine.unknown(node)
        case Ref() | Func():
            return value  # a type with parameters
        case _:
            machine.evaluate(node.slice, scope) if isinstance(node.slice, ast.Call) else None
    return machine.unknown(node)


# ---------------------------------------------------------------- conditions and arithmetic


def _either(machine: Machine, node: ast.IfExp, scope: Scope) -> Value:
    test = machine.evaluate(node.test, scope)
    if isinstance(test, Const):
        return machine.evaluate(node.body if test.value else node.orelse, scope)
    options = [machine.evaluate(node.body, scope), machine.evaluate(node.orelse, scope)]
    return Choice(
        options, machine.source.text_of(node.test), condition_key(node.test), line=node.lineno
    )


def _bool_op(machine: Machine, node: ast.BoolOp, scope: Scope) -> Value:
    values = [machine.evaluate(each, scope) for each in node.values]
    is_or = isinstance(node.op, ast.Or)
    for value in values[:-1]:
        if not isinstance(value, Const):
            return value if isinstance(value, Unknown) and is_or else machine.unknown(node)
        if bool(value.value) is is_or:
            return value
    return values[-1]


def _binary(machine: Machine, node: ast.BinOp, scope: Scope) -> Value:
    """Read chains such as `a + b + c` without going deeper for each link."""
    chain: list[ast.BinOp] = [node]
    while isinstance(chain[-1].left, ast.BinOp):
        chain.append(chain[-1].left)
    value = machine.evaluate(chain[-1].left, scope)
    for link in reversed(chain):
        machine.count()
        right = machine.evaluate(link.right, scope)
        value = arithmetic.binary(machine, link, value, right)
    return value
