"""systemd's unit files, and what becomes of Quadlet's: an independent reading of both grammars."""

from __future__ import annotations

import re

Section = list[tuple[str, str]]

_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "s": " "}


def sections(text: str) -> dict[str, Section]:
    """Return the keys of each section in order; a line that ends in a backslash goes on."""
    found: dict[str, Section] = {}
    current: Section | None = None
    for line in re.sub(r"\\\n", " ", text).splitlines():
        stripped = line.strip()
        if not stripped or stripped[0] in "#;":
            continue
        if stripped.startswith("["):
            assert stripped.endswith("]"), line
            current = found.setdefault(stripped[1:-1], [])
            continue
        key, equals, value = stripped.partition("=")
        assert equals, line
        assert current is not None, line
        current.append((key.strip(), value.strip()))
    return found


def values(section: Section, key: str) -> list[str]:
    """Return every value of a key."""
    return [value for name, value in section if name == key]


def one(section: Section, key: str) -> str:
    """Return the only value of a key."""
    (value,) = values(section, key)
    return value


# ---------------------------------------------------------------- command lines


def split(line: str) -> list[str]:
    """Split a line into words, as systemd does: quotes of both kinds, C escapes in and outside.

    Raises:
        ValueError: open quotes, an unknown escape, or a semicolon that ends the command.
    """
    words: list[str] = []
    at = 0
    while True:
        while at < len(line) and line[at] in " \t":
            at += 1
        if at == len(line):
            return words
        start = at
        word, at = _word(line, at)
        if line[start:at] == ";":
            raise ValueError(f"a lone semicolon ends the command: {line}")
        words.append(word)


def _word(line: str, at: int) -> tuple[str, int]:
    word, quote = "", ""
    while at < len(line):
        sign = line[at]
        if sign == "\\":
            sign, at = _escape(line, at + 1)
            word += sign
            continue
        at += 1
        if quote:
            quote, word = ("", word) if sign == quote else (quote, word + sign)
        elif sign in "'\"":
            quote = sign
        elif sign in " \t":
            return word, at - 1
        else:
            word += sign
    if quote:
        raise ValueError(f"open quotes: {line}")
    return word, at


def _escape(line: str, at: int) -> tuple[str, int]:
    sign = line[at : at + 1]
    if sign == "x":
        return chr(int(line[at + 1 : at + 3], 16)), at + 3
    if sign in {"\\", '"', "'"}:
        return sign, at + 1
    if sign in _ESCAPES:
        return _ESCAPES[sign], at + 1
    raise ValueError(f"unknown escape: {line}")


def expand(word: str, environment: dict[str, str]) -> str:
    """Expand one word of ExecStart=: `%%` is a percent sign, `$$` a dollar, `${NAME}` a variable.

    Raises:
        ValueError: another specifier, a variable that is not set, or one that would be split.
    """
    if re.sub("%%", "", word).count("%"):
        raise ValueError(f"a specifier in {word!r}")
    word = word.replace("%%", "%")

    def variable(match: re.Match[str]) -> str:
        if match[0] == "$$":
            return "$"
        if match["name"] not in environment:
            raise ValueError(f"{match[0]} in {word!r}")
        return environment[match["name"]]

    return re.sub(r"\$\$|\$\{(?P<name>\w+)\}|\$\w+|\$", variable, word)


# ---------------------------------------------------------------- Quadlet's own reading


def quadlet_value(written: str) -> str:
    """Return what Quadlet makes of a value such as Image=: outer blanks and quotes are gone.

    Raises:
        ValueError: it ends in a backslash, so the next line would belong to it.
    """
    if written.rstrip().endswith("\\"):
        raise ValueError(f"goes on in the next line: {written}")
    return written.strip().strip('"')


def quadlet_words(written: str) -> list[str]:
    """Return the words of Exec=; as Quadlet does, stop at one that is empty."""
    words: list[str] = []
    at = 0
    while at < len(written):
        word, at = _word(written, at)
        if not word:
            break
        words.append(word)
        while at < len(written) and written[at] in " \t":
            at += 1
    return words


def quadlet_written(words: list[str]) -> str:
    """Return the command line Quadlet writes into the unit: it quotes where it sees need."""
    return " ".join(
        '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
        if re.search(r"[\s\"'\\]", word, re.ASCII)
        else word
        for word in words
    )
