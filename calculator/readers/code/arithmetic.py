"""Arithmetic on what is known, with upper bounds for what is not."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from calculator.readers.code.values import (
    Choice,
    Const,
    Map,
    Repeat,
    Seq,
    Tensor,
    Unknown,
    Value,
    whole,
)

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

LARGEST: Final = 10**15
"""No number of a training script is larger."""

_OPERATORS: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_COMPARE: Final[dict[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


def binary(machine: Machine, node: ast.BinOp, left: Value, right: Value) -> Value:
    """Return the result of one operation."""
    if isinstance(left, Choice):
        options = [binary(machine, node, each, right) for each in left.options[:8]]
        return Choice(options, left.condition, left.key, line=node.lineno)
    if isinstance(right, Choice):
        options = [binary(machine, node, left, each) for each in right.options[:8]]
        return Choice(options, right.condition, right.key, line=node.lineno)
    if isinstance(left, Const) and isinstance(right, Const):
        return _constants(machine, node, left, right)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return _tensors(node, left, right)
    if isinstance(left, Seq) and isinstance(right, Seq) and isinstance(node.op, ast.Add):
        return Seq([*left.items, *right.items][:1000], left.kind, line=node.lineno)
    if isinstance(node.op, ast.Mult) and isinstance(left, Seq) and left.items:
        count = whole(right)
        if count is not None:
            if count * len(left.items) <= 16:  # noqa: PLR2004
                return Seq(left.items * count, left.kind, line=node.lineno)
            return Repeat(left.items[0], count, line=node.lineno)
    if isinstance(left, Map) and isinstance(right, Map):
        return Map({**left.items, **right.items}, line=node.lineno)
    return bounded(machine, node, left, right)


def _constants(machine: Machine, node: ast.BinOp, left: Const, right: Const) -> Value:
    one, other = left.value, right.value
    both = isinstance(one, int | float) and isinstance(other, int | float)
    operation = _OPERATORS.get(type(node.op))
    if operation is None or not both or abs(one) > LARGEST or abs(other) > LARGEST:
        return machine.unknown(node)
    huge = isinstance(node.op, ast.Pow | ast.LShift) and (abs(other) > 64 or abs(one) > 10**6)  # noqa: PLR2004
    try:
        found = machine.unknown(node) if huge else operation(one, other)
    except (ArithmeticError, TypeError, ValueError):
        return machine.unknown(node)
    if isinstance(found, Unknown | complex) or not abs(found) <= LARGEST:
        return machine.unknown(node)
    return Const(found, left.by_default or right.by_default, line=left.line or node.lineno)


def _tensors(node: ast.BinOp, left: Value, right: Value) -> Value:
    """Arithmetic makes a new tensor of the larger shape; dividing makes floats."""
    one = left if isinstance(left, Tensor) else right
    other = right if one is left else left
    assert isinstance(one, Tensor)  # noqa: S101 - for the type checker
    dims, dtype = one.dims, one.dtype
    if isinstance(other, Tensor) and len(other.dims or ()) > len(dims or ()):
        dims = other.dims
    floats = isinstance(node.op, ast.Div) or isinstance(getattr(other, "value", None), float)
    if floats and dtype is not None and "float" not in dtype:
        dtype = "float64" if one.lib == "numpy" else "float32"
    return Tensor(
        dims, dtype, one.lib, varies=one.varies, float64=dtype == "float64", line=node.lineno
    )


def bounded(machine: Machine, node: ast.BinOp, left: Value, right: Value) -> Value:
    """Keep an upper bound through what cannot make a positive number larger."""
    is_machine = any(isinstance(each, Unknown) and each.machine for each in (left, right))
    one, other = upper(left), upper(right)
    found: int | None = None
    match node.op:
        case ast.Add() if one is not None and other is not None:
            found = one + other
        case ast.Mult() if one is not None and other is not None:
            found = one * other
        case ast.Sub() if one is not None:
            found = one - (other or 0) if isinstance(right, Const) else one
        case ast.Div() | ast.FloorDiv() if one is not None:
            by = whole(right)
            found = -(-one // by) if by else one
        case ast.Mod() if isinstance(right, Const) and other:
            found = other - 1
        case _:
            pass
    return machine.unknown(node, found, machine=is_machine)


def upper(value: Value) -> int | None:
    """Return the most that a number can be."""
    if isinstance(value, Unknown):
        return value.upper
    if isinstance(value, Choice):
        found = [upper(each) for each in value.options]
        return None if None in found else max(each for each in found if each is not None)
    return whole(value)


def extreme(machine: Machine, node: ast.AST, values: list[Value], *, least: bool) -> Value:
    """Return min or max: of unknowns at least a bound."""
    if len(values) == 1 and isinstance(values[0], Seq):
        values = values[0].items
    known = [whole(each) for each in values]
    if values and None not in known:
        pick = (min if least else max)(each for each in known if each is not None)
        first = values[known.index(pick)]
        by_default = first.by_default if isinstance(first, Const) else ""
        return Const(pick, by_default, line=getattr(node, "lineno", 0))
    bounds = [upper(each) for each in values]
    given = [each for each in bounds if each is not None]
    is_machine = any(isinstance(each, Unknown) and each.machine for each in values)
    if not given or (not least and None in bounds):
        return machine.unknown(node, machine=is_machine)
    return machine.unknown(node, min(given) if least else max(given), machine=is_machine)


def unary(machine: Machine, node: ast.UnaryOp, value: Value) -> Value:
    """Return `-x`, `not x` and the like."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Const):
        if isinstance(node.op, ast.Not):
            return Const(not value.value, value.by_default, line=node.lineno)
        if isinstance(node.op, ast.USub) and isinstance(value.value, int | float):
            return Const(-value.value, value.by_default, line=node.lineno)
    return machine.unknown(node)


def compare(machine: Machine, node: ast.Compare, left: Value, rights: list[Value]) -> Value:
    """Compare constants; everything else is open, but for the guard of a main program."""
    if len(rights) != 1:
        return machine.unknown(node)
    right = rights[0]
    if isinstance(node.left, ast.Name) and node.left.id == "__name__":
        return Const(isinstance(node.ops[0], ast.Eq), line=node.lineno)
    if isinstance(left, Const) and isinstance(right, Const):
        operation = _COMPARE.get(type(node.ops[0]))
        simple = isinstance(left.value, int | float | str | None)
        if operation is not None and simple:
            try:
                return Const(bool(operation(left.value, right.value)), line=node.lineno)
            except TypeError:
                return machine.unknown(node)
    is_none = isinstance(right, Const) and right.value is None
    if is_none and not isinstance(left, Const | Unknown | Choice):
        return Const(isinstance(node.ops[0], ast.IsNot), line=node.lineno)
    if isinstance(node.ops[0], ast.In | ast.NotIn) and isinstance(right, Seq):
        entries = [each.value for each in right.items if isinstance(each, Const)]
        if isinstance(left, Const) and len(entries) == len(right.items):
            inside = left.value in entries
            return Const(inside is isinstance(node.ops[0], ast.In), line=node.lineno)
    return machine.unknown(node)


def condition_key(node: ast.expr) -> object:
    """Choices by the same flag go together wherever they stand."""
    return node.id if isinstance(node, ast.Name) else ast.dump(node)[:300]
