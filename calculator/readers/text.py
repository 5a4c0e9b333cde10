"""Pasted text, cleaned: colours, carriage returns and prompts away, in linear time."""

from __future__ import annotations

import re
from typing import Final

from calculator.errors import InputError
from calculator.units import MIB, size

LONGEST: Final = 4 * MIB
"""Characters of a paste other than a log; no file that these readers know is longer."""

LONGEST_LINE: Final = 2000
"""Characters; what is longer is no line that people read."""

_COLOUR = re.compile(
    r"\x1b?\[[0-9;?]{0,20}m|\x1b\[[0-9;?]{0,20}[A-Za-z]|\x1b\][^\x07\n]{0,200}\x07"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")
_PROMPT = re.compile(r"^(?:\([\w.-]{1,40}\) ?)?(?:[\w.@:~/\\\[\] +-]{0,120}[$#%\u276f>])[ \t]+")


def clean(text: str) -> str:
    """Return the text without colours, control characters and carriage returns.

    Raises:
        InputError: it is longer than any file these readers know.
    """
    if len(text) > LONGEST:
        raise InputError.at("", f"is longer than {size(LONGEST)}: paste the part that matters")
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("", _COLOUR.sub("", plain))


def command(line: str) -> str:
    """Return the line without the prompt before it."""
    return _PROMPT.sub("", line, count=1).strip()
