"""What a person typed, written so that a grammar reads it back as the very same text.

Every function takes one text, or a list of texts where the grammar has lists.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Final

Text = str | Sequence[str]


def _listed(quote: Callable[[str], str]) -> Callable[[Text], str]:
    """Let a function that quotes one text also write a list in square brackets."""

    @wraps(quote)
    def both(value: Text) -> str:
        if isinstance(value, str):
            return quote(value)
        return f"[{', '.join(map(quote, value))}]"

    return both


def shell(value: Text) -> str:
    """POSIX shell: one word, or the words of a command."""
    return shlex.quote(value) if isinstance(value, str) else shlex.join(value)


_REFERENCE: Final = re.compile(r"\$(?=\$|\{\{)")


def shell_later(value: Text) -> str:
    """POSIX shell, for a platform that itself looks for `${{` and `$$` before the shell does.

    Where a dollar sign would start one, the quotes are closed and opened again behind it.
    Every word with a dollar sign stands in single quotes, so that this changes no word.
    """
    return _REFERENCE.sub("$''", shell(value))


_BARE: Final = re.compile(r"[A-Za-z][\w.-]*(?:[/@:]+[\w.-]+)*", re.ASCII)
_SPECIAL: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def yaml(value: Text) -> str:
    """YAML: bare where no reader can take it for anything but text, else double-quoted.

    The items of a list are always quoted.
    """
    if not isinstance(value, str):
        return quoted(value)
    plain = _BARE.fullmatch(value) and value.lower() not in _SPECIAL
    return value if plain else quoted(value)


@_listed
def quoted(value: str) -> str:
    """JSON, and YAML in double quotes: printable text needs the same escapes in both."""
    return json.dumps(value, ensure_ascii=False)


def compose(value: Text) -> str:
    """Compose: YAML in which a dollar sign starts a variable unless it is doubled."""
    if not isinstance(value, str):
        return quoted([each.replace("$", "$$") for each in value])
    return yaml(value.replace("$", "$$"))


_EXPANDS: Final = re.compile(r"\$(?=[$(])")


@_listed
def kubernetes(value: str) -> str:
    """Kubernetes command and args: `$(NAME)` is a variable, `$$` a dollar sign.

    Source: kubernetes `third_party/forked/golang/expansion/expand.go`.
    """
    return quoted(_EXPANDS.sub("$$", value))


_BRACES: Final = re.compile(r"\{(?=\{)")
_EXPANDS_IN_ARGO: Final = re.compile(r"\$(?=[$(]|\{\{)")


@_listed
def argo(value: str) -> str:
    """Command of an Argo container: `{{` starts a parameter, and there is no escape.

    A brace before another becomes `$(BRACE)`, which Kubernetes replaces only after Argo has
    looked for parameters; the container must set BRACE to `{`.

    Source: argoproj/argo-workflows issue 12634.
    """
    return quoted(_BRACES.sub("$(BRACE)", _EXPANDS_IN_ARGO.sub("$$", value)))


_EXPRESSION: Final = "${{"


def github(value: Text) -> str:
    """GitHub Actions: YAML in which `${{` starts an expression; here one that is that text.

    Source: actions/languageservices `workflow-parser/src/templates/template-reader.ts`.
    """
    if not isinstance(value, str):
        return quoted([_no_expression(each) for each in value])
    return yaml(_no_expression(value))


def _no_expression(value: str) -> str:
    return value.replace(_EXPRESSION, f"{_EXPRESSION} '{_EXPRESSION}' }}}}")


@_listed
def toml(value: str) -> str:
    """TOML basic string: of JSON's escapes it knows those that printable text needs."""
    return json.dumps(value, ensure_ascii=False)


@_listed
def hcl(value: str) -> str:
    """HCL: `${` and `%{` start a template unless the first character is doubled."""
    return json.dumps(value, ensure_ascii=False).replace("${", "$${").replace("%{", "%%{")


_RUN_BEFORE_BRACE: Final = re.compile(r"[$%]+(?={)")


def _literal(text: str) -> str:
    """HCL template whose value is the text: signs that would start an expression are one."""
    return _RUN_BEFORE_BRACE.sub(lambda run: f'${{"{run[0]}"}}', text)


@_listed
def nomad(value: str) -> str:
    """HCL in a task's `config`, which is evaluated twice: as the job is read, and as it starts.

    Source: nomad `jobspec2/parse_map.go` and `helper/pluginutils/hclutils/util.go`.
    """
    once = _literal(value)
    parts = re.split(r"([$%]+(?={))", once)
    quoted_parts = (
        f'${{"{part}"}}' if number % 2 else json.dumps(part, ensure_ascii=False)[1:-1]
        for number, part in enumerate(parts)
    )
    return f'"{"".join(quoted_parts)}"'


EMPTY: Final = "${EMPTY}"
"""Expands to nothing in the command line of a unit where EMPTY is set so."""

_UNIT_WORD: Final = re.compile(r"[\w./:=@,+$%{}-]+", re.ASCII)
_UNIT_APART: Final = re.compile(r'|;|[ "].*|.*(?:[ "\\]|\.image|\.build)')


def quadlet(value: Text) -> str:
    """Quadlet: the words of Exec=, or one value that it takes as it stands, such as Image=.

    Both end up in a systemd command line, where % and $ are doubled.  Quadlet loses an
    empty word and unquotes a lone semicolon, which would end the command; it takes a value's
    outer quotes and blanks for its own, a backslash at its end for a line that goes on, and
    an image by the name of another unit for that unit.  An empty variable keeps them apart.

    Source: podman `pkg/systemd/parser/split.go`, `unitfile.go`; systemd.service(5).
    """
    if not isinstance(value, str):
        return " ".join(map(_unit_word, value))
    inner = value.replace("%", "%%").replace("$", "$$")
    return f"{EMPTY}{inner}{EMPTY}" if _UNIT_APART.fullmatch(inner) else inner


def _unit_word(word: str) -> str:
    if word in {"", ";"}:
        return EMPTY + word
    inner = word.replace("%", "%%").replace("$", "$$")
    return inner if _UNIT_WORD.fullmatch(inner) else quoted(inner)


QUOTES: Final[dict[str, Callable[[Text], str]]] = {
    "sh": shell,
    "sh_later": shell_later,
    "yaml": yaml,
    "json": quoted,
    "compose": compose,
    "k8s": kubernetes,
    "argo": argo,
    "github": github,
    "toml": toml,
    "hcl": hcl,
    "nomad": nomad,
    "quadlet": quadlet,
}
"""Filters of the target templates, by name."""
