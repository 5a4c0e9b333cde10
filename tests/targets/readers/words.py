"""Parsers that readers share: a command line, a YAML document."""

from __future__ import annotations

import shlex
from typing import Any

from ruamel.yaml import YAML


def argv(text: str) -> list[str]:
    """Return the words of a command line, comments gone."""
    return shlex.split(text.replace("\\\n", " "), comments=True)


def yaml(text: str) -> Any:
    """Parse one YAML document."""
    return YAML(typ="safe").load(text)


def documents(text: str) -> list[Any]:
    """Parse every YAML document of a file."""
    return list(YAML(typ="safe").load_all(text))
