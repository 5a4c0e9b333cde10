"""Sizes that can be read, and are hardly meant."""

from __future__ import annotations

import io
import json
import sys

import pytest

from calculator.__main__ import main
from calculator.api import answer
from tests.support.bad_input import SIZES

BARE = "64 means 64 bytes; did you mean 64m or 64g?"


@pytest.mark.parametrize("name", ["current_shm", "worker_process_bytes"])
@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("64", BARE),
        (" 64 ", BARE),
        (64, BARE),
        ("1", "1 means 1 byte; did you mean 1m or 1g?"),
        ("1.5k", "1.5k means 1,536 bytes; did you mean 1.5m or 1.5g?"),
        ("4095", "4095 means 4,095 bytes; did you mean 4095m or 4095g?"),
        ("1,024", "1,024 means 1,024 bytes; did you mean 1,024m or 1,024g?"),
        ("0.5", "0.5 means 0 bytes; did you mean 0.5m or 0.5g?"),
        ("64b", "64b means 64 bytes; did you mean 64m or 64g?"),
        ("4096", None),
        ("4k", None),
        ("0", None),
        ("0.0g", None),
        (0, None),
        ("64m", None),
        (64 << 20, None),
    ],
    ids=repr,
)
def test_a_size_below_a_page_is_questioned(name, given, hint) -> None:
    response = json.loads(answer(json.dumps({"set": {name: given}, "parts": []})))
    assert response["ok"] is True
    assert response["hints"] == ([{"path": name, "message": hint}] if hint else [])


@pytest.mark.parametrize("name", sorted(SIZES))
def test_every_size_is_looked_at(name, capsys) -> None:
    assert main(["size", "--set", f"{name}=64"]) == 0
    captured = capsys.readouterr()
    assert captured.err == f"shm-sizer: {name}: {BARE}\n"
    assert captured.out


def test_a_hint_stands_beside_the_errors_of_other_inputs() -> None:
    request = {"set": {"current_shm": "64", "ranks": "0"}}
    response = json.loads(answer(json.dumps(request)))
    assert response["errors"] == [{"path": "ranks", "message": "must be at least 1"}]
    assert response["hints"] == [{"path": "current_shm", "message": BARE}]


@pytest.mark.parametrize("given", ["lots", None, [], True, 6.5])
def test_what_is_no_size_is_refused_and_not_questioned(given) -> None:
    response = json.loads(answer(json.dumps({"set": {"current_shm": given}})))
    assert len(response["errors"]) == 1
    assert response["hints"] == []


@pytest.mark.parametrize(
    ("arguments", "status"),
    [(["config", "--target", "docker-run", "--shm", "64"], 0), (["fit", "--shm", "64"], 1)],
)
def test_the_size_given_on_the_command_line_is_questioned(capsys, arguments, status) -> None:
    assert main(arguments) == status
    captured = capsys.readouterr()
    assert captured.err == f"shm-sizer: shm: {BARE}\n"
    assert captured.out


def test_the_answer_on_standard_output_stays_json(capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"current_shm": 64}'))
    assert main(["size", "-", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["shm"]["current_bytes"] == 64
    assert captured.err == f"shm-sizer: current_shm: {BARE}\n"


def test_the_page_door_questions_the_size_it_renders_for() -> None:
    response = json.loads(answer(json.dumps({"shm": "64", "parts": []})))
    assert response["hints"] == [{"path": "shm", "message": BARE}]
