"""What a comment behind an assignment says of the value."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from calculator.readers.code import loops
from calculator.readers.code.values import Made, Tensor, Unknown, Value

if TYPE_CHECKING:
    from calculator.readers.code.machine import Machine

_NAMED_LIKE_A_CLASS: Final = re.compile(r"(?:[\w.]*\.)?(?:[A-Z]\w*|\w*[dD]ataset)(?=\(|$)")
_ARRAYS: Final = ("Tensor", "Parameter", "Variable")


def commented(machine: Machine, node: ast.stmt, value: Value) -> Value:
    """Take the shape of an unknown value from the comment behind it; not that of a dataset."""
    if _is_object(value):
        return value
    if isinstance(value, Unknown | Made) or (isinstance(value, Tensor) and value.dims is None):
        hint = machine.source.comments.get(node.lineno)
        found = loops.shape_in_comment(hint) if hint else None
        if found is not None:
            dims, dtype, varies = found
            lib = value.lib if isinstance(value, Tensor) else "torch"
            known = value.dtype if isinstance(value, Tensor) else None
            return Tensor(dims, dtype or known, lib, varies=varies, line=node.lineno)
    return value


def _is_object(value: Value) -> bool:
    """Tell whether a call made something that is no array, going by its name."""
    text = value.name if isinstance(value, Made) else getattr(value, "text", "")
    found = _NAMED_LIKE_A_CLASS.match(text)
    return found is not None and not found[0].endswith(_ARRAYS)
