"""The licence of everything that the site hands out: dist/licenses/, and a part of the single file.

A wheel carries its own texts. What carries none, Pyodide's npm package and the crates inside
pydantic-core, has its texts in web/licenses/. Nothing may be handed out without: a package, a part
or a crate that has no text stops the build.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader

from web.make import bundle, crates, engine, pins
from web.make.failure import BuildError
from web.make.places import Places
from web.make.policy import CONTENT_SECURITY_POLICY

FOLDER: Final = "licenses"
_TEXT: Final = re.compile(r"[^/]+\.dist-info/(licenses/.+|(LICEN[CS]E|COPYING|NOTICE)[^/]*)")
_SOURCES: Final = ("source", "source code", "repository", "homepage", "home")
_UNKNOWN: Final = "see its text"


@dataclass(frozen=True, slots=True)
class Part:
    """Something that the site hands out, made by others or by us, and the text of its licence."""

    name: str
    version: str
    licence: str
    source: str
    file: str
    text: str
    why: str = ""


def write(places: Places, site: Path, assets: str) -> None:
    """Write every text and the page that lists them into the site.

    Args:
        places: the build's folders.
        site: the folder of the finished site.
        assets: the folder of styles, seen from there, with a slash at its end.
    """
    found = parts(places)
    folder = site / FOLDER
    folder.mkdir()
    for part in found:
        (folder / part.file).write_bytes(part.text.encode())
    template = templates(places).get_template(f"{FOLDER}.html")
    html = template.render(
        parts=found, to="", assets=f"../{assets}", policy=CONTENT_SECURITY_POLICY
    )
    (folder / "index.html").write_bytes(html.encode())


def inside(places: Places) -> str:
    """Return the list with every text below it, as a part of a page."""
    found = parts(places)
    names: dict[str, list[str]] = {}
    for part in found:
        names.setdefault(part.file, []).append(part.name)
    return (
        templates(places)
        .get_template(f"{FOLDER}_inside.html")
        .render(
            parts=found,
            to="#licence-",
            names=names,
            texts={part.file: part.text for part in found},
        )
    )


def templates(places: Places) -> Environment:
    """Return what renders the pages of this module."""
    loader = FileSystemLoader(places.root / "web" / "templates")
    return Environment(loader=loader, autoescape=True, trim_blocks=True)


def parts(places: Places) -> list[Part]:
    """Return everything that is handed out, ours first.

    Raises:
        BuildError: something has no licence text.
    """
    locked = json.loads(places.frozen.read_text("utf-8"))["packages"]
    wheels = bundle.chosen(places)
    found = [of_wheel(locked[name]["version"], files) for name, files in wheels.items()]
    found.sort(key=lambda part: (part.name != engine.NAME, part.name.lower()))
    return [*found, *of_runtime(places), *of_crates(places, wheels)]


def of_wheel(version: str, files: Mapping[str, bytes]) -> Part:
    """Return what a wheel says of itself."""
    (metadata,) = (data for name, data in files.items() if name.endswith(".dist-info/METADATA"))
    told = message_from_bytes(metadata)
    name = pins.normalise(told["Name"])
    texts = [data.decode("utf-8") for path, data in sorted(files.items()) if _TEXT.fullmatch(path)]
    if not any(text.strip() for text in texts):
        raise BuildError(
            f"{told['Name']} {version} carries no licence text; put it into web/licenses"
        )
    return Part(name, version, licence(told), source(told), f"{name}.txt", "\n\n".join(texts))


def licence(told: Message) -> str:
    """Return the licence's name as a package's metadata give it, the newest field first."""
    stated = told["License-Expression"] or told["License"]
    classified = [
        line.rpartition(" :: ")[2]
        for line in told.get_all("Classifier", [])
        if line.startswith("License :: ")
    ]
    return str(stated or next(iter(classified), _UNKNOWN))


def source(told: Message) -> str:
    """Return where a package's source is, or its page."""
    rows = (line.partition(", ") for line in told.get_all("Project-URL", []))
    named = {label.lower(): url for label, _, url in rows}
    return next((named[label] for label in _SOURCES if label in named), told["Home-Page"] or "")


def of_runtime(places: Places) -> Iterator[Part]:
    """Yield what Pyodide's own files are made of, as it was looked up for the pinned package."""
    folder = places.root / "web" / FOLDER
    table = tomllib.loads((folder / "runtime.toml").read_text("utf-8"))
    pinned = pins.runtime(places.pyproject).npm
    if table["pyodide"] != pinned:
        raise BuildError(
            f"web/{FOLDER}/runtime.toml says what {table['pyodide']} is made of, not {pinned}"
        )
    for row in table["part"]:
        try:
            text = (folder / row["text"]).read_text("utf-8")
        except OSError as error:
            raise BuildError(f"{row['name']} has no licence text", because=str(error)) from None
        kept = {key: row[key] for key in ("name", "version", "licence", "source", "why")}
        yield Part(file=row["text"], text=text, **kept)


def of_crates(places: Places, wheels: Mapping[str, Mapping[str, bytes]]) -> Iterator[Part]:
    """Yield the Rust crates that wheels list as parts of theirs; their texts stand in one file."""
    known = crates.read(places.root / "web" / FOLDER / "rust.toml")
    listed = {crate for files in wheels.values() for crate in crates.listed(files)}
    if not listed:
        return
    library = crates.Crate("std", "", "https://github.com/rust-lang/rust")
    for crate in [*sorted(listed), library]:
        yield Part(
            name=crate.name,
            version=crate.version,
            licence=crates.licence(known, crate.name),
            source=crate.source,
            file="rust.txt",
            text=crates.told(known),
            why="Rust, compiled into pydantic-core.",
        )
