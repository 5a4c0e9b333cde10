"""What is wrong with an input, one sentence per place, never a traceback."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

MAX_PATH: Final = 120
"""No path to an input is longer."""


def shown(text: str) -> str:
    """Return a text that came from outside as one line: what is not printable spelled out."""
    plain = text if text.isprintable() else repr(text)[1:-1]
    return plain if len(plain) <= MAX_PATH else f"{plain[:MAX_PATH]}..."


@dataclass(frozen=True)
class Problem:
    """One thing wrong with the input.

    `path` is dotted, list positions count from 0 (`loaders.0.batch_size`); it is empty
    where the input as a whole is meant.  What of it cannot be shown in one line is spelled
    out; more than anybody reads is cut off.
    """

    path: str
    message: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", shown(self.path))

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class InputError(ValueError):
    """The input cannot be used.  `problems` has one entry per place."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(map(str, self.problems)))

    @classmethod
    def at(cls, path: str, message: str) -> InputError:
        """An error with a single problem."""
        return cls([Problem(path, message)])


_WORDS: Final[dict[str, str]] = {
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing_size": "is too long a number",
    "finite_number": "must be a number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "string_type": "must be text",
    "string_unicode": "must be text without control characters",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "missing": "is missing",
    "extra_forbidden": "is not a known key here",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "too_short": "needs at least {min_length} entry",
    "too_long": "takes at most {max_length} entries",
    "string_too_long": "takes at most {max_length} characters",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "model_type": "must be a set of keys and values",
    "model_attributes_type": "must be a set of keys and values",
    "dict_type": "must be a set of keys and values",
}


_OF_MODELS: Final = {"loaders", "fields", "remove", "parts"}
"""Lists whose entries are inputs of their own."""


def from_validation(error: ValidationError) -> InputError:
    """Turn pydantic's report into ours, in the order of the input, one per place.

    A list that is short only because one of its items is wrong is not reported as short.
    """
    found: dict[str, Problem] = {}
    for detail in error.errors(include_url=False):
        path = ".".join(str(part) for part in _place(detail["loc"]))
        found.setdefault(path, Problem(path, _message(detail)))
    above = {parent for path in found for parent in _parents(path)}
    return InputError(problem for path, problem in found.items() if path not in above)


def _parents(path: str) -> Iterator[str]:
    """Yield the paths that a path lies below."""
    end = path.rfind(".")
    while end >= 0:
        yield path[:end]
        end = path.rfind(".", 0, end)


def _place(loc: Sequence[int | str]) -> Sequence[int | str]:
    """Drop the position inside a list of numbers: the list is one input."""
    inside = len(loc) > 1 and isinstance(loc[-1], int) and loc[-2] not in _OF_MODELS
    return loc[:-1] if inside else loc


def _message(detail: Any) -> str:
    context = detail.get("ctx", {})
    if detail["type"] == "value_error":
        return str(context["error"])
    words = _WORDS.get(detail["type"])
    return words.format(**context) if words else str(detail["msg"])
