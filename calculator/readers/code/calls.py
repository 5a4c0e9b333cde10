"""Calls: functions and classes of the paste are followed, everything else is looked up."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from calculator.readers.code import arguments, known, methods, transforms
from calculator.readers.code.attributes import Method
from calculator.readers.code.budget import MAX_CALLS
from calculator.readers.code.values import (
    Choice,
    Class,
    Const,
    Func,
    LoaderSite,
    Made,
    Map,
    Obj,
    Ref,
    Scope,
    Seq,
    Unknown,
    Value,
    constant,
)

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

_DATACLASSES: Final = {"dataclass", "BaseModel", "BaseSettings", "NamedTuple", "Config", "Struct"}


def call(
    machine: Machine, func: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Return what a call gives."""
    line = getattr(node, "lineno", 0)
    match func:
        case Func():
            return call_function(machine, func, args, kwargs, node)
        case Class():
            return make_object(machine, func, args, kwargs, node)
        case Ref():
            made = Made(func.name, args, kwargs, machine.source.text_of(node), line=line)
            return known.call_known(machine, made, node)
        case Method():
            return methods.call_method(machine, func.owner, func.name, args, kwargs, node=node)
        case Made() if func.short in {"partial", "wraps"} and func.args:
            merged = {**func.kwargs, **kwargs}
            return call(machine, func.args[0], [*func.args[1:], *args], merged, node)
        case Made() if args or "image" in kwargs:
            return transforms.apply(machine, func, args, kwargs)
        case Obj() if func.cls is not None:
            for name in ("__call__", "forward"):
                method = func.cls.find(name)
                if isinstance(method, Func):
                    bound = Func(method.node, method.scope, func, method.defaults)
                    return call_function(machine, bound, args, kwargs, node)
        case Choice():
            options = [call(machine, each, args, kwargs, node) for each in func.options[:4]]
            return Choice(options, func.condition, func.key, line=line)
        case _:
            pass
    return machine.unknown(node)


# ---------------------------------------------------------------- functions


def call_function(
    machine: Machine, func: Func, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Follow a call of a function of the paste; never into itself."""
    machine.called.add(func.node)
    if machine.calls >= MAX_CALLS or any(each is func.node for each in machine.path):
        return machine.unknown(node)
    scope = Scope(func.scope)
    _bind(machine, func, args, kwargs, scope)
    machine.path += [node, func.node]
    machine.calls += 1
    machine.frames.append(scope)
    conditions, machine.conditions = machine.conditions, []
    try:
        if isinstance(func.node, ast.Lambda):
            return machine.evaluate(func.node.body, scope)
        flow = machine.run(func.node.body, scope)
    finally:
        machine.calls -= 1
        machine.frames.pop()
        machine.conditions = conditions
        del machine.path[-2:]
    result = _result(flow.returned, node)
    if isinstance(result, LoaderSite) and not result.name:
        result.name, result.named_by_function = func.node.name, True
    for number, each in enumerate(result.items if isinstance(result, Seq) else [], 1):
        if isinstance(each, LoaderSite) and not each.name:
            each.name = f"{func.node.name} {number}"
    return result


def _result(returned: list[Value], node: ast.AST) -> Value:
    told = [each for each in returned if not isinstance(each, Const) or each.value is not None]
    if not told:
        return returned[0] if returned else Const(None)
    if len(told) == 1:
        return told[0]
    text = "which return is reached"
    return Choice(told[:8], text, node, line=getattr(node, "lineno", 0))


def _bind(
    machine: Machine, func: Func, args: list[Value], kwargs: dict[str, Value], scope: Scope
) -> None:
    spec = func.node.args
    names = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    marks = getattr(func.node, "decorator_list", [])
    static = any(getattr(each, "id", "") == "staticmethod" for each in marks)
    if func.owner is not None and names and not static:
        scope.names[names.pop(0)] = scope.owner = func.owner
    bound: dict[str, Value] = dict(func.defaults)
    if spec.vararg is not None:
        bound[spec.vararg.arg] = Seq(args[len(names) :], "tuple")
    bound.update(zip(names, args, strict=False))
    allowed = {*names, *(each.arg for each in spec.kwonlyargs)}
    bound.update({name: value for name, value in kwargs.items() if name in allowed})
    if spec.kwarg is not None:
        rest = {name: value for name, value in kwargs.items() if name not in allowed}
        bound[spec.kwarg.arg] = Unknown(spec.kwarg.arg) if machine.alone else Map(rest)
    machine.alone = False
    for name in allowed - set(bound):
        bag = machine.arguments.bag(name)
        bound[name] = (
            bag or machine.loader_named(name) or Unknown(name, line=getattr(func.node, "lineno", 0))
        )
    for name, value in bound.items():
        if isinstance(value, Made) and value.short in {"Option", "Argument", "Field"}:
            bound[name] = arguments.typer_default(value)
    scope.names.update(bound)
    scope.parameters = bound


# ---------------------------------------------------------------- objects


def make_object(
    machine: Machine, cls: Class, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Return an object of a class of the paste, after its `__init__`."""
    made = Obj(cls, arguments=[*args, *kwargs.values()], line=getattr(node, "lineno", 0))
    bases = cls.base_names()
    if any(each.endswith("DataLoader") for each in bases) and cls.find("__iter__") is None:
        return _own_loader(machine, cls, args, kwargs, node)
    if len(machine.objects) < 500:  # noqa: PLR2004
        machine.objects.append(made)
    init = cls.find("__init__")
    if isinstance(init, Func):
        bound = Func(init.node, init.scope, made, init.defaults)
        call_function(machine, bound, args, kwargs, node)
        return made
    marks = {
        machine.source.text_of(each).partition("(")[0].rpartition(".")[2]
        for each in cls.node.decorator_list
    }
    if (
        marks & _DATACLASSES
        or set(bases) & _DATACLASSES
        or any("Arguments" in each for each in bases)
    ):
        fill_dataclass(made, cls, args, kwargs)
    return made


def _own_loader(
    machine: Machine, cls: Class, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    """Follow the `super().__init__(...)` of a subclass of DataLoader."""
    init = cls.find("__init__")
    text = machine.source.text_of(node)
    line = getattr(node, "lineno", 0)
    if not isinstance(init, Func):
        made = Made("torch.utils.data.DataLoader", args, kwargs, text, line=line)
        return machine.add_loader(made, node)
    holder = Obj(cls, line=line)
    call_function(machine, Func(init.node, init.scope, holder, init.defaults), args, kwargs, node)
    passed = holder.attributes.get("super().__init__")
    if isinstance(passed, Made):
        return machine.add_loader(passed, node)
    return machine.unknown(node)


def fill_dataclass(made: Obj, cls: Class, args: list[Value], kwargs: dict[str, Value]) -> None:
    """Give an object its fields: what is passed, else the defaults of the class."""
    names = [
        each.target.id
        for each in cls.node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    ]
    for name, value in zip(names, args, strict=False):
        made.attributes[name] = value
    made.attributes.update(kwargs)
    for name, value in cls.attributes.items():
        if isinstance(value, Func) or name in made.attributes:
            continue
        if isinstance(value, Made) and value.short in {"Field", "field", "Option"}:
            made.attributes[name] = arguments.typer_default(value)
        elif isinstance(value, Const):
            words = f"default of {cls.name}.{name}"
            made.attributes[name] = Const(constant(value), words, line=value.line)
