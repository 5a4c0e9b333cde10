"""The first line of every block: what made it, from facts of which day, and the link back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from calculator import __version__, resources
from calculator.errors import InputError
from calculator.link.keys import TARGET

START: Final = "From /dev/shm sizer"
"""A comment that starts with a path looks like a shebang gone wrong: ShellCheck, SC1113."""

MAX_LINK: Final = 300
"""A longer link is left out: the line is to be read, too."""

COMMENTS: Final[dict[str, str | None]] = {
    "bash": "#",
    "hcl": "#",
    "ini": "#",
    "json": None,
    "python": "#",
    "toml": "#",
    "yaml": "#",
}
"""Language of a block -> what starts a comment; None where there is none."""

_LEADING: Final = re.compile(r"#!|#cloud-config\b|# *(?:syntax|escape|check)=|<powershell>|%YAML")
"""First lines that mean something only as the first."""

_BASE: Final = re.compile(r"(?:https?://|file:///)[A-Za-z0-9._~/:%@?&=+,\[\]-]*")
MAX_BASE: Final = 200


@dataclass(frozen=True)
class Origin:
    """Where a block comes from: the link of its job, and the address of the page, or ""."""

    link: str
    base: str = ""

    def __post_init__(self) -> None:
        check_base(self.base)


def check_base(base: str) -> None:
    """Refuse an address that would not be harmless in every comment.

    Raises:
        InputError: it is no address of a web page or file, or too long.
    """
    if base and (len(base) > MAX_BASE or not _BASE.fullmatch(base)):
        raise InputError.at("base", "must be the address of a page")


def headed(text: str, language: str, origin: Origin, target: str) -> str:
    """Return a block's text with the line, where its language has comments.

    Raises:
        LookupError: nobody has said how comments start in this language.
    """
    if language not in COMMENTS:
        raise LookupError(f"no comment sign is known for the language {language!r}")
    sign = COMMENTS[language]
    if sign is None:
        return text
    line = f"{sign} {_line(origin, target)}\n"
    first, end, rest = text.partition("\n")
    return f"{first}{end}{line}{rest}" if _LEADING.match(text) else line + text


def _line(origin: Origin, target: str) -> str:
    facts = resources.table("facts", "about")["facts"]
    said = f"{START} {__version__}, facts of {facts}"
    link = f"{origin.link};{TARGET}={target}"
    if len(link) > MAX_LINK:
        return said
    return f"{said}{', ' if origin.base else ': '}{origin.base}#{link}"


LINE: Final = re.compile(rf"^# {re.escape(START)} \d.*$", re.MULTILINE)
"""The line as it stands in a block."""
