"""What cannot be read gets one sentence at its place, through every door."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

from calculator.__main__ import main
from calculator.api import answer
from calculator.workload import parse
from tests.support.bad_input import (
    CONTROL,
    EMPTY,
    LIMITS,
    SHAPES,
    SIZES,
    STORAGE,
    TEXTS,
    TRUTHS,
    called,
    refusal,
)
from tests.test_form import leaves

WORKLOAD: dict[str, Any] = parse(
    {"loaders": [{"fields": [{}, {"name": "mask"}]}, {"fields": [{"nnz": 5}]}]}
).model_dump(mode="json")
PATHS = tuple(leaves(WORKLOAD))
CONFIG = ("config", "--target", "docker-run")
"""Of all commands the quickest: it renders one block."""


def asked(**request: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer(json.dumps({"parts": [], "targets": [], **request})))
    return found


def said(response: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["path"], each["message"]) for each in response.get("errors", ())]


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main(arguments)
    captured = capsys.readouterr()
    assert status in {0, 2}
    assert bool(captured.out) is (status == 0)
    return status, captured.err


def inside(path: str, value: Any) -> Any:
    """Return WORKLOAD with one value replaced."""
    data = json.loads(json.dumps(WORKLOAD))
    *parents, last = path.split(".")
    holder = data
    for part in parents:
        holder = holder[int(part) if isinstance(holder, list) else part]
    holder[last] = value
    return data


@pytest.mark.parametrize("path", PATHS)
def test_text_at_every_input_of_the_page_door(path) -> None:
    for text in TEXTS:
        message = refusal(path, text)
        wanted = [] if message is None else [(path, message)]
        assert said(asked(workload=WORKLOAD, set={path: text})) == wanted, repr(text)


@pytest.mark.parametrize("path", PATHS)
def test_text_at_every_input_of_the_command_line(path, capsys, tmp_path) -> None:
    given = tmp_path / "workload.json"
    given.write_text(json.dumps(WORKLOAD), encoding="utf-8")
    for text in TEXTS:
        message = refusal(path, text)
        status, error = command(capsys, *CONFIG, str(given), "--set", f"{path}={text}")
        if message is not None:
            assert (status, error) == (2, f"shm-sizer: {path}: {message}\n"), repr(text)
        else:
            assert status == 0, repr(text)


@pytest.mark.parametrize("path", PATHS)
def test_text_at_every_input_of_a_file(path, capsys, monkeypatch) -> None:
    for text in TEXTS:
        message = refusal(path, text)
        monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(inside(path, text))))
        status, error = command(capsys, *CONFIG, "-")
        if message is not None:
            assert (status, error) == (2, f"shm-sizer: {path}: {message}\n"), repr(text)
        else:
            assert status == 0, repr(text)


NULLS = EMPTY - {"same_storage_as", "fields.name", "command", "namespace"}
JSON_VALUES = ("true", "false", "null", "[]", "{}", "[[1]]", '{"a": 1}', "NaN", "-1e999", "1.5")


@pytest.mark.parametrize("path", PATHS)
def test_json_that_is_no_value_of_the_input_gets_one_sentence(path) -> None:
    name = called(path)
    for text in JSON_VALUES:
        fits = {
            "true": name in TRUTHS,
            "false": name in TRUTHS,
            "null": name in NULLS,
            "1.5": name == "headroom",
        }.get(text, False)
        response = asked(workload=WORKLOAD, set={path: json.loads(text)})
        assert len(said(response)) == (not fits), text
        assert all(place == path and len(message) < 80 for place, message in said(response)), text


@pytest.mark.parametrize("name", sorted({*LIMITS, *SIZES, *SHAPES, "headroom"}))
@pytest.mark.parametrize("truth", [True, False])
def test_truth_is_no_number(name, truth) -> None:
    path = next(each for each in PATHS if called(each) == name)
    (problem,) = said(asked(workload=WORKLOAD, set={path: truth}))
    assert problem[0] == path
    assert "number" in problem[1]


def test_truth_among_the_numbers_of_a_shape_is_refused() -> None:
    path = "loaders.0.fields.0.shape"
    assert said(asked(set={path: [True, 3]})) == [(path, "must be a whole number")]


def test_every_input_at_once_gets_its_own_sentence() -> None:
    typed = dict.fromkeys(PATHS, "8xg")
    wanted = {path: refusal(path, "8xg") for path in PATHS}
    storages = {path for path, message in wanted.items() if message == STORAGE}
    found = dict(said(asked(workload=WORKLOAD, set=typed)))
    assert found == {
        path: message
        for path, message in wanted.items()
        if message is not None and path not in storages
    }


# ---------------------------------------------------------------- JSON with two meanings


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"ranks": 1, "ranks": 2}', "ranks"),
        ('{"loaders": [{"batch_size": 1, "num_workers": 1, "batch_size": 2}]}', "batch_size"),
        ('{"a\\nb": 1, "a\\nb": 1}', "a\\nb"),
    ],
)
def test_a_doubled_key_is_refused_in_one_line(capsys, monkeypatch, text, key) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    wanted = f"shm-sizer: standard input: gives the key '{key}' twice\n"
    assert command(capsys, "size", "-") == (2, wanted)
    response = json.loads(answer(f'{{"workload": {text}}}'))
    assert said(response) == [("", f"the request gives the key '{key}' twice")]


def test_a_doubled_key_set_on_the_command_line_is_refused_at_its_place(capsys) -> None:
    change = 'loaders.0.fields=[{"name": "a", "name": "b"}]'
    wanted = "shm-sizer: loaders.0.fields: gives the key 'name' twice\n"
    assert command(capsys, "size", "--set", change) == (2, wanted)


def test_a_number_too_long_for_python_is_refused_at_its_place(capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f'{{"ranks": {"9" * 5000}}}'))
    assert command(capsys, "size", "-") == (2, "shm-sizer: ranks: is too long a number\n")


@pytest.mark.parametrize("path", ["a\nb", "a\x1b[31mb", "\ud800", "x" * 9000])
def test_a_path_from_outside_is_shown_in_one_short_line(capsys, path) -> None:
    status, error = command(capsys, "size", "--set", f"{path}=1")
    assert status == 2
    assert error.endswith((": is not a known key here\n", f": {CONTROL}\n"))
    assert error[:-1].isprintable()
    assert len(error) < 200
    answer(json.dumps({"set": {path: 1}})).encode()


@pytest.mark.parametrize("name", [[], {}, True, 5])
def test_a_loader_name_that_is_no_text_is_refused(name) -> None:
    assert said(asked(workload={"loaders": [{"name": name}]})) == [
        ("loaders.0.name", "must be text")
    ]


# ---------------------------------------------------------------- storages that nobody has


def fields(*some: dict[str, Any]) -> dict[str, Any]:
    return {"loaders": [{"fields": list(some)}]}


AGAIN = {"name": "again", "same_storage_as": "image"}


@pytest.mark.parametrize(
    "data",
    [
        fields({"name": "picture"}, AGAIN),
        fields({"name": "image", "kind": "int"}, AGAIN),
        fields({"name": "image", "same_storage_as": "again"}, AGAIN),
        fields({"name": "x"}, {"name": "image", "same_storage_as": "image"}),
    ],
)
def test_a_tensor_is_not_dropped_from_the_sum_for_a_name_nobody_has(data) -> None:
    found = said(asked(workload=data))
    assert found
    assert {message for _, message in found} == {STORAGE}
    assert {path.rpartition(".")[2] for path, _ in found} == {"same_storage_as"}


def test_a_tensor_whose_other_is_removed_has_its_own_storage() -> None:
    response = asked(workload=fields({"name": "image"}, AGAIN), remove=["loaders.0.fields.0"])
    (left,) = response["workload"]["loaders"][0]["fields"]
    assert (left["name"], left["same_storage_as"]) == ("again", "")
