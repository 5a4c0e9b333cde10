"""HCL's string templates, evaluated: what Nomad makes of a text, and of what came of it."""

from __future__ import annotations

import re

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}


def literal(source: str) -> str:
    """Evaluate a quoted string as it stands in a file.

    Raises:
        ValueError: a variable or a directive in it, or no quoted string at all.
    """
    if not source.startswith('"'):
        raise ValueError(f"not quoted: {source}")
    value, at = _template(source, 1, quoted=True)
    if source[at:] != '"':
        raise ValueError(f"more after the string: {source}")
    return value


def again(text: str) -> str:
    """Evaluate a text as a template, which is what Nomad does as a task starts."""
    value, at = _template(text, 0, quoted=False)
    if at != len(text):
        raise ValueError(f"more after the template: {text}")
    return value


def _template(source: str, at: int, *, quoted: bool) -> tuple[str, int]:
    value = ""
    while at < len(source):
        sign = source[at]
        if quoted and sign == '"':
            break
        if quoted and sign == "\\":
            value += _ESCAPES[source[at + 1]]
            at += 2
        elif source[at : at + 3] in {"$${", "%%{"}:
            value += source[at + 1 : at + 3]
            at += 3
        elif source[at : at + 2] == "${":
            part, at = _expression(source, at + 2)
            value += part
        elif source[at : at + 2] == "%{":
            raise ValueError(f"a directive: {source[at:]}")
        elif re.match(r"[$%]{2,}\{", source[at:]):
            raise ValueError(f"whether this escapes is not said: {source[at:]}")
        else:
            value += sign
            at += 1
    return value, at


def _expression(source: str, at: int) -> tuple[str, int]:
    """Evaluate an interpolation, which may hold nothing but a string."""
    if source[at] != '"':
        raise ValueError(f"a variable: {source[at:]}")
    value, at = _template(source, at + 1, quoted=True)
    if source[at : at + 2] != '"}':
        raise ValueError(f"more than a string: {source[at:]}")
    return value, at + 2
