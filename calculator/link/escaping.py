"""Text in a link: only signs that browsers, chat programs and comment lines leave alone."""

from __future__ import annotations

import re
import string
from typing import Final
from urllib.parse import quote, unquote

_PLAIN: Final = frozenset(string.ascii_letters + string.digits)
_RAW: Final = frozenset("._/-")
_PARTING: Final = frozenset(";&%~#:,=")
"""What parts a link; inside of a text these are written `~3B`, never with a percent sign."""

_PUNCTUATION: Final = " .,;:!?)]}>'\"*_`"
"""What people and chat programs put behind a link: no link ends so."""


def escape(text: str) -> str:
    """Write a text so that nothing in it ends a part, a comment or a word.

    Not even two hyphens: `--` ends comments in some languages.
    """
    signs = [_sign(sign, before) for before, sign in zip(" " + text, text, strict=False)]
    if text and text[-1].isascii() and text[-1] not in _PLAIN:
        signs[-1] = _tilde(text[-1])
    return "".join(signs)


def _sign(sign: str, before: str) -> str:
    if sign in _PARTING or (sign == before == "-"):
        return _tilde(sign)
    return sign if sign in _PLAIN or sign in _RAW else quote(sign, safe="")


def _tilde(sign: str) -> str:
    return f"~{ord(sign):02X}"


def unescape(text: str) -> str:
    """Read what `escape` wrote, once percent signs are decoded."""
    return re.sub(r"~([0-7][0-9A-Fa-f])", lambda found: chr(int(found[1], base=16)), text)


_ROUNDS: Final = 3
"""How often an address may have been encoded on its way."""


def decoded(fragment: str) -> str:
    """Return a link as it was written: without what stands before and after it.

    Bytes that are no UTF-8 become signs that no input takes.
    """
    text = re.sub(r"[\r\n\t]", "", fragment)
    for _ in range(_ROUNDS):
        text = unquote(text, errors="surrogateescape")
    return text.rpartition("#")[2].strip().rstrip(_PUNCTUATION)
