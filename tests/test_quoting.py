"""What a person typed comes back the same, whatever it is."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from typing import Any

import hcl2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calculator.errors import InputError
from calculator.quoting import QUOTES
from calculator.workload import parse
from tests.targets.readers import template, unit
from tests.targets.readers.kubernetes import expand
from tests.targets.readers.words import yaml

HOSTILE = [
    "your-image:latest",
    "x; rm -rf /",
    "$(id) `id` ${HOME} $$ %{if} a$",
    "\"'\\",
    "a: b #c",
    "true",
    "1e3",
    "- x",
    "{{ .Values }}",
    "${{a}} $${{{=b}}} $(BRACE){",
    "$${{ github.token }} ${{'${{' }}",
    "my dir/train.py",
    "",
    "ünï 図",
    "$$(A) $(B",
    "it's ${{ env.x }}",
    ";",
    " ; ",
    "${HOME}$${HOME}%%{if}$%{",
    "a.build",
    "x\\",
]
texts = st.text().filter(str.isprintable) | st.sampled_from(HOSTILE)


def evaluate(text: str) -> str:
    """Evaluate `${{ }}` as GitHub does, where every expression is a text in single quotes."""
    found = re.split(r"\$\{\{\s*'((?:[^']|'')*)'\s*\}\}", text)
    assert not any("${{" in plain for plain in found[::2]), text
    return "".join(part.replace("''", "'") if at % 2 else part for at, part in enumerate(found))


READ: dict[str, Any] = {
    "sh": lambda text: shlex.split(text)[0],
    "sh_later": lambda text: shlex.split(_referring_to_nothing(text))[0],
    "yaml": yaml,
    "json": json.loads,
    "compose": lambda text: _interpolated(yaml(text)),
    "k8s": lambda text: expand(yaml(text)),
    "argo": lambda text: _in_argo(yaml(text)),
    "github": lambda text: evaluate(yaml(text)),
    "toml": lambda text: tomllib.loads(f"a = {text}")["a"],
    "hcl": lambda text: json.loads(text).replace("$${", "${").replace("%%{", "%{"),
    "nomad": lambda text: template.again(template.literal(text)),
    "quadlet": lambda text: _started([unit.quadlet_value(text)])[0],
}


def _in_argo(text: str) -> str:
    assert "{{" not in text
    return expand(text, BRACE="{")


def _interpolated(text: str) -> str:
    assert not re.sub(r"\$\$", "", text).count("$")
    return text.replace("$$", "$")


def _referring_to_nothing(text: str) -> str:
    assert "${{" not in text
    assert "$$" not in text
    return text


def _started(words: list[str]) -> list[str]:
    """What systemd starts when Quadlet has read these words and written them into a unit."""
    return [unit.expand(word, {"EMPTY": ""}) for word in unit.split(unit.quadlet_written(words))]


def test_every_filter_is_read_back() -> None:
    assert set(READ) == set(QUOTES)


@pytest.mark.parametrize("grammar", READ)
@settings(deadline=None)
@given(text=texts)
def test_one_text_comes_back(grammar, text) -> None:
    assert READ[grammar](QUOTES[grammar](text)) == text


@settings(deadline=None)
@given(words=st.lists(texts, min_size=1, max_size=5))
def test_a_list_comes_back(words) -> None:
    assert shlex.split(QUOTES["sh"](words)) == words
    assert shlex.split(_referring_to_nothing(QUOTES["sh_later"](words))) == words
    assert json.loads(QUOTES["json"](words)) == words
    assert yaml(QUOTES["yaml"](words)) == words
    assert tomllib.loads(f"a = {QUOTES['toml'](words)}")["a"] == words
    assert [_interpolated(each) for each in yaml(QUOTES["compose"](words))] == words
    assert [expand(each) for each in yaml(QUOTES["k8s"](words))] == words
    assert [_in_argo(each) for each in yaml(QUOTES["argo"](words))] == words
    assert _started(unit.quadlet_words(QUOTES["quadlet"](words))) == words
    assert [evaluate(each) for each in yaml(QUOTES["github"](words))] == words


@settings(deadline=None, max_examples=30)
@given(words=st.lists(texts, min_size=1, max_size=5))
def test_a_list_in_a_nomad_job_comes_back_from_a_parser_of_hcl(words) -> None:
    quoted = hcl2.loads(f"a = {QUOTES['nomad'](words)}\n")["a"]
    assert [template.again(template.literal(each)) for each in quoted] == words


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("your-image:latest", "your-image:latest"),
        ("a.example/b/c@sha256:0f", "a.example/b/c@sha256:0f"),
        ("trainer", "trainer"),
        ("on", '"on"'),
        ("12", '"12"'),
    ],
)
def test_yaml_is_quoted_only_where_it_must_be(text, written) -> None:
    assert QUOTES["yaml"](text) == written


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("image", "", "empty"),
        ("image", "--privileged", "hyphen"),
        ("image", "a\nb", "one line"),
        ("image", "a\u202eb", "one line"),
        ("command", "python 'train.py", "no closing quotation"),
        ("name", "", "empty"),
        ("name", "My Job", "lower-case"),
        ("name", "a" * 41, "40 at most"),
        ("name", "-a", "lower-case"),
        ("namespace", "a_b", "lower-case"),
        ("namespace", "a" * 64, "63 at most"),
        ("image", "a" * 1001, "at most 1000 characters"),
        ("gpus", "-1", "at least 0"),
        ("ranks_per_pod", "0", "at least 1"),
    ],
)
def test_what_no_platform_takes_is_refused(path, value, message) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse({"deployment": {path: value}})
    assert [each.path for each in caught.value.problems] == [f"deployment.{path}"]
