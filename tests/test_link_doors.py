"""Links at both doors: what the page asks, what the command line takes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from calculator import presets
from calculator.__main__ import main
from calculator.api import answer
from calculator.workload import Workload, parse

UNKNOWN = "This link says more than this page understands (zz); that was left out."
DAMAGED = "This link is damaged; it was left out."


def ask(**request: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer(json.dumps({"parts": [], "targets": [], **request})))
    return found


def dumped(workload: Workload) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(workload.model_dump_json())
    return found


# ---------------------------------------------------------------- the page


@pytest.mark.parametrize(
    ("request_", "link", "preset"),
    [
        ({}, "1", "images-8gpu"),
        ({"preset": "resnet50-imagenet"}, "1;r=1;b=128", "resnet50-imagenet"),
        ({"workload": {"ranks": 4}}, "1;r=4", None),
        ({"preset": "resnet50-imagenet", "set": {"ranks": "2"}}, "1;r=2;b=128", None),
        ({"set": {"ranks": 1, "loaders.0.batch_size": "128"}}, "1;r=1;b=128", "resnet50-imagenet"),
    ],
)
def test_every_answer_carries_its_link_and_the_preset_it_equals(request_, link, preset) -> None:
    response = ask(**request_)
    assert response["link"] == response["report"]["link"] == link
    assert response["preset"] == preset
    assert not {"notes", "target", "other"} & response.keys()


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_a_link_brings_back_what_a_preset_shows(preset) -> None:
    """Parts included: what is published about a preset belongs to the job, however it came."""
    first = ask(preset=preset, parts=["answer"], targets=["compose"])
    second = ask(link=first["link"], parts=["answer"], targets=["compose"])
    assert second == {**first, "target": None, "other": None, "notes": []}
    assert first["preset"] is not None


def test_a_link_brings_a_platform_a_job_to_compare_with_and_notes() -> None:
    response = ask(link="#1;r=2;t=compose&1;w=4;zz=1")
    assert response["workload"] == dumped(parse({"ranks": 2}))
    assert response["link"] == "1;r=2"
    assert response["target"] == "compose"
    other = parse({"loaders": [{"num_workers": 4}]})
    assert response["other"] == {"workload": dumped(other), "link": "1;w=4"}
    assert response["notes"] == [UNKNOWN]


def test_a_link_that_says_nothing_is_refused_with_a_note() -> None:
    """What stands on the page is then worth more than the default job."""
    response = ask(link="certainly no link")
    assert response == {"ok": False, "errors": [], "hints": [], "notes": [DAMAGED]}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("preset", "llm-tokens"),
        ("workload", {"ranks": 4}),
        ("set", {"ranks": 4}),
        ("remove", ["loaders.0.fields.0"]),
        ("paste", {"chunk": "df", "last": True}),
    ],
)
def test_a_link_says_the_whole_job_so_nothing_stands_beside_it(name, value) -> None:
    response = ask(link="1;r=2", **{name: value})
    message = "cannot stand beside a link, which says the whole job"
    assert response == {"ok": False, "errors": [{"path": name, "message": message}], "hints": []}


def test_a_job_beyond_every_machine_is_refused_as_one_that_is_typed() -> None:
    response = ask(link="1;b=1000000000;f=x:1000000000")
    assert response["ok"] is False
    assert response["errors"][0]["path"] == "loaders"


def test_blocks_lead_back_to_the_page_that_asks() -> None:
    response = ask(link="1;r=4", base="https://example.org/a/", targets=["compose"])
    (block,) = response["report"]["targets"]
    first, _, _ = block["text"].partition("\n")
    assert first.endswith(", https://example.org/a/#1;r=4;t=compose")
    assert first in response["blocks"]["compose"]


@pytest.mark.parametrize("base", ["javascript:alert(1)", "https://e.org/\n", "https://e.org/'", 5])
def test_what_is_no_address_is_refused(base) -> None:
    response = ask(base=base)
    assert [each["path"] for each in response["errors"]] == ["base"]


# ---------------------------------------------------------------- the command line


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    assert main(arguments) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err


@pytest.mark.parametrize("text", ["1;r=1;b=128", "https://example.org/x.html#1;r=1;b=128;t=helm"])
@pytest.mark.parametrize(
    "command", [["size"], ["size", "--json"], ["config", "--target", "compose"]], ids=" ".join
)
def test_a_link_does_what_the_preset_does(capsys, command, text) -> None:
    assert run(capsys, *command, "--link", text) == run(
        capsys, *command, "--preset", "resnet50-imagenet"
    )


def test_fit_takes_a_link(capsys) -> None:
    assert main(["fit", "--link", "1;r=1;b=128", "--shm", "1g", "--json"]) == 1
    by_link = capsys.readouterr().out
    assert main(["fit", "--preset", "resnet50-imagenet", "--shm", "1g", "--json"]) == 1
    assert capsys.readouterr().out == by_link


def test_what_is_set_wins_over_the_link(capsys) -> None:
    out, _ = run(capsys, "size", "--link", "1;r=1;b=128;f=a:5,b:6", "--set", "ranks=2", "--json")
    assert json.loads(out)["link"] == "1;r=2;b=128;f=a:5,b:6"


def test_size_prints_the_link(capsys) -> None:
    out, _ = run(capsys, "size", "--preset", "resnet50-imagenet")
    assert out.endswith("\nThis job as a link: #1;r=1;b=128\n")
    out, _ = run(capsys, "size", "--json")
    assert json.loads(out)["link"] == "1"


def test_what_could_not_be_read_is_said_beside_the_answer(capsys) -> None:
    out, err = run(capsys, "config", "--target", "compose", "--link", "1;r=4;zz=1")
    assert "nproc-per-node=4" in out
    assert err == f"shm-sizer: --link: {UNKNOWN}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--link", "x"], f"shm-sizer: --link: {DAMAGED}\n"),
        (["--link", "2;r=4"], "made by a newer version"),
        (["--link", "1" * 600_001], "too long to be read"),
        (["--link", "1", "--preset", "llm-tokens"], "says the whole job: no file and no preset"),
        (["--link", "1", "-"], "says the whole job: no file and no preset"),
    ],
)
def test_a_link_that_says_nothing_is_unusable_input(capsys, arguments, message) -> None:
    """A figure for the default job would be taken for the answer."""
    assert main(["size", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1
