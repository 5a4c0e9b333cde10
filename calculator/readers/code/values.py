"""What an expression of pasted code stands for, as far as reading it tells; nothing is run."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, field
from typing import Any, Final

MAX_BASES: Final = 20
"""Classes above a class that are looked at."""

Dims = tuple[int | None, ...]
"""Dimensions of a tensor; None is one that is not known."""


@dataclass(eq=False, kw_only=True)
class Value:
    """A value, and the line it was written in."""

    line: int = 0


@dataclass(eq=False)
class Const(Value):
    """A number, a text, True, False or None.  `by_default`: a default that others may override."""

    value: Any
    by_default: str = ""


@dataclass(eq=False)
class Unknown(Value):
    """Nobody but the running program knows; `upper` is the most it can be.

    `machine` says that it depends on the machine the program runs on.
    """

    text: str = ""
    upper: int | None = None
    machine: bool = False


@dataclass(eq=False)
class Choice(Value):
    """One of several values, by a condition; choices of one condition go together."""

    options: list[Value]
    condition: str
    key: object = None


@dataclass(eq=False)
class Seq(Value):
    """A list or a tuple with known entries."""

    items: list[Value]
    kind: str = "list"


@dataclass(eq=False)
class Repeat(Value):
    """A sequence of entries that are alike, such as the samples of a batch."""

    item: Value
    count: int | None = None


@dataclass(eq=False)
class Map(Value):
    """A dict with known keys."""

    items: dict[Any, Value] = field(default_factory=dict)


@dataclass(eq=False)
class Ref(Value):
    """Something imported or built in, by its full name."""

    name: str


@dataclass(eq=False)
class Func(Value):
    """A function of the paste, or a method with the object it belongs to."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    owner: Value | None = None
    defaults: dict[str, Value] = field(default_factory=dict)


@dataclass(eq=False)
class Class(Value):
    """A class of the paste."""

    node: ast.ClassDef
    bases: list[Value]
    scope: Scope
    attributes: dict[str, Value] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name."""
        return self.node.name

    def base_names(self) -> list[str]:
        """Return the last names of everything it derives from."""
        found: list[str] = []
        for base in self.bases:
            if isinstance(base, Class) and base is not self:
                found += [base.name, *(base.base_names() if len(found) < MAX_BASES else ())]
            elif isinstance(base, Ref):
                found.append(base.name.rpartition(".")[2])
        return found

    def find(self, name: str, depth: int = 0) -> Value | None:
        """Return an attribute of the class or of a base."""
        if name in self.attributes:
            return self.attributes[name]
        for base in self.bases:
            if isinstance(base, Class) and depth < MAX_BASES:
                found = base.find(name, depth + 1)
                if found is not None:
                    return found
        return None


@dataclass(eq=False)
class Obj(Value):
    """An object: of a class of the paste, or a bag of names such as parsed arguments."""

    cls: Class | None = None
    attributes: dict[str, Value] = field(default_factory=dict)
    arguments: list[Value] = field(default_factory=list)


@dataclass(eq=False)
class Made(Value):
    """What a call of something imported gave: its full name and what it was called with."""

    name: str
    args: list[Value]
    kwargs: dict[str, Value]
    text: str = ""

    @property
    def short(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]

    def get(self, name: str, position: int | None = None) -> Value | None:
        """Return one argument, by its keyword or its position."""
        if name in self.kwargs:
            return self.kwargs[name]
        if position is not None and position < len(self.args):
            return self.args[position]
        return None


@dataclass(eq=False)
class Tensor(Value):
    """A tensor, an array or an image.

    Attributes:
        dims: its shape; None where not even the number of dimensions is known.
        dtype: PyTorch's name; None where it is not known.
        lib: "torch", "numpy" or "pil"; images of the latter two are height x width x channels.
        whole: shape of the storage, where this is a view of a larger one.
        resident: it lives in the dataset itself.
        varies: samples differ; the dims are those of the largest.
        float64: NumPy made it float64 because nothing else was asked for.
        crops: pieces that one sample becomes.
        channels_assumed: the number of channels is not in the paste.
    """

    dims: Dims | None = None
    dtype: str | None = None
    lib: str = "torch"
    whole: Dims | None = None
    resident: bool = False
    varies: bool = False
    float64: bool = False
    crops: int = 1
    channels_assumed: bool = False


@dataclass(eq=False)
class LoaderSite(Value):
    """A call that makes a loader, and what the rest of the paste does with it."""

    call: Made
    name: str | None = None
    kind: str = "torch"
    named_by_function: bool = False
    breaks: int = 0
    takes: int = 0
    kept: int = 0
    iterated: bool = False


@dataclass(eq=False)
class Batch(Value):
    """What a loop over a loader takes out of it, whole or in part."""

    loader: LoaderSite


class Scope:
    """Names and what they stand for, inside a function or a class or the module."""

    def __init__(self, parent: Scope | None = None) -> None:
        self.names: dict[str, Value] = {}
        self.parent = parent
        self.parameters: dict[str, Value] = {}
        self.owner: Value | None = None

    def find(self, name: str) -> Value | None:
        """Look a name up, here and around."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None


ABSENT = Const(None)
"""Stands for an argument that one branch gives and the other does not."""


def constant(value: Value | None) -> Any:
    """Return what a constant is; None for everything else."""
    return value.value if isinstance(value, Const) else None


def whole(value: Value | None) -> int | None:
    """Return a whole number, or None."""
    found = constant(value)
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    if isinstance(found, int):
        return found  # of any length: one that is too long for a float is whole too
    return int(found) if math.isfinite(found) and found == int(found) else None


def numbers(value: Value | None) -> Dims | None:
    """Return the whole numbers of a tuple or list; None where it is none."""
    if isinstance(value, Seq):
        return tuple(whole(each) for each in value.items)
    if isinstance(value, Made) and value.short in {"Size", "tuple", "list"} and value.args:
        return numbers(value.args[0])
    return None


def last(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]
