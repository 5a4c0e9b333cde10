"""The first line of every block: where it stands, that it is a comment, that it does no harm."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import tomllib
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from calculator import __version__, blocks, link, page, presets, report
from calculator.errors import InputError
from calculator.header import Origin, check_base, headed
from calculator.workload import parse
from tests.support import hcl
from tests.targets.readers import unit
from tests.targets.rendered import block

HEAD = f"# From /dev/shm sizer {__version__}, facts of 2026-11-28"
BASE = "https://sizer.example/shm/"

HOSTILE: dict[str, Any] = {
    "ranks": 2,
    "loaders": [
        {"name": "*/ --> \"\"\" ''' {{x}} ${{y}} $(id) `id` ;&#\\", "batch_size": 3},
        {"name": "--]] \\", "fields": [{"name": "<!-- 学 ~%0A", "shape": [5]}]},
    ],
    "deployment": {"image": "a/b:c", "command": "sh -c 'exec \"$@\"; # --x' --", "name": "job"},
}
"""Texts that end comments, open templates, or go on with the next line in some language."""


def tokens(text: str) -> list[str]:
    return shlex.split(text, comments=True)


READ: dict[str, Callable[[str], Any]] = {
    "bash": tokens,
    "hcl": lambda text: {
        key: each for key, each in hcl.read(text).items() if key != "__comments__"
    },
    "ini": unit.sections,
    "python": lambda text: ast.dump(ast.parse(text)),
    "toml": tomllib.loads,
    "yaml": lambda text: list(yaml.safe_load_all(text)),
}
"""What a language's own reader makes of a text."""


def without_header(text: str) -> tuple[str, str]:
    """Return the header and the text without it."""
    lines = text.splitlines(keepends=True)
    at = 1 if lines[0].startswith("#!") else 0
    return lines[at].removesuffix("\n"), "".join(lines[:at] + lines[at + 1 :])


@pytest.mark.parametrize("values", [{}, HOSTILE], ids=["default", "hostile"])
@pytest.mark.parametrize("target", blocks.target_ids())
def test_every_block_says_what_made_it_in_a_comment_of_its_language(target, values) -> None:
    """JSON has none; a script's first line says which shell runs it, so there it is the second."""
    workload = parse(values)
    found = report.build(workload, targets=[target], base=BASE).targets[0]
    if found.language == "json":
        assert "sizer" not in found.text
        return
    header, rest = without_header(found.text)
    assert header == f"{HEAD}, {BASE}#{link.write(workload)};t={target}"
    assert found.text.count(HEAD) == 1
    assert READ[found.language](found.text) == READ[found.language](rest)
    shared = link.read(header)
    assert (shared.workload, shared.target, shared.notes) == (workload, target, ())


@pytest.mark.parametrize("target", ["docker-run", "slurm"])
def test_a_shell_does_nothing_with_it(target) -> None:
    header, _ = without_header(block(target, **HOSTILE).text)
    done = subprocess.run(["sh", "-c", header], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_without_an_address_the_link_stands_alone() -> None:
    text = block("compose", ranks=4).text
    assert text.startswith(f"{HEAD}: #1;r=4;t=compose\nservices:\n")


@pytest.mark.parametrize("target", ["slurm", "slurm-pyxis"])
def test_directives_still_stand_before_the_first_command(target) -> None:
    """Slurm reads no #SBATCH line behind a command; other comments may stand between."""
    first, second, third, *_ = block(target).text.splitlines()
    assert first == "#!/bin/bash"
    assert second.startswith(HEAD)
    assert third.startswith("#SBATCH ")


@pytest.mark.parametrize(("length", "stands"), [(300, True), (301, False)])
def test_a_long_link_is_left_out(length, stands) -> None:
    command = "a" * (length - len("1;cm=;t=compose"))
    text = block("compose", deployment={"command": command}).text
    assert text.startswith(f"{HEAD}: #1;cm={command};t=compose\n" if stands else f"{HEAD}\n")


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_every_preset_fits_into_the_line(preset) -> None:
    found = report.build(presets.load(preset).workload, targets=["compose"])
    assert f": #{found.link};t=compose\n" in found.targets[0].text


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("#!/bin/sh\nset -eu\n", 1),
        ("#cloud-config\nruncmd: []\n", 1),
        ("# syntax=docker/dockerfile:1\nFROM a\n", 1),
        ("#syntax=docker/dockerfile:1\nFROM a\n", 1),
        ("<powershell>\ndir\n</powershell>\n", 1),
        ("%YAML 1.2\n---\na: 1\n", 1),
        ("# Alternative without a size of its own\ndocker run a\n", 0),
        ("a\n", 0),
    ],
)
def test_a_first_line_that_must_be_first_stays_so(text, at) -> None:
    lines = headed(text, "bash", Origin("1"), "compose").splitlines()
    assert lines[at] == f"{HEAD}: #1;t=compose"
    assert [*lines[:at], *lines[at + 1 :]] == text.splitlines()


def test_a_language_nobody_has_said_the_comments_of_is_an_error() -> None:
    with pytest.raises(LookupError, match="no comment sign is known for the language 'cobol'"):
        headed("a\n", "cobol", Origin("1"), "compose")


# ---------------------------------------------------------------- the address


@pytest.mark.parametrize(
    "base",
    [
        "",
        "https://example.org/",
        "http://localhost:8000/shm/index.html",
        "http://[::1]:8000/",
        "https://xn--bcher-kva.example/a%20b/?x=1&y=2",
        "file:///home/a/dist/index.html",
        "file:///C:/dist/index.html",
        "https://e.org/" + "a" * 186,
    ],
)
def test_addresses_that_a_page_may_have(base) -> None:
    check_base(base)


@pytest.mark.parametrize(
    "base",
    [
        "example.org",
        "javascript:alert(1)",
        "ftp://example.org/",
        "file://host/a",
        "https://example.org/\nrm -rf /",
        "https://example.org/\n",
        "https://example.org/\r",
        "https://example.org/\u2028x",
        "https://example.org/\x00",
        "https://example.org/ x",
        "https://example.org/*/",
        "https://example.org/\"'",
        "https://example.org/{{x}}",
        "https://example.org/${x}",
        "https://example.org/`id`",
        "https://example.org/\\",
        "https://example.org/<b>",
        "https://example.org/#1;r=4",
        "https://example.org/a;b",
        "https://ex\u00e4mple.org/",
        "https://e.org/" + "a" * 187,
    ],
)
def test_what_is_no_address_is_refused_before_it_stands_in_a_comment(base) -> None:
    with pytest.raises(InputError, match="base: must be the address of a page"):
        report.build(parse({}), targets=["compose"], base=base)


# ---------------------------------------------------------------- on the page


def test_the_page_dims_it_and_marks_no_size_in_it() -> None:
    found = block("docker-run", ranks=8, current_shm="8g")
    html = str(page.code(found))
    assert html.startswith(f"<i>{HEAD}: #1;s=8g;t=docker-run</i>\n")
    assert html.count("<mark>") == 1
    assert "--shm-size=<mark>8g</mark>" in html
    assert re.sub("<[^>]*>", "", html).replace("&#39;", "'") == found.text
