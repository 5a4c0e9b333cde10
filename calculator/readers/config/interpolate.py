"""References between the values of one file: OmegaConf's `${a.b}`, MONAI's `@a#b`, defaults.

Sums and products of whole numbers are worked out; nothing else is evaluated.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any, Final

from calculator.readers.config.tree import Node, Path, number
from calculator.typed import MAX_BYTES

_WHOLE = re.compile(r"\$\{(?P<inner>[^${}]{1,200})\}")
_AT = re.compile(r"@(?P<id>[\w#:.]{1,200})")
_ENV = re.compile(r"(?:oc\.env:|env:)?(?P<name>\w{1,80})\s*(?:,|:-|-)\s*(?P<default>[^}]{0,80})")
_OPERATORS: Final[dict[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv, ast.Div: operator.truediv, ast.Mod: operator.mod,
}  # fmt: skip
MAX_STEPS: Final = 12
LONGEST: Final = 400
LONGEST_SUM: Final = 100


def resolve(root: Node, path: Path, node: Node, steps: int = 0) -> tuple[Any, str]:
    """Return a scalar's value and, where it cannot be known, the expression that stands there."""
    value = node.scalar
    if not isinstance(value, str) or not {"$", "@", "{"} & set(value):
        return value, ""
    if steps > MAX_STEPS or len(value) > LONGEST:
        return None, value[:120]
    text = value.strip()
    if match := _WHOLE.fullmatch(text):
        return _inside(root, path, match["inner"], steps, text)
    filled = _fill(root, path, text, steps)
    if filled is None:
        return None, text[:120]
    plain = filled.removeprefix("$").strip()
    if plain.startswith("{eval:"):
        plain = plain.removeprefix("{eval:").rstrip("}").strip("'\" ")
    worked = arithmetic(plain)
    if worked is not None:
        return worked, ""
    return (None, text[:120]) if {"$", "@"} & set(filled) else (number(filled), "")


def _fill(root: Node, path: Path, text: str, steps: int) -> str | None:
    """Put the referred values into a text; None where one of them is not known."""
    unknown = False

    def put(match: re.Match[str]) -> str:
        nonlocal unknown
        if "id" in match.groupdict():
            found, _ = _follow(root, tuple(re.split(r"#|::", match["id"])), steps)
        else:
            found, _ = _inside(root, path, match["inner"], steps, match[0])
        unknown = unknown or found is None
        return str(found)

    filled = _AT.sub(put, _WHOLE.sub(put, text)[:800])
    return None if unknown else filled


def _inside(root: Node, path: Path, inner: str, steps: int, text: str) -> tuple[Any, str]:
    inner = inner.strip()
    if "env:" in inner or ":-" in inner:
        match = _ENV.fullmatch(inner)
        return (number(match["default"].strip("'\" ")), "") if match else (None, text)
    if ":" in inner:
        name, _, rest = inner.partition(":")
        if name in {"eval", "calc", "mul", "add", "sum"}:
            worked = arithmetic(rest.strip("'\" "))
            if worked is not None:
                return worked, ""
        return None, text
    ups = len(inner) - len(inner.lstrip("."))
    base = path[: len(path) - ups] if ups else ()
    names = tuple(re.sub(r"\[(\w+)\]", r".\1", inner.lstrip(".")).split("."))
    found, why = _follow(root, (*base, *names), steps)
    return (found, "") if found is not None else (None, why or text)


def _follow(root: Node, path: Path, steps: int) -> tuple[Any, str]:
    node: Node | None = root
    for name in path:
        if node is None:
            return None, ""
        entries = node.items
        inside = name.isdigit() and int(name) < len(entries)
        node = entries[int(name)] if entries and inside else node.mapping.get(name)
    return (None, "") if node is None else resolve(root, path, node, steps + 1)


def arithmetic(text: str) -> int | float | None:
    """Work out a sum or product of numbers; None where it is anything else."""
    if len(text) > LONGEST_SUM or not re.fullmatch(r"[\d\s.()+*/%-]+", text):
        return None
    try:
        value = _work_out(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError, MemoryError):
        return None
    return value if abs(value) <= MAX_BYTES else None


def _work_out(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and type(node.value) in {int, float}:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_work_out(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_work_out(node.left), _work_out(node.right))
    raise ValueError
