"""Shell text, judged by shellcheck and taken apart by a parser of the shell's grammar."""

from __future__ import annotations

from collections.abc import Iterator
from subprocess import CompletedProcess

import bashlex
from bashlex import ast

from tests.support.components import component, run


def shellcheck(text: str, dialect: str = "sh", *, typed: bool = False) -> CompletedProcess[str]:
    """Let shellcheck judge a script down to its style; status 0 when it finds nothing.

    With `typed` it says nothing of what words look like that stand in single quotes: they
    are as a person typed them.
    """
    options = [f"--shell={dialect}", "--severity=style", "--format=gcc"]
    options += ["--exclude=SC1003,SC2016"] if typed else []
    options += ["-"]
    return run([component("shellcheck"), *options], given=text)


def commands(text: str) -> list[list[str]]:
    """Return the words of every command that a script runs, quotes and comments gone."""
    return [words for tree in bashlex.parse(text) for words in _within(tree)]


def _within(node: ast.node) -> Iterator[list[str]]:
    if node.kind == "command":
        yield [part.word for part in node.parts if part.kind == "word"]
    for part in [*getattr(node, "parts", []), *getattr(node, "list", [])]:
        yield from _within(part)
