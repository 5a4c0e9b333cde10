"""What a link to a source is called: short enough for running text, and no two sources alike.

An answer names its sources by their addresses; their titles stand in `facts/sources.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

from markupsafe import Markup

from calculator import resources

_NUMBERED: Final = re.compile(r"\d{3}")
"""An issue or a change: its number says enough."""
_SHORTER: Final = {" documentation": " docs", " pull request": " PR"}
_LINK: Final = Markup('<a class="cite" href="{url}"{title}>{label}</a>')


def cited(name: str) -> Markup:
    """Return a link to a source, named after it; its whole title is the tooltip.

    Args:
        name: its key in `facts/sources.toml`, or its address. An address that is not there is
            named after its host.
    """
    source = resources.table("facts", "sources").get(name) or _by_url().get(name)
    if source is None:
        return _LINK.format(url=name, title="", label=urlsplit(name).hostname or name)
    title = Markup(' title="{}"').format(source["title"])
    return _LINK.format(url=source["url"], title=title, label=label(source))


def label(source: Mapping[str, Any]) -> str:
    """Return a source's own label, or what its title begins with."""
    if "label" in source:
        return str(source["label"])
    head, colon, rest = str(source["title"]).partition(": ")
    for long, short in _SHORTER.items():
        head = head.replace(long, short)
    if not colon or _NUMBERED.search(head):
        return head
    return f"{head}: {rest.partition(',')[0]}"


@cache
def _by_url() -> dict[str, dict[str, str]]:
    """Return the sources by address; of several with one address the first."""
    found: dict[str, dict[str, str]] = {}
    for source in resources.table("facts", "sources").values():
        found.setdefault(source["url"], source)
    return found
