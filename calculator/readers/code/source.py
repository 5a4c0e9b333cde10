"""Pasted text as Python: notebooks, prompts, templates, and code that does not parse whole."""

from __future__ import annotations

import ast
import json
import re
import textwrap
import warnings
from dataclasses import dataclass, field
from typing import Final

from calculator.errors import InputError

MAX_CHARS: Final = 50_000_000
"""No notebook is longer, with all its pictures."""

MAX_CODE: Final = 200_000
"""Characters of code: some 5,000 lines.  No training script is longer."""

SHOWN: Final = 160
"""Characters of a line that people are shown."""

MAX_CELLS: Final = 5000
_REPAIRS_PER_PART: Final = 12
_REPAIR_BUDGET: Final = 300_000
_TEMPLATE: Final = re.compile(r"\{\{[^{}\n]{0,200}\}\}|\{%[-+]?\s*\w")
_PLACEHOLDER: Final = re.compile(r"(?<=[=(,:])\s*<[A-Za-z][\w .-]{0,60}>")
_PROMPT: Final = re.compile(r"^(?:In \[\d*\]: |>>> ?|\.\.\. )")
_CONTINUES: Final = re.compile(r"(?:else|elif|except|finally)\b|[)\]}]")
_PRINT: Final = re.compile(r"^(\s*)print\s+[^(=\s].*$")


@dataclass
class Source:
    """Code ready to be read.

    `lines` are those of the paste (of a notebook: of its cells), `comments` what stands
    behind `#` by line, `shell` what looks like a command and not like Python, `left_out`
    the lines that are no Python.
    """

    tree: ast.Module
    lines: list[str]
    comments: dict[int, str] = field(default_factory=dict)
    shell: list[tuple[int, str]] = field(default_factory=list)
    left_out: list[int] = field(default_factory=list)
    notebook: bool = False

    def line_text(self, number: int) -> str:
        """Return one line, shortened for people."""
        text = self.lines[number - 1].strip() if 0 < number <= len(self.lines) else ""
        return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."

    def text_of(self, node: ast.AST) -> str:
        """Return the source of an expression in one line, shortened."""
        first, end = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
        if not 0 < first <= len(self.lines):
            return ""
        start, stop = node.col_offset, node.end_col_offset or 0  # type: ignore[attr-defined]
        line = self.lines[first - 1].encode(errors="replace")
        found = line[start:stop] if first == end else line[start:] + b"..."
        text = " ".join(found.decode(errors="replace").split())
        return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def read_source(text: str) -> Source:
    """Parse pasted text as far as it is Python.

    Raises:
        InputError: it is too long, a template, or no Python at all.
    """
    if len(text) > MAX_CHARS:
        raise InputError.at("", f"this is longer than {MAX_CHARS:,} characters")
    notebook = _notebook(text)
    plain = _without_comments(text if notebook is None else notebook)
    if len(plain) > MAX_CODE:
        words = f"is more than {MAX_CODE:,} characters of code: paste what makes the loaders"
        raise InputError.at("", words)
    plain = plain.replace("\r\n", "\n").replace("\r", "\n").replace("\f", " ").replace("\0", " ")
    lines = _cleaned(plain.split("\n"))
    comments, code = scan(lines)
    for number, line in enumerate(code, 1):
        if _TEMPLATE.search(line):
            words = "has placeholders of a template: paste what the template renders to"
            raise InputError.at("", f"line {number} {words}")
    found = Source(ast.Module(body=[], type_ignores=[]), lines, comments)
    found.notebook = notebook is not None
    for number, line in enumerate(lines, 1):
        command = re.match(r"\s*[!%$]\s*(\S.*)", line)
        if command:
            found.shell.append((number, command[1]))
            lines[number - 1] = ""
    whole = _parse("\n".join(lines))
    if whole is not None:
        found.tree = whole
        return found
    _parse_in_parts(found)
    if all(isinstance(each, ast.Pass) for each in found.tree.body):
        raise InputError.at("", "nothing in this text is Python that can be read")
    return found


def _without_comments(text: str) -> str:
    """Of a text that is too long drop the lines that say nothing to Python."""
    if len(text) <= MAX_CODE:
        return text
    kept = (line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#"))
    return "\n".join(kept)


def _notebook(text: str) -> str | None:
    """Return the code cells of a notebook, one after the other; None if it is none."""
    if text.lstrip()[:1] != "{" or '"cells"' not in text:
        return None
    try:
        cells = json.loads(text).get("cells")
    except (ValueError, RecursionError, AttributeError):
        return None
    if not isinstance(cells, list):
        return None
    found: list[str] = []
    for cell in cells[:MAX_CELLS]:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", "")
            part = "".join(map(str, source)) if isinstance(source, list) else str(source)
            found.append(part.rstrip("\n"))
    return "\n".join(found)


def _cleaned(lines: list[str]) -> list[str]:
    """Take off what is no code: prompts, fences, the marks of a diff, a common indent."""
    if any(_PROMPT.match(line.lstrip()) for line in lines):
        lines = [
            _PROMPT.sub("", line.lstrip()) if _PROMPT.match(line.lstrip()) else "" for line in lines
        ]
    if any(line.startswith("@@ ") for line in lines):
        lines = [
            "" if line.startswith(("-", "@@", "+++", "diff ", "index ")) else line[1:]
            for line in lines
        ]
    lines = ["" if line.lstrip().startswith("```") else line for line in lines]
    return textwrap.dedent("\n".join(lines).replace("\ufeff", "")).split("\n")


def scan(lines: list[str]) -> tuple[dict[int, str], list[str]]:
    """Return comments by line, and the lines without comments and without what is quoted."""
    comments: dict[int, str] = {}
    code: list[str] = []
    quote = ""
    for number, line in enumerate(lines, 1):
        kept: list[str] = []
        place = 0
        while place < len(line):
            if quote:
                if line[place] == "\\":
                    place += 2
                elif line.startswith(quote, place):
                    place += len(quote)
                    quote = ""
                else:
                    place += 1
                continue
            letter = line[place]
            if letter == "#":
                comments[number] = line[place + 1 :].strip()
                break
            if letter in "'\"":
                quote = letter * 3 if line.startswith(letter * 3, place) else letter
                place += len(quote)
                kept.append('""')
                continue
            kept.append(letter)
            place += 1
        if len(quote) == 1 and not line.endswith("\\"):
            quote = ""
        code.append("".join(kept))
    return comments, code


def _parse(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# ---------------------------------------------------------------- what does not parse whole


def _parse_in_parts(found: Source) -> None:
    """Parse each statement of the outermost level by itself; repair what does not parse.

    What does is then parsed together, so that the numbers of its lines are right.
    """
    budget = _REPAIR_BUDGET
    good = list(found.lines)
    mended: list[ast.stmt] = []
    for start, part in _parts(found.lines):
        if _parse("\n".join(part)) is not None:
            continue
        good[start : start + len(part)] = [""] * len(part)
        tree, spent = _repaired(found, start, part) if budget > 0 else (None, 0)
        budget -= spent
        if tree is None:
            found.left_out += range(start + 1, start + 1 + len(part))
        else:
            ast.increment_lineno(tree, start)
            mended += tree.body
    whole = _parse("\n".join(good))
    body = [*(whole.body if whole else ()), *mended]
    found.tree.body = sorted(body, key=lambda each: each.lineno)


def _parts(lines: list[str]) -> list[tuple[int, list[str]]]:
    """Cut at lines without indent, but not inside long texts, and keep else with its if."""
    found: list[tuple[int, list[str]]] = []
    quoted, decorated = False, False
    for number, line in enumerate(lines):
        begins = bool(line.strip()) and not line[0].isspace() and not quoted and not decorated
        if not found or (begins and not _CONTINUES.match(line)):
            found.append((number, []))
        found[-1][1].append(line)
        quoted ^= (line.count('"""') + line.count("'''")) % 2 == 1
        decorated = line.startswith("@")
    return found


def _repaired(found: Source, start: int, part: list[str]) -> tuple[ast.Module | None, int]:
    """Parse after closing brackets or leaving out lines; return the characters that took."""
    lines = [_PLACEHOLDER.sub(" ...", _PRINT.sub(r"\1pass", line)) for line in part]
    changed = [place for place, line in enumerate(lines) if line != part[place]]
    found.left_out += [start + place + 1 for place in changed]
    length, spent = sum(map(len, lines)) + len(lines), 0
    for _ in range(_REPAIRS_PER_PART):
        spent += 3 * length  # three ways are tried
        text = "\n".join(lines)
        tree = _parse(text) or _parse(text + _closers(lines)) or _dedented(lines)
        if tree is not None:
            return tree, spent
        bad = _bad_line(text)
        if bad is None or not lines[bad].strip() or spent > _REPAIR_BUDGET:
            return None, spent
        found.left_out.append(start + bad + 1)
        found.shell.append((start + bad + 1, lines[bad].strip()))
        indent = lines[bad][: len(lines[bad]) - len(lines[bad].lstrip())]
        lines[bad] = f"{indent}if 1:" if lines[bad].rstrip().endswith(":") else f"{indent}pass"
        if part[bad].strip() in {"pass", "if 1:"}:
            lines[bad] = ""
    return None, spent


def _dedented(lines: list[str]) -> ast.Module | None:
    """Parse a first line and a rest that is indented without reason."""
    if len(lines) <= 1 or lines[0].rstrip().endswith((":", ",", "(")):
        return None
    return _parse("\n".join([lines[0], *textwrap.dedent("\n".join(lines[1:])).split("\n")]))


def _closers(lines: list[str]) -> str:
    """Return the brackets that a text cut off in the middle leaves open."""
    _, code = scan(lines)
    pairs = {"(": ")", "[": "]", "{": "}"}
    stack: list[str] = []
    for letter in "".join(code):
        if letter in pairs:
            stack.append(pairs[letter])
        elif stack and letter == stack[-1]:
            stack.pop()
    return "\n" + "".join(reversed(stack[-100:])) if stack else "\n    pass"


def _bad_line(text: str) -> int | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        number = (error.lineno or 0) - 1
        return number if 0 <= number < text.count("\n") + 1 else None
    except (ValueError, RecursionError, MemoryError):
        return None
    return None
