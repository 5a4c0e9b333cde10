"""How much of a program is read."""

from __future__ import annotations

from typing import Final

MAX_STEPS: Final = 60_000
"""Expressions and statements: enough for a script of thousands of lines."""

MAX_DEPTH: Final = 60
"""Expressions inside each other."""

MAX_CALLS: Final = 14
"""Calls inside each other."""

MAX_LOADERS: Final = 16
"""Loaders: as many as the engine takes."""


class EnoughError(Exception):
    """The program is larger than anybody needs to read."""
