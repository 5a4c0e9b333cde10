"""The words of this package, and what may be put into them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calculator import resources
from calculator.errors import shown
from calculator.recommend import Model


class Remark(Model):
    """Something a person should know about the file, whether it was changed or not."""

    id: str
    text: str
    source: str | None


def _words() -> dict[str, Any]:
    return resources.table("manifests", "words")


def say(section: str, name: str, /, **values: object) -> str:
    """Return a sentence with its values put in."""
    return _filled(_words()[section][name], values)


def warning(name: str, /, **values: object) -> Remark:
    """Return a warning of this id."""
    row = _words()["warnings"][name]
    return Remark(id=name, text=_filled(row["text"], values), source=row.get("source"))


def _filled(text: str, values: Mapping[str, object]) -> str:
    found = text.format(**{key: shown(str(value)) for key, value in values.items()})
    return found[0].upper() + found[1:] if found.startswith(("service ", "container ")) else found
