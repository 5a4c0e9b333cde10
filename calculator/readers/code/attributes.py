"""What `value.name` stands for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from calculator.readers.code import tensors
from calculator.readers.code.values import (
    Batch,
    Choice,
    Class,
    Func,
    LoaderSite,
    Made,
    Map,
    Obj,
    Ref,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine


def attribute(machine: Machine, owner: Value, name: str, node: ast.Attribute) -> Value:
    """Return an attribute of a value; what is not known of it keeps its text."""
    text = machine.source.text_of(node)
    match owner:
        case Ref() if owner.name.endswith("FLAGS") and name in machine.arguments.found:
            return machine.arguments.found[name]
        case Ref():
            return Ref(f"{owner.name}.{name}", line=node.lineno)
        case Obj():
            found = _of_object(machine, owner, name, node) or machine.loader_named(name)
            if found is not None:
                return found
        case Class():
            found = owner.find(name)
            if isinstance(found, Func):
                return Func(found.node, found.scope, owner, found.defaults, line=node.lineno)
            if found is not None:
                return found
        case Map() if name in owner.items:
            return owner.items[name]
        case Made() if name in owner.kwargs and not owner.short[:1].islower():
            return owner.kwargs[name]
        case Made() if name in owner.kwargs and owner.short in {"edict", "easydict"}:
            return owner.kwargs[name]
        case Map() | Batch() | Made() | LoaderSite():
            return Method(owner, name, text, line=node.lineno)
        case Choice() if all(isinstance(each, Obj | Map) for each in owner.options):
            options = [attribute(machine, each, name, node) for each in owner.options]
            return Choice(options, owner.condition, owner.key, line=node.lineno)
        case Unknown() if name in machine.arguments.found and name not in _METHODS:
            return machine.arguments.found[name]
        case _:
            pass
    return tensors.attribute(owner, name) or Method(owner, name, text, line=node.lineno)


_METHODS: Final = frozenset({"get", "update", "items", "keys", "values", "pop", "append", "data"})


class Method(Value):
    """A method of something that is no object of the paste."""

    def __init__(self, owner: Value, name: str, text: str = "", *, line: int = 0) -> None:
        super().__init__(line=line)
        self.owner = owner
        self.name = name
        self.text = text


def _of_object(machine: Machine, owner: Obj, name: str, node: ast.Attribute) -> Value | None:
    if name in owner.attributes:
        return owner.attributes[name]
    found = owner.cls.find(name) if owner.cls else None
    if isinstance(found, Func):
        method = Func(found.node, found.scope, owner, found.defaults, line=node.lineno)
        marks = [] if isinstance(found.node, ast.Lambda) else found.node.decorator_list
        if any("property" in machine.source.text_of(each) for each in marks):
            return machine.call(method, [], {}, node)
        return method
    if found is not None:
        return found
    if owner.cls is None and name in machine.arguments.found:
        return machine.arguments.found[name]
    if name in {"hparams", "args", "cfg", "config"} and owner.cls is not None:
        bag = machine.arguments.bag("args")
        return bag or Obj(None, dict(owner.attributes), line=node.lineno)
    if owner.cls is None:
        return None
    if name == "__dict__":
        return Map(dict(owner.attributes))
    return None
