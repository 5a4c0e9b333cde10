"""Methods of values that are no objects of the paste: dicts, lists, parsers, batches, tensors."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from calculator.readers.code import loaders, loops, making, tensors, transforms
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
    Seq,
    Tensor,
    Unknown,
    Value,
    constant,
)

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

_KEEPING: Final = {"append", "extend", "add", "put", "appendleft", "insert"}
"""Methods by which something outlives its turn."""

_COPIES: Final = {"clone", "to", "cuda", "item", "tolist", "mean", "sum", "size", "dim", "norm"}
"""Methods of a batch after which its shared memory is not referenced by the result."""


def call_method(
    machine: Machine,
    owner: Value,
    name: str,
    args: list[Value],
    kwargs: dict[str, Value],
    *,
    node: ast.AST,
) -> Value:
    """Return what `owner.name(...)` gives."""
    line = getattr(node, "lineno", 0)
    if name == "add_argument":
        machine.arguments.add(Made("add_argument", args, kwargs, line=line))
        return Unknown("")
    if name in {"parse_args", "parse_known_args", "parse_args_into_dataclasses"}:
        return _parsed(machine, owner, name)
    if name in _KEEPING and args and not isinstance(owner, Seq | Map | Repeat | Tensor | Batch):
        loops.keep(args[-1])
        return Const(None)
    match owner:
        case Map():
            return _of_map(machine, owner, name, args, kwargs, node=node)
        case Seq() | Repeat():
            return _of_list(machine, owner, name, args, node)
        case Batch():
            return Unknown("") if name in _COPIES else Batch(owner.loader, line=line)
        case Tensor():
            return tensors.method(owner, name, args, kwargs)
        case Obj() if name == "save_hyperparameters":
            _save_hyperparameters(machine, owner)
            return Const(None)
        case LoaderSite():
            return _of_loader(owner, name)
        case Made():
            return _of_made(machine, owner, name, args, kwargs, node=node)
        case Choice():
            options = [
                machine.call(_bound(machine, each, name, node), args, kwargs, node)
                for each in owner.options[:4]
            ]
            return Choice(options, owner.condition, owner.key, line=line)
        case Unknown() | Obj():
            return _of_unknown(machine, owner, name, args, kwargs, node=node)
        case _:
            return machine.unknown(node)


def _bound(machine: Machine, owner: Value, name: str, node: ast.AST) -> Value:
    from calculator.readers.code.attributes import attribute  # noqa: PLC0415

    place = ast.copy_location(ast.Attribute(ast.Constant(None), name, ast.Load()), node)
    return attribute(machine, owner, name, place)


def _parsed(machine: Machine, owner: Value, name: str) -> Value:
    """Return parsed arguments: a bag of names, or the dataclasses of HfArgumentParser."""
    if isinstance(owner, Made) and owner.short == "HfArgumentParser":
        classes = owner.args[0] if owner.args else None
        entries = classes.items if isinstance(classes, Seq) else [classes] if classes else []
        made = [machine.call(each, [], {}, ast.Constant(None)) for each in entries]
        return Seq(made, "tuple")
    if isinstance(owner, Made | Unknown | Ref):
        found: Value = machine.arguments.parsed()
        return Seq([found, Unknown("")], "tuple") if name == "parse_known_args" else found
    return Unknown("")


def _save_hyperparameters(machine: Machine, owner: Obj) -> None:
    init = owner.cls.find("__init__") if owner.cls else None
    if isinstance(init, Func):
        names = [each.arg for each in init.node.args.args[1:]]
        known = {name: machine.hyper[name] for name in names if name in machine.hyper}
        owner.attributes["hparams"] = Obj(None, known)


# ---------------------------------------------------------------- dicts and lists


def _of_map(
    machine: Machine,
    owner: Map,
    name: str,
    args: list[Value],
    kwargs: dict[str, Value],
    *,
    node: ast.AST,
) -> Value:
    key = constant(args[0]) if args else None
    match name:
        case "update":
            changes = dict(kwargs)
            if args and isinstance(args[0], Map):
                changes.update(args[0].items)
            for each, value in changes.items():
                owner.items[each] = machine.assigned(
                    owner.items.get(each, Const(None, "absent")), value
                )
        case "get" | "pop" | "setdefault" if isinstance(key, str | int):
            if key in owner.items:
                return owner.items[key]
            default = args[1] if len(args) > 1 else Const(None)
            if name == "setdefault":
                owner.items[key] = default
            return default
        case "items":
            pairs: list[Value] = [
                Seq([Const(key), each], "tuple") for key, each in owner.items.items()
            ]
            return Seq(pairs)
        case "values":
            return Seq(list(owner.items.values()))
        case "keys":
            return Seq([Const(key) for key in owner.items])
        case "copy":
            return Map(dict(owner.items), line=owner.line)
        case _:
            return machine.unknown(node)
    return Const(None)


def _of_list(
    machine: Machine, owner: Seq | Repeat, name: str, args: list[Value], node: ast.AST
) -> Value:
    if name in {"append", "extend", "insert", "appendleft"} and args:
        added = args[-1]
        loops.keep(added)
        if isinstance(owner, Seq) and name == "append" and len(owner.items) < 200:  # noqa: PLR2004
            owner.items.append(added)
        return Const(None)
    if name in {"copy", "tolist"}:
        return owner
    return machine.unknown(node)


# ---------------------------------------------------------------- everything else


def _of_loader(owner: LoaderSite, name: str) -> Value:
    if name in {"__iter__", "make_iter", "prefetch", "with_length", "with_epoch", "batched"}:
        return owner
    if name in {"one_batch", "__next__", "next"}:
        owner.takes += 1
        return Batch(owner)
    return Unknown("")


def _of_made(
    machine: Machine,
    owner: Made,
    name: str,
    args: list[Value],
    kwargs: dict[str, Value],
    *,
    node: ast.AST,
) -> Value:
    line = getattr(node, "lineno", 0)
    made = Made(f"{owner.name}.{name}", args, kwargs, machine.source.text_of(node), line=line)
    if owner.name == "super":
        return _of_super(machine, made, name)
    if name in {"next", "__next__"}:
        return Batch(loops.loaders_in(owner)[0]) if loops.loaders_in(owner) else Unknown("")
    if name in {"prepare", "prepare_data_loader", "setup_dataloaders", "setup"}:
        if len(args) == 1:
            return args[0]
        return Seq(args, "tuple", line=line)
    if name == "train" and owner.short in {"YOLO", "RTDETR"}:
        return machine.add_loader(made, node, "yolo")
    if name == "dataloaders":
        made.args.append(owner)
    if name == "DataLoader" or name.endswith(("dataloaders", "databunch")):
        found = loaders.made_loader(machine, made, node)
        if found is not None:
            return found
    if name in {
        "batch",
        "batched",
        "shuffle",
        "map",
        "decode",
        "to_tuple",
        "select",
        "with_transform",
    }:
        made.args.insert(0, owner)
        return made
    if name in {"__call__", "forward"} and args:
        return transforms.apply(machine, owner, args, kwargs)
    if owner.short in {"PIL", "open"} or owner.name.startswith("PIL."):
        return tensors.method(Tensor(None, "uint8", "pil"), name, args, kwargs)
    return made


def _of_super(machine: Machine, made: Made, name: str) -> Value:
    """`super().__init__(...)` of a subclass of DataLoader says how the loader is set up."""
    target = machine.self_of_frame()
    if name == "__init__" and isinstance(target, Obj) and target.cls is not None:
        made.name = "torch.utils.data.DataLoader"
        target.attributes["super().__init__"] = made
        for base in target.cls.bases:
            init = base.find("__init__") if isinstance(base, Class) else None
            if isinstance(init, Func):
                bound = Func(init.node, init.scope, target, init.defaults)
                return machine.call(bound, made.args, made.kwargs, ast.Constant(None))
    if isinstance(target, Obj) and target.cls is not None:
        for base in target.cls.bases:
            found = base.find(name) if isinstance(base, Class) else None
            if isinstance(found, Func):
                bound = Func(found.node, found.scope, target, found.defaults)
                return machine.call(bound, made.args, made.kwargs, ast.Constant(None))
    return Unknown("")


def _of_unknown(
    machine: Machine,
    owner: Value,
    name: str,
    args: list[Value],
    kwargs: dict[str, Value],
    *,
    node: ast.AST,
) -> Value:
    text = owner.text if isinstance(owner, Unknown) else ""
    line = getattr(node, "lineno", 0)
    if name == "prepare" and args:
        return args[0] if len(args) == 1 else Seq(args, "tuple", line=line)
    made = Made(f"{text or 'object'}.{name}", args, kwargs, machine.source.text_of(node), line=line)
    found = loaders.made_loader(machine, made, node)
    if found is not None:
        return found
    if "transform" in text or "aug" in text or "transform" in name:
        return transforms.apply(machine, made, args, kwargs)
    if "token" in text or "token" in name:
        return making.tokenized(made)
    if tensors.is_tensor_method(name):
        return tensors.method(Tensor(None), name, args, kwargs)
    if isinstance(owner, Unknown) and owner.machine:
        return owner
    return machine.unknown(node)
