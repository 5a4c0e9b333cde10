"""Loops, above all those over a loader: which are nested, which end early, what they keep."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from calculator.readers.code.values import (
    Batch,
    Choice,
    Const,
    Dims,
    LoaderSite,
    Made,
    Map,
    Repeat,
    Scope,
    Seq,
    Tensor,
    Unknown,
    Value,
    whole,
)

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine
    from calculator.readers.code.statements import Flow

MAX_UNROLLED: Final = 8
_WRAPPERS: Final = {
    "tqdm", "trange", "track", "iter", "cycle", "islice", "reversed", "list", "tuple",
    "MetricLogger", "log_every", "auto", "progress_bar", "ProgressBar", "master_bar",
}  # fmt: skip


def run_for(machine: Machine, node: ast.For | ast.AsyncFor, scope: Scope) -> Flow:
    """Read a loop: over few known entries one by one, else its body once."""
    over = machine.evaluate(node.iter, scope)
    loaders = loaders_in(over)
    for loader in loaders:
        start(machine, loader)
    entries = entries_of(over)
    flow = _turns(machine, node, scope, entries)
    for loader in loaders:
        machine.active.remove(loader)
        loader.breaks += int(flow.broke)
    after = machine.run(node.orelse, scope)
    flow.returned += after.returned
    flow.ended, flow.broke = False, False
    return flow


def _turns(
    machine: Machine, node: ast.For | ast.AsyncFor, scope: Scope, entries: list[Value]
) -> Flow:
    from calculator.readers.code.statements import Flow, assign  # noqa: PLC0415

    whole_flow = Flow()
    for number, entry in enumerate(entries):
        assign(machine, node.target, entry, scope)
        if len(entries) > 1:
            machine.path.append(("turn", number))
        try:
            flow = machine.run(node.body, scope)
        finally:
            if len(entries) > 1:
                machine.path.pop()
        whole_flow.returned += flow.returned
        whole_flow.broke |= flow.broke
    return whole_flow


def start(machine: Machine, loader: LoaderSite) -> None:
    """Note that a loop over a loader begins, and which others are alive then."""
    loader.iterated = True
    for other in machine.active:
        if other is not loader:
            machine.together.add((id(other), id(loader)))
    machine.active.append(loader)


def take(machine: Machine, value: Value, *, stays: bool) -> Value:
    """Return what `next(...)` gives; an iterator with a name of its own stays alive."""
    found = loaders_in(value)
    for loader in found:
        if not stays:
            loader.takes += 1
            continue
        for other in (*machine.active, *machine.iterators):
            if other is not loader:
                machine.together.add((id(other), id(loader)))
        if loader not in machine.iterators:
            machine.iterators.append(loader)
    entries = entries_of(value)
    return entries[0] if found and entries else Unknown("")


def loaders_in(over: Value) -> list[LoaderSite]:
    """Return the loaders that a loop takes its entries from."""
    match over:
        case LoaderSite():
            return [over]
        case Made() if over.short in {"enumerate", "zip", *_WRAPPERS} or "loader" in over.short:
            args = [*over.args, *over.kwargs.values()]
            return [loader for each in args[:8] for loader in loaders_in(each)]
        case Seq():
            return []
        case Choice():
            found: list[LoaderSite] = []
            for each in over.options:
                found += [loader for loader in loaders_in(each) if loader not in found]
            return found
        case _:
            return []


def entries_of(over: Value) -> list[Value]:
    """Return what the loop variable stands for, turn by turn; one entry for all if unknown."""
    match over:
        case LoaderSite():
            return [Batch(over, line=over.line)]
        case Seq() if over.items:
            return over.items[:MAX_UNROLLED]
        case Map() if over.items:
            return [Const(key, line=over.line) for key in list(over.items)[:MAX_UNROLLED]]
        case Repeat():
            return [over.item]
        case Tensor() if over.dims:
            return [Tensor(over.dims[1:], over.dtype, over.lib, resident=over.resident)]
        case Choice():
            return entries_of(over.options[0])
        case Made() if over.short == "enumerate" and over.args:
            return [Seq([Unknown(""), each], "tuple") for each in entries_of(over.args[0])]
        case Made() if over.short == "zip" and over.args:
            rows = [entries_of(each) for each in over.args]
            turns = min(map(len, rows))
            return [Seq([row[turn] for row in rows], "tuple") for turn in range(turns)]
        case Made() if over.short in _WRAPPERS and over.args:
            return entries_of(over.args[0])
        case Made() if loaders := loaders_in(over):
            return [Batch(loaders[0], line=over.line)]
        case _:
            return [Unknown("", line=over.line)]


def part_of_made(value: Made, place: int) -> Value:
    """Return one entry of an unknown result that is unpacked: what was passed in comes back."""
    if value.short == "prepare" and place < len(value.args):
        return value.args[place]
    if value.short in {"load", "read_video"} and "torch" in value.name:
        audio = value.name.startswith("torchaudio")
        if place:
            return Unknown("")
        return Tensor((None, None), "float32") if audio else Tensor(None, "uint8")
    if value.short == "random_split" and value.args:
        return value.args[0]
    if value.short == "train_test_split" and value.args:
        return value.args[min(place // 2, len(value.args) - 1)]
    return Unknown("", line=value.line)


def keep(batch: Value) -> None:
    """Note that a batch outlives its turn."""
    if isinstance(batch, Batch):
        batch.loader.kept += 1
    elif isinstance(batch, Seq | Map):
        items = batch.items if isinstance(batch, Seq) else list(batch.items.values())
        for each in items[:50]:
            if isinstance(each, Batch):
                each.loader.kept += 1


def length(value: Value) -> Value:
    """Return how many entries something has."""
    match value:
        case Seq() | Map():
            return Const(len(value.items))
        case Repeat() if value.count is not None:
            return Const(value.count)
        case Tensor() if value.dims and value.dims[0] is not None:
            return Const(value.dims[0])
        case Made() if value.short == "range" and value.args:
            stops = [whole(each) for each in value.args]
            start, stop = (0, stops[0]) if len(stops) == 1 else (stops[0], stops[1])
            step = stops[2] if len(stops) > 2 else 1  # noqa: PLR2004
            if start is not None and stop is not None and step:
                return Const(max(0, -((start - stop) // step)))
    return Unknown("")


# ---------------------------------------------------------------- comments

_SHAPE: Final = re.compile(r"[(\[]\s*(\d[\d_]{0,12}(?:\s*[,x×]\s*\d[\d_]{0,12}){0,7})\s*,?\s*[)\]]")
_TIMES: Final = re.compile(r"\b(\d{1,9}(?:\s?[x×]\s?\d{1,9}){1,6})\b")
_DTYPE: Final = re.compile(
    r"\b(float(?:16|32|64)|bfloat16|[u]?int(?:8|16|32|64)|bool|half|double|fp16|fp32|bf16)\b"
)


def shape_in_comment(text: str) -> tuple[Dims, str | None, bool] | None:
    """Return the shape that a comment states, its dtype, and whether it is a maximum."""
    found = _SHAPE.search(text) or _TIMES.search(text)
    if found is None:
        return None
    dims = tuple(int(each.replace("_", "")) for each in re.findall(r"\d[\d_]*", found[1]))
    if len(dims) == 1 and "," not in text[found.start() : found.end()]:
        return None
    if len(dims) == len("HW") and "RGB" in text:
        dims = (*dims, len("RGB"))
    dtype = _DTYPE.search(text)
    varies = bool(re.search(r"\b(?:up to|at most|max|<=|variable)", text))
    return dims, dtype[1] if dtype else None, varies


def counted(value: Value | None) -> int | None:
    """Return how often something is taken, where a number says it."""
    return whole(value) if value is not None else None
