"""`docker run` and `podman run` lines, taken apart as their own parsers do.

Source: docker/cli `cli/command/container/opts.go` (which options take a value), containers/podman
`docs/source/markdown/options/`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from calculator.typed import MAX_BYTES
from calculator.units import SizeError, parse_size, read_docker

MOST: Final = 100_000
"""Characters of a script that are looked at."""
LONGEST: Final = 20_000
"""Characters of one command line."""
SHM: Final = "/dev/shm"  # noqa: S108 - the very subject
START = re.compile(
    r"(?:^|[\s;&|(`\"'])(?P<tool>docker|podman|nerdctl|nvidia-docker)\s+(?:container\s+|pod\s+|service\s+)?"
    r"(?P<verb>run|create)\s"
)
_SWITCHES: Final = {
    "--rm", "--privileged", "--init", "--read-only", "--no-healthcheck", "--oom-kill-disable",
    "--publish-all", "--sig-proxy", "--tty", "--interactive", "--detach", "--quiet", "--replace",
    "--disable-content-trust", "--tls-verify", "--no-hosts", "--rmi", "--http-proxy", "--help",
    "--use-api-socket", "--share-parent", "--systemd", "--env-host",
}  # fmt: skip
_LETTERS: Final = frozenset("ditPq")


@dataclass
class Option:
    """One option of a line: its name, its value, and the places of its words."""

    name: str
    value: str | None
    first: int
    last: int


@dataclass
class Line:
    """One command line, taken apart; `after` and `end` are where its options stand in the paste."""

    tool: str
    verb: str
    words: list[str]
    options: list[Option] = field(default_factory=list)
    image_at: int | None = None
    number: int = 1
    after: int = 0
    end: int = 0

    def values(self, *names: str) -> list[str]:
        """The values of an option, in order."""
        return [
            each.value for each in self.options if each.name in names and each.value is not None
        ]

    def last(self, *names: str) -> str | None:
        """The value that counts: the last one."""
        found = self.values(*names)
        return found[-1] if found else None

    @property
    def image(self) -> str | None:
        """The image, where there is one."""
        return None if self.image_at is None else self.words[self.image_at]

    @property
    def command(self) -> list[str]:
        """What runs inside."""
        return [] if self.image_at is None else self.words[self.image_at + 1 :]


def joined(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield number, place and text of each command line; continued lines are one, as they stand."""
    pending, first, begin, offset = "", 0, 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        first, begin = (first, begin) if pending else (number, offset)
        offset += len(line) + 1
        if line.rstrip().endswith(("\\", "`", "^")) and len(pending) < LONGEST:
            pending += f"{line}\n"
            continue
        yield first, begin, pending + line
        pending = ""
    if pending:
        yield first, begin, pending.rstrip("\n")


_CONTINUED = re.compile(r"[\\`^][ \t]*\n")


def split(text: str) -> list[str]:
    """Split a command line into words; an open quote is forgiven."""
    plain = _CONTINUED.sub(" ", text)
    try:
        return shlex.split(plain, comments=True)
    except ValueError:
        return plain.split()


def lines(text: str) -> list[Line]:
    """Return the lines of a paste that start or make a container or a pod."""
    found: list[Line] = []
    for number, begin, line in joined(text[:MOST]):
        match = START.search(line[:LONGEST])
        if match is None:
            continue
        verb = "pod create" if re.search(r"\bpod\s+create\b", match[0]) else match["verb"]
        verb = "service create" if re.search(r"\bservice\s+create\b", match[0]) else verb
        words = split(line[match.end() :])
        after, end = begin + match.end(), begin + len(line)
        found.append(
            _options(Line(match["tool"], verb, words, number=number, after=after, end=end))
        )
    return found[:50]


def _options(line: Line) -> Line:
    index, words = 0, line.words
    while index < len(words):
        word = words[index]
        if not word.startswith("-") or word == "-":
            line.image_at = index
            break
        if word == "--":
            line.image_at = index + 1 if index + 1 < len(words) else None
            break
        name, equals, value = word.partition("=")
        letters = word[1:]
        if not word.startswith("--") and not equals and set(letters) <= _LETTERS:
            line.options.append(Option(word, None, index, index))
        elif not word.startswith("--") and word[2:]:
            at = next((i for i, each in enumerate(letters) if each not in _LETTERS), 0)
            rest = letters[at + 1 :].removeprefix("=")
            takes = 0 if rest else 1
            given = rest or (words[index + 1] if index + 1 < len(words) else "")
            line.options.append(Option(f"-{letters[at]}", given, index, index + takes))
            index += takes
        elif equals or name in _SWITCHES:
            line.options.append(Option(name, value if equals else None, index, index))
        else:
            given = words[index + 1] if index + 1 < len(words) else ""
            line.options.append(Option(name, given, index, index + 1))
            index += 1
        index += 1
    if line.verb == "pod create":
        line.image_at = None
    return line


def read_size(text: str | None) -> int | None:
    """Read a size as Docker does, else as it was surely meant."""
    if not text:
        return None
    for reader in (read_docker, parse_size):
        try:
            found = reader(text)
        except (SizeError, ValueError):
            continue
        return found if found <= MAX_BYTES else None
    return None


def tmpfs(line: Line) -> tuple[str, int | None] | None:
    """Return the size text of a tmpfs on /dev/shm, and its bytes; None without such a tmpfs."""
    for value in line.values("--tmpfs"):
        place, _, options = value.partition(":")
        if place.rstrip("/") == SHM:
            text = next(
                (e.partition("=")[2] for e in options.split(",") if e.startswith("size=")), ""
            )
            return text, read_size(text)
    for value in line.values("--mount"):
        if re.search(rf"type=tmpfs.*(?:target|dst|destination)={SHM}(?:,|$)", value) or re.search(
            rf"(?:target|dst|destination)={SHM},.*type=tmpfs", value
        ):
            match = re.search(r"tmpfs-size=([^,]{1,40})", value)
            return (match[1], read_size(match[1])) if match else ("", None)
    return None
