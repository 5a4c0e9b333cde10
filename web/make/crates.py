"""The Rust crates inside a compiled module: what its wheel lists, and their licences.

A wheel made with cargo carries a list of its crates (CycloneDX, PEP 770), but no text of theirs.
The texts are in web/licenses/rust.toml, each once, with the crates that it belongs to.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from web.make.failure import BuildError


@dataclass(frozen=True, slots=True, order=True)
class Crate:
    """One crate of a compiled module."""

    name: str
    version: str
    source: str


@dataclass(frozen=True, slots=True)
class Text:
    """A licence text; `crates` are those that it belongs to, with the release it was read from."""

    licence: str
    crates: Mapping[str, str]
    text: str


def read(file: Path) -> Sequence[Text]:
    """Read the table of texts."""
    rows = tomllib.loads(file.read_text("utf-8"))["text"]
    return [Text(row["licence"], row["crates"], row["text"]) for row in rows]


def listed(files: Mapping[str, bytes]) -> Iterator[Crate]:
    """Yield the crates that a wheel lists; tools that only ran while it was built are left out."""
    for name, data in files.items():
        if ".dist-info/sboms/" in name and name.endswith(".cyclonedx.json"):
            for each in json.loads(data)["components"]:
                if each["scope"] == "required" and each["purl"].startswith("pkg:cargo/"):
                    yield Crate(each["name"], each["version"], _source(each))


def _source(listed: Mapping[str, Any]) -> str:
    """Return where a crate's source is kept, or nothing."""
    places = listed.get("externalReferences", [])
    return next((place["url"] for place in places if place["type"] == "vcs"), "")


def licence(known: Sequence[Text], name: str) -> str:
    """Return under which licence we hand out a crate.

    Raises:
        BuildError: no text is known for it.
    """
    for text in known:
        if name in text.crates:
            return text.licence
    raise BuildError(f"web/licenses/rust.toml has no licence text for the Rust crate {name}")


def told(known: Sequence[Text]) -> str:
    """Return all texts as one, each after the crates that it belongs to."""
    line = "-" * 78
    return "\n".join(
        f"{line}\n{', '.join(text.crates)}\n({text.licence})\n{line}\n\n{text.text}"
        for text in known
    )
