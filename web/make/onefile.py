"""The whole calculator in one file, which works where it is opened as a file and without a network.

It is the finished first page with its styles and scripts inside, the scripts joined, and with the
browser's Python as text at its end (carried.py). Its policy allows exactly these scripts and
styles, by their hashes, and no connection at all.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from calculator import link, presets
from web.make import carried, joined
from web.make.failure import BuildError
from web.make.places import Places

NAME: Final = "shm-sizer.html"
BUDGET: Final = 12_000_000
"""Bytes that the file may have."""

_OWN: Final = Path(__file__).resolve().parents[1] / "onefile"
_SOURCES: Final = _OWN.parent / "js"
_MODULES: Final = ("pyodide.mjs", "pyodide.asm.mjs")
_NAMED: Final = ("ahead.js", "local.js")
"""Scripts that a page names for itself: of no use here."""
_BESIDE: Final = ("local", "take")
"""Paragraphs for pages that have other files beside them."""

_LICENCES: Final = """<details class="screen" id="licences">
<summary>Licences of what this file is made of</summary>
<div id="licences-inside"><p>Their texts are packed, and unpacked by JavaScript.</p></div>
</details>
"""
"""In place of a link to them."""

_POLICY: Final = (
    "default-src 'none'; script-src {scripts} 'wasm-unsafe-eval'; worker-src blob:; "
    "style-src {styles}; img-src data:; base-uri 'none'; form-action 'none'"
)
_META: Final = re.compile(r'(<meta http-equiv="Content-Security-Policy" content=")[^"]*(">)')
_SCRIPT: Final = re.compile(r'<script\b([^>]*?) src="([^"]+)"([^>]*)></script>\n?')
_LINK: Final = re.compile(r"<link\b([^>]*)>\n?")
_ATTRIBUTE: Final = re.compile(r'([\w-]+)="([^"]*)"')
_HOME: Final = re.compile(r'href="(?:\./|index\.html)"')
_PRESET: Final = re.compile(r'href="p/([\w.-]+)\.html"')
_ABSOLUTE: Final = re.compile(r"#|data:|https?://")


def write(places: Places, site: Path) -> None:
    """Write the file into the finished site.

    Raises:
        BuildError: it is over its budget, or something in the page would still be fetched.
    """
    page = Inside(site).page()
    _check(page)
    thread = joined.inside("inside.js", _finder(_SOURCES, places.python), foreign=_MODULES)
    files = "".join([*carried.python(places, thread), *carried.licences(places)])
    content = _replaced("</body>", lambda _: f"{files}</body>", page).encode()
    if len(content) > BUDGET:
        raise BuildError(f"{NAME} has {len(content):,} bytes, its budget is {BUDGET:,}")
    (site / NAME).write_bytes(content)


# ---------------------------------------------------------------- the page


class Inside:
    """The first page of a site, with what it names beside itself put into it."""

    def __init__(self, site: Path) -> None:
        """Take the finished site."""
        self.site = site
        self.scripts: list[str] = []
        self.styles: list[str] = []

    def page(self) -> str:
        """Return the page."""
        page = (self.site / "index.html").read_text("utf-8")
        for name in _BESIDE:
            page = _replaced(rf'<p\b[^>]* id="{name}".*?</p>\n', lambda _: "", page)
        page = _SCRIPT.sub(self._script, page)
        page = _replaced(r'<p\b[^>]* id="licences".*?</p>\n', self._licences, page)
        page = _LINK.sub(self._link, page)
        page = _HOME.sub('href="#"', page)
        page = _PRESET.sub(_picked, page)
        policy = _POLICY.format(scripts=" ".join(self.scripts), styles=" ".join(self.styles))
        return _replaced(
            _META.pattern, lambda found: html.escape(policy).join(found.groups()), page
        )

    def _script(self, found: re.Match[str]) -> str:
        before, address, after = found.groups()
        path = self.site / address
        if path.name in _NAMED:
            return ""
        if 'type="module"' in before + after:
            text, kind = joined.inside(path.name, _finder(_SOURCES)), ' type="module"'
        else:
            text, kind = path.read_text("utf-8"), ""
        return self._inline(text, kind)

    def _licences(self, found: re.Match[str]) -> str:
        del found
        script = joined.inside("licences.js", _finder())
        return _LICENCES + self._inline(script, ' type="module"')

    def _inline(self, script: str, kind: str) -> str:
        text = joined.inline(script)
        self.scripts.append(_hash(text))
        return f"<script{kind}>{text}</script>\n"

    def _link(self, found: re.Match[str]) -> str:
        values = dict(_ATTRIBUTE.findall(found.group(1)))
        path = self.site / values["href"]
        if values["rel"] == "stylesheet":
            text = joined.inline(path.read_text("utf-8"))
            self.styles.append(_hash(text))
            return f"<style>{text}</style>\n"
        if values["rel"] == "icon" and path.suffix == ".svg":
            content = base64.b64encode(path.read_bytes()).decode()
            return f'<link rel="icon" href="data:image/svg+xml;base64,{content}">\n'
        return found.group() if _ABSOLUTE.match(values["href"]) else ""


def _picked(found: re.Match[str]) -> str:
    """Have a link to a workload's page name the workload instead."""
    workload = presets.load(found.group(1)).workload
    return f'href="#{html.escape(link.write(workload))}"'


def _replaced(pattern: str, by: Callable[[re.Match[str]], str], text: str) -> str:
    """Replace what is there once."""
    text, count = re.subn(pattern, by, text, flags=re.DOTALL)
    if count != 1:
        raise BuildError(f"{NAME}: the page holds {pattern} {count} times, not once")
    return text


def _hash(text: str) -> str:
    """Return how a policy names a script or style that stands in the page."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


class _Addresses(HTMLParser):
    """Finds addresses that lead to something beside the page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the tag's addresses."""
        del tag
        for key, value in attrs:
            if key in {"href", "src", "srcset", "action"} and not _ABSOLUTE.match(value or ""):
                self.found.append(str(value))


def _check(page: str) -> None:
    addresses = _Addresses()
    addresses.feed(page)
    found = [*addresses.found, *re.findall(r"url\((?!#)[^)]*\)|@import[^;]*", page)]
    if found:
        raise BuildError(f"{NAME} would look beside itself for {', '.join(found)}")


# ---------------------------------------------------------------- its scripts


def _finder(*folders: Path) -> Callable[[str], str]:
    """Return what gives a module's text: the single file's own wins over all others."""

    def find(name: str) -> str:
        for folder in (_OWN, *folders):
            if (folder / name).is_file():
                return (folder / name).read_text("utf-8")
        raise BuildError(f"{NAME}: there is no module {name}")

    return find
