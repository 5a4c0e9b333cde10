"""Configuration files in Python: assignments of numbers, texts, lists and `dict(...)`.

Only the syntax tree is read, as OpenMMLab, Pointcept and detectron2's lazy configs write it;
names stand for what was assigned to them above, everything else is unknown.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import Any, Final

from calculator.readers.config.interpolate import arithmetic
from calculator.readers.config.paste import Paste
from calculator.readers.config.training import read_tree
from calculator.readers.config.tree import MAX_DEPTH, MAX_NODES, Node
from calculator.readers.reading import Reading

ORDER = 80
LONGEST: Final = 200_000
_ASSIGNED: Final = re.compile(r"^[A-Za-z_][\w.]*\s*=\s*\S", re.MULTILINE)


def reads(paste: Paste) -> bool:
    """Whether it may be a Python file of settings."""
    if len(paste.text) > LONGEST or paste.is_json or not _ASSIGNED.search(paste.text):
        return False
    return (
        "dict(" in paste.text
        or "= {" in paste.text
        or "LazyCall" in paste.text
        or "L(" in paste.text
    )


def read(paste: Paste) -> Reading | None:
    """Read the assignments; None where it is no Python, or sets nothing about loaders."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(paste.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    root = Node({}, 1)
    budget = _Budget()
    for statement in module.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                _assign(root, target, budget.node(statement.value, root, 0), statement.lineno)
    framework = (
        "openmmlab" if re.search(r"dict\(\s*type=|_base_|_per_gpu", paste.text) else "python"
    )
    return read_tree(paste, root, format="python", framework=framework)


def _assign(root: Node, target: ast.expr, value: Node, line: int) -> None:
    names: list[str] = []
    while isinstance(target, ast.Attribute):
        names.append(target.attr)
        target = target.value
    if not isinstance(target, ast.Name) or len(names) > MAX_DEPTH:
        return
    names.append(target.id)
    here = root
    for name in reversed(names[1:]):
        below = here.mapping.get(name)
        if below is None or not isinstance(below.value, dict):
            below = Node({}, line)
            here.value[name] = below
        here = below
    here.value[names[0]] = value


class _Budget:
    """Turns expressions into nodes, no more of them than any file holds."""

    def __init__(self) -> None:
        self.left = MAX_NODES

    def node(self, each: ast.expr, root: Node, depth: int) -> Node:
        self.left -= 1
        if self.left < 0 or depth > MAX_DEPTH:
            return Node(None, each.lineno)
        return Node(self._value(each, root, depth), each.lineno)

    def _value(self, each: ast.expr, root: Node, depth: int) -> Any:
        match each:
            case ast.Constant(value=bool() | int() | float() | str() as value):
                found: Any = value
            case ast.Constant():
                found = None
            case ast.Name(id=name):
                found = root.mapping[name].value if name in root.mapping else f"${{{name}}}"
            case ast.List(elts=entries) | ast.Tuple(elts=entries):
                found = [self.node(entry, root, depth + 1) for entry in entries]
            case ast.Dict():
                found = {
                    str(key.value): self.node(value, root, depth + 1)
                    for key, value in zip(each.keys, each.values, strict=True)
                    if isinstance(key, ast.Constant)
                }
            case ast.Call():
                found = self._keywords(each, root, depth)
            case _:
                found = _worked_out(each, root)
        return found

    def _keywords(self, call: ast.Call, root: Node, depth: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for keyword in call.keywords:
            value = self.node(keyword.value, root, depth + 1)
            if keyword.arg is None:
                found |= value.mapping
            else:
                found[keyword.arg] = value
        return found


def _worked_out(each: ast.expr, root: Node) -> Any:
    """Return a sum or product of known numbers, else the expression as a reference nobody knows."""
    try:
        text = ast.unparse(each)[:200]
    except (RecursionError, ValueError):
        return None
    known = {name: node.scalar for name, node in root.mapping.items() if type(node.scalar) is int}
    filled = re.sub(r"[A-Za-z_]\w*", lambda match: str(known.get(match[0], match[0])), text)
    worked = arithmetic(filled)
    return f"${{{text}}}" if worked is None else worked
