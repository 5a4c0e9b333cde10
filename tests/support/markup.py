"""Pages as a reader without a browser sees them: ids, links, and the text of each element."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

_VOID = {"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


@dataclass
class Element:
    """An element with its attributes and everything inside of it."""

    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text inside, blanks and line breaks as one space."""
        return " ".join("".join(self._pieces()).split())

    def _pieces(self) -> list[str]:
        pieces: list[str] = []
        for child in self.children:
            pieces += [child] if isinstance(child, str) else child._pieces()
        return pieces

    def all(self, tag: str = "", name: str = "") -> list[Element]:
        """Return the elements inside with this tag and class, in the page's order."""
        found: list[Element] = []
        for child in self.children:
            if isinstance(child, Element):
                is_it = tag in ("", child.tag) and (not name or name in child.classes)
                found += [child] if is_it else []
                found += child.all(tag, name)
        return found

    @property
    def classes(self) -> list[str]:
        """The element's classes."""
        return self.attributes.get("class", "").split()

    def by_id(self, name: str) -> Element:
        """Return the one element of this id."""
        (found,) = [each for each in self.all() if each.attributes.get("id") == name]
        return found


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {key: value or "" for key, value in attrs})
        self.open[-1].children.append(made)
        if tag not in _VOID:
            self.open.append(made)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {key: value or "" for key, value in attrs})
        self.open[-1].children.append(made)

    def handle_endtag(self, tag: str) -> None:
        while len(self.open) > 1:
            if self.open.pop().tag == tag:
                return

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(page: Path) -> Element:
    """Return a page's root."""
    return parsed(page.read_text("utf-8"))


def parsed(html: str) -> Element:
    """Return the root of a page, or of a part of it."""
    builder = _Builder()
    builder.feed(html)
    return builder.root
