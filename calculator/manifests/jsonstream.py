"""The objects of a JSON stream, one after the other: memory stays flat, time linear.

`kubectl get pods -A -o json` prints one object with a list of items; other tools print one
object after the other, or a list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from calculator.errors import InputError

Read = Callable[[int], str]
"""Returns the next characters, at most so many; nothing at the end."""

CHUNK: Final = 1 << 18
LARGEST: Final = 1 << 25
"""Characters of one object; nothing in a cluster is near."""

_SPACE: Final = re.compile(r"[\s,\x1e]*")
_DECODER: Final = json.JSONDecoder()


class _Buffer:
    """What has been read and not yet used."""

    def __init__(self, read: Read) -> None:
        self.read = read
        self.text = ""
        self.at = 0
        self.ended = False

    def more(self) -> bool:
        """Read on, at least as much again as is there; whether there was something."""
        wanted = max(CHUNK, len(self.text) - self.at)
        if wanted > LARGEST:
            raise InputError.at("JSON", "has an object that is too large or never ends")
        parts, size = [self.text[self.at :]], 0
        while size < wanted:
            part = self.read(CHUNK)
            if not part:
                self.ended = True
                break
            parts.append(part)
            size += len(part)
        self.text, self.at = "".join(parts), 0
        return size > 0

    def peek(self) -> str:
        """Return the next character that is neither space nor comma; empty at the end."""
        while True:
            self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
            if self.at < len(self.text):
                return self.text[self.at]
            if self.ended or not self.more():
                return ""

    def value(self) -> Any:
        """Read one whole value."""
        self.peek()
        while True:
            try:
                found, end = _DECODER.raw_decode(self.text, self.at)
            except ValueError as error:
                if not self.ended and self.more():
                    continue
                raise InputError.at("JSON", f"cannot be read ({error.args[0][:80]})") from None
            except RecursionError:
                raise InputError.at("JSON", "is nested too deeply") from None
            if end == len(self.text) and not self.ended and self.more():
                continue  # a number may go on
            self.at = end
            return found

    def take(self, character: str) -> None:
        """Step over a character that must stand here."""
        if self.peek() != character:
            raise InputError.at("JSON", f"has no {character} where one must stand")
        self.at += 1


def items(read: Read) -> Iterator[dict[str, Any]]:
    """Yield every object of a stream; of a list of objects its items.

    Raises:
        InputError: it is no JSON, or broken off.
    """
    buffer = _Buffer(read)
    while character := buffer.peek():
        if character == "{":
            yield from _object(buffer)
        elif character == "[":
            yield from _list(buffer)
        else:
            raise InputError.at("JSON", "has something that is no object")


def _object(buffer: _Buffer) -> Iterator[dict[str, Any]]:
    """Yield an object, or the items of one that is a list."""
    buffer.take("{")
    found: dict[str, Any] = {}
    listed = False
    while buffer.peek() != "}":
        key = buffer.value()
        buffer.take(":")
        if key == "items" and buffer.peek() == "[":
            listed = True
            yield from _list(buffer)
        else:
            found[str(key)] = buffer.value()
    buffer.take("}")
    if found and not listed:
        yield found


def _list(buffer: _Buffer) -> Iterator[dict[str, Any]]:
    buffer.take("[")
    while buffer.peek() != "]":
        found = buffer.value()
        if isinstance(found, dict):
            yield found
    buffer.take("]")
