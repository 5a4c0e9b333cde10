"""The door for the page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from calculator.api import answer


def ask(**request: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer(json.dumps(request)))
    return found


def messages(response: dict[str, Any]) -> dict[str, str]:
    assert response["ok"] is False
    return {each["path"]: each["message"] for each in response["errors"]}


def test_nothing_asked_is_the_default_answered() -> None:
    response = ask()
    assert response["ok"] is True
    assert response["report"]["shm"]["recommended_bytes"] == 8 << 30
    assert response["parts"]


def test_a_report_has_the_keys_that_scripts_rely_on() -> None:
    report = ask(parts=[])["report"]
    assert {"peak_bytes", "steady_bytes", "need_bytes", "recommended_bytes", "terms"} <= report[
        "shm"
    ].keys()
    assert {"name", "bytes", "formula", "why"} <= report["shm"]["terms"][0].keys()
    assert {
        "item_bytes",
        "batch_bytes",
        "queue_per_worker_bytes",
        "per_rank_bytes",
    } <= report.keys()
    assert {"limit_bytes"} <= report["memory"].keys()
    assert {"main", "worker"} <= report["descriptors"].keys()
    assert {"level", "title", "reasons"} <= report["risk"].keys()
    assert {"id", "text", "fix", "source"} <= report["notices"][0].keys()
    assert {"text"} <= report["crash"].keys()
    assert {"id", "title", "language", "filename", "text", "verify", "recreate"} <= report[
        "targets"
    ][0].keys()


def test_a_brief_answer_differs_only_in_how_much_of_the_report_it_brings() -> None:
    whole, brief = ask(preset="images-8gpu"), ask(preset="images-8gpu", brief=True)
    assert brief.pop("report") == {"shm": whole.pop("report")["shm"]}
    assert brief == whole


def test_what_is_kept_of_a_job_is_left_as_it_was_by_an_edit_of_it() -> None:
    job = {"ranks": 2}
    once = ask(workload=job, set={"loaders.0.fields.0.shape": "3, 64, 64"}, parts=[])
    ask(workload=job, set={"loaders.0.fields.1": {"kind": "int"}, "ranks": "7"}, parts=[])
    again = ask(workload=job, set={"loaders.0.fields.0.shape": "3, 64, 64"}, parts=[])
    assert once == again
    assert messages(ask(workload={"ranks": True}, set={"headroom": "1"})).keys() == {"ranks"}
    assert ask(workload={"ranks": 1}, set={"headroom": "1"})["ok"]
    assert messages(ask(workload={"ranks": True}, set={"headroom": "1"})).keys() == {"ranks"}


def test_the_example_of_the_brief() -> None:
    report = ask(preset="images-8gpu", parts=[])["report"]
    assert report["shm"]["peak_bytes"] == 5_550_112_768
    assert report["item_bytes"] == 602_112
    assert report["queue_per_worker_bytes"] == 77_070_336
    assert report["per_rank_bytes"] == 693_764_096


def test_typed_text_is_read_like_numbers() -> None:
    typed = {
        "ranks": "1",
        "loaders.0.batch_size": "128",
        "loaders.0.fields.0.shape": "3, 224, 224",
        "loaders.0.pin_memory": "true",
        "current_shm": "2 GiB",
        "memory_limit": "",
        "headroom": "10%",
        "start_method": "",
    }
    response = ask(set=typed, parts=[])
    assert response["workload"]["loaders"][0]["pin_memory"] is True
    assert response["report"]["shm"]["peak_bytes"] == 16 * 77_070_336 + 131_072
    assert response["report"]["risk"]["level"] == "safe"


def test_a_field_and_a_loader_can_be_added_and_removed() -> None:
    first = ask(set={"loaders.0.fields.1": {"name": "label", "kind": "int"}}, parts=[])
    assert [f["name"] for f in first["workload"]["loaders"][0]["fields"]] == ["image", "label"]
    second = ask(workload=first["workload"], set={"loaders.1": {"batch_size": 4}}, parts=[])
    assert [each["name"] for each in second["workload"]["loaders"]] == ["train", "val"]
    third = ask(workload=second["workload"], remove=["loaders.1", "loaders.0.fields.1"], parts=[])
    assert third["workload"] == ask(parts=[])["workload"]


def test_an_answer_does_not_depend_on_those_before() -> None:
    first = answer('{"preset":"medical-3d"}')
    ask(preset="medical-3d", set={"loaders.0.fields.0.dtype": "uint8"})
    assert answer('{"preset":"medical-3d"}') == first


@pytest.mark.parametrize(
    ("request_", "path", "message"),
    [
        ({"preset": "nope"}, "preset", "no preset 'nope'"),
        ({"set": {"ranks": "x"}}, "ranks", "must be a whole number"),
        ({"set": {"nope": 1}}, "nope", "is not a known key here"),
        ({"set": {"loaders.7.batch_size": 1}}, "loaders.7.batch_size", "there is no position 7"),
        ({"set": {"loaders.x.batch_size": 1}}, "loaders.x.batch_size", "not a position in a list"),
        ({"set": {"ranks.a": 1}}, "ranks.a", "does not lead to an input"),
        ({"remove": ["loaders.3"]}, "loaders.3", "there is no position 3"),
        ({"remove": ["nope.0"]}, "nope.0", "does not lead to an input"),
        ({"shm": "big"}, "shm", "must be a size"),
        ({"shm": "0"}, "shm", "must be more than 0"),
        ({"parts": ["nope"]}, "parts", "no part 'nope'"),
        ({"extra": 1}, "extra", "is not a known key here"),
        ({"workload": [1]}, "workload", "must be a set of keys and values"),
    ],
)
def test_what_cannot_be_answered_says_where_and_why(request_, path, message) -> None:
    found = messages(ask(**request_))
    assert message in found[path]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, '{"set": 1}', "\ud800"])
def test_any_text_gets_an_answer(text) -> None:
    assert json.loads(answer(text))["ok"] is False


def test_nesting_is_bounded_before_it_is_parsed() -> None:
    deep = '{"workload":' * 40 + "{}" + "}" * 40
    assert messages(json.loads(answer(deep))) == {"": "is nested too deeply"}


def test_brackets_inside_text_do_not_nest() -> None:
    response = ask(set={"loaders.0.name": '[{"' * 100 + "\\"}, parts=[])
    assert messages(response) == {"loaders.0.name": "takes at most 80 characters"}


def test_hostile_names_stay_text() -> None:
    name = "<img src=x onerror=alert(1)>"
    response = ask(set={"loaders.0.name": name, "loaders.0.fields.0.name": name})
    assert response["ok"]
    assert not any(name in part for part in response["parts"].values())


def test_fragments_can_be_asked_for_by_name() -> None:
    assert ask(parts=["answer"])["parts"].keys() == {"answer"}
