"""Calls of Python's own functions and of well-known libraries."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from calculator.readers.code import arguments, arithmetic, loaders, loops, making
from calculator.readers.code.values import (
    Choice,
    Class,
    Const,
    Func,
    Made,
    Map,
    Obj,
    Ref,
    Repeat,
    Seq,
    Unknown,
    Value,
    constant,
    whole,
)

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

_CPU_COUNTS: Final = {
    "os.cpu_count", "cpu_count", "multiprocessing.cpu_count", "torch.multiprocessing.cpu_count",
    "os.sched_getaffinity", "psutil.cpu_count", "os.process_cpu_count", "num_cpus",
    "joblib.cpu_count", "torch.get_num_threads",
}  # fmt: skip
_ENVIRON: Final = {"os.environ.get", "os.getenv", "environ.get", "getenv"}
_PASSED_ON: Final = {
    "enumerate", "zip", "tqdm", "trange", "iter", "cycle", "islice", "reversed", "sorted", "auto",
    "track", "progress_bar",
}  # fmt: skip


def call_known(machine: Machine, made: Made, node: ast.AST) -> Value:
    """Return what a call by its full name gives; a record of it where nothing is known."""
    if len(machine.made) < 20_000:  # noqa: PLR2004
        machine.made.append(made)
    found = _plain(machine, made, node)
    if found is None:
        found = _of_jobs(machine, made, node)
    if found is None:
        found = loaders.made_loader(machine, made, node)
    if found is None:
        found = making.made_tensor(made)
    return made if found is None else found


def _plain(machine: Machine, made: Made, node: ast.AST) -> Value | None:
    args = made.args
    if made.name in _CPU_COUNTS:
        known = machine.given.get("cpus")
        if isinstance(known, int) and known > 0 and made.name != "os.sched_getaffinity":
            return Const(known, "the CPUs you named", line=made.line)
        return machine.unknown(node, machine=True)
    asks_ranks = made.short in {"get_world_size", "device_count"} or (
        made.name in _ENVIRON and constant(made.get("key", 0)) in {"WORLD_SIZE", "LOCAL_WORLD_SIZE"}
    )
    if asks_ranks and machine.started is not None:
        return Const(machine.started, "the processes that are started", line=made.line)
    if made.short == "device_count" or made.name == "torch.cuda.device_count":
        return machine.unknown(node, machine=True)
    if made.name in _ENVIRON:
        default = made.get("default", 1)
        if isinstance(default, Const) and default.value is not None:
            words = f"default of the variable {constant(args[0]) if args else ''}"
            return Const(default.value, words, line=made.line)
        return machine.unknown(node)
    match made.name:
        case "min" | "max":
            return arithmetic.extreme(machine, node, args, least=made.name == "min")
        case "int" | "round" | "float" | "abs" | "math.ceil" | "math.floor" | "np.ceil" if args:
            return _number(machine, made, args[0], node)
        case "bool" if args and isinstance(args[0], Const):
            return Const(bool(args[0].value), args[0].by_default, line=made.line)
        case "str" if args and isinstance(args[0], Const):
            return args[0]
        case "len" if args:
            first = args[0]
            if isinstance(first, Unknown) and first.machine:
                return first
            counted = loops.length(first)
            return counted if isinstance(counted, Const) else machine.unknown(node)
        case "dict" | "SimpleNamespace" | "types.SimpleNamespace":
            items = dict(args[0].items) if args and isinstance(args[0], Map) else {}
            return Map({**items, **made.kwargs}, line=made.line)
        case "argparse.Namespace" | "Namespace" | "easydict.EasyDict" | "EasyDict":
            return Obj(None, dict(made.kwargs), line=made.line)
        case "vars" if args and isinstance(args[0], Obj):
            return Map(args[0].attributes, line=made.line)
        case "getattr" if len(args) > 1:
            return _getattr(machine, made)
        case "list" | "tuple" | "set":
            return _list(args)
        case "super":
            return made
        case "print" | "isinstance":
            return machine.unknown(node)
        case "next" if args:
            inner = node.args[0] if isinstance(node, ast.Call) and node.args else None
            return loops.take(machine, args[0], stays=isinstance(inner, ast.Name | ast.Attribute))
        case _:
            pass
    if made.short in _PASSED_ON:
        return made
    return None


def _number(machine: Machine, made: Made, value: Value, node: ast.AST) -> Value:
    if isinstance(value, Choice):
        options = [_number(machine, made, each, node) for each in value.options]
        return Choice(options, value.condition, value.key, line=value.line)
    if isinstance(value, Unknown):
        return machine.unknown(node, value.upper, machine=value.machine)
    found = constant(value)
    if isinstance(found, str):
        try:
            found = float(found)
        except ValueError:
            return machine.unknown(node)
    if not isinstance(found, int | float) or not abs(found) <= arithmetic.LARGEST:
        return machine.unknown(node)
    by_default = value.by_default if isinstance(value, Const) else ""
    rounded = -int(-found // 1) if made.short == "ceil" else int(found)
    result = found if made.short == "float" else round(found) if made.short == "round" else rounded
    return Const(result, by_default, line=value.line or made.line)


def _getattr(machine: Machine, made: Made) -> Value:
    owner, name = made.args[0], constant(made.args[1])
    if isinstance(owner, Obj) and isinstance(name, str) and name in owner.attributes:
        return owner.attributes[name]
    if isinstance(owner, Ref) and isinstance(name, str):
        return Ref(f"{owner.name}.{name}", line=made.line)
    return made.args[2] if len(made.args) > 2 else machine.unknown(ast.Constant(None))  # noqa: PLR2004


def _list(args: list[Value]) -> Value:
    if not args:
        return Seq([])
    for loader in loops.loaders_in(args[0]):
        loader.kept += 1
    match args[0]:
        case Made() if args[0].short == "zip" and args[0].args:
            rows = args[0].args
            if len(rows) == 1 and isinstance(rows[0], Repeat):
                return transposed(rows[0])
            return Seq(loops.entries_of(args[0]))
        case Made() if args[0].short == "range":
            return Repeat(Unknown(""), whole(loops.length(args[0])))
        case _:
            return args[0]


def transposed(rows: Repeat) -> Value:
    """Return what `zip(*batch)` gives: one sequence for each part of a sample."""
    if isinstance(rows.item, Seq):
        return Seq([Repeat(each, rows.count) for each in rows.item.items], "tuple")
    return Repeat(rows, None)


# ---------------------------------------------------------------- processes and arguments


def _of_jobs(machine: Machine, made: Made, node: ast.AST) -> Value | None:
    match made.short:
        case "ArgumentParser" | "HfArgumentParser":
            return made
        case "set_start_method" | "get_context":
            method = made.get("method", 0)
            if isinstance(method, Const) and isinstance(method.value, str):
                if made.short == "set_start_method":
                    machine.start_method = method
                return Const(method.value, line=made.line)
            return machine.unknown(node)
        case "set_sharing_strategy":
            strategy = made.get("new_strategy", 0)
            if isinstance(strategy, Const):
                machine.strategy = Const(strategy.value, line=made.line)
        case "DEFINE_integer" | "DEFINE_bool" | "DEFINE_boolean" | "DEFINE_float" | "DEFINE_string":
            arguments.absl_flag(machine.arguments, made)
        case "spawn" if "multiprocessing" in made.name:
            _spawn(machine, made, node)
        case "notebook_launcher":
            count = made.get("num_processes", 2)
            machine.ranks_seen.append((whole(count), made.line, "notebook_launcher"))
            if isinstance(made.get("function", 0), Func):
                passed = made.get("args", 1)
                items = passed.items if isinstance(passed, Seq) else []
                machine.call(made.args[0], items, {}, node)
        case "field" if made.name in {"dataclasses.field", "field"}:
            return made
        case _:
            return None
    return Const(None, line=made.line)


def _spawn(machine: Machine, made: Made, node: ast.AST) -> None:
    """`mp.spawn(main, args=(...), nprocs=8)` calls main(rank, ...)."""
    count = made.get("nprocs", 2)
    machine.ranks_seen.append((whole(count), made.line, "mp.spawn"))
    target, passed = made.get("fn", 0), made.get("args", 1)
    if isinstance(target, Func | Class):
        items = passed.items if isinstance(passed, Seq) else []
        machine.call(target, [Unknown("rank"), *items], {}, node)
