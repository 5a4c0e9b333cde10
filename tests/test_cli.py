"""The door for the shell."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest

from calculator import blocks, presets
from calculator.__main__ import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_size_as_json(capsys) -> None:
    report = json.loads(run(capsys, "size", "--preset", "resnet50-imagenet", "--json"))
    assert report["shm"]["recommended_bytes"] == 2 << 30
    assert report["shm"]["peak_bytes"] == 1_387_397_120


def test_size_for_people(capsys) -> None:
    text = run(capsys, "size")
    assert text.startswith("8 GiB of /dev/shm   (--shm-size=8g)\nCritical")
    assert "5,814,356,992  Sum of the terms" in text


def test_set_wins_over_the_file_and_the_file_over_the_preset(capsys, tmp_path) -> None:
    given = tmp_path / "workload.json"
    given.write_text('{"ranks": 2, "loaders": [{"batch_size": 32}]}', encoding="utf-8")
    arguments = ["size", str(given), "--preset", "resnet50-imagenet", "--set", "ranks=4", "--json"]
    report = json.loads(run(capsys, *arguments))
    assert report["shm"]["peak_bytes"] == 4 * (18 * 32 * 602_112 + 131_072)


def test_the_workload_may_come_from_standard_input(capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"ranks": 1}'))
    report = json.loads(run(capsys, "size", "-", "--json"))
    assert report["shm"]["peak_bytes"] == 693_764_096


def test_lists_may_be_set_as_json(capsys) -> None:
    field = 'loaders.0.fields=[{"kind": "int"}]'
    report = json.loads(run(capsys, "size", "--set", field, "--json"))
    assert report["item_bytes"] == 8


@pytest.mark.parametrize("target", blocks.target_ids())
def test_config_prints_that_block_only(capsys, target) -> None:
    report = json.loads(run(capsys, "size", "--json"))
    text = next(each["text"] for each in report["targets"] if each["id"] == target)
    assert run(capsys, "config", "--target", target) == text


def test_config_for_a_given_size(capsys) -> None:
    assert "--shm-size=24g" in run(capsys, "config", "--target", "docker-run", "--shm", "24GiB")
    pod = run(capsys, "config", "--target", "kubernetes-pod", "--shm", "900Gi")
    assert "sizeLimit: 900Gi" in pod
    assert "memory: 964Gi" in pod


@pytest.mark.parametrize(
    ("what", "ids"), [("presets", presets.preset_ids()), ("targets", blocks.target_ids())]
)
def test_list(capsys, what, ids) -> None:
    rows = json.loads(run(capsys, "list", what, "--json"))
    assert tuple(row["id"] for row in rows) == ids
    assert all(row["title"] for row in rows)
    assert [line.split()[0] for line in run(capsys, "list", what).splitlines()] == list(ids)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["size", "--set", "ranks=0"], "ranks: must be at least 1"),
        (["size", "--set", ".".join("a" * 5000) + "=1"], "does not lead to an input"),
        (["size", "--set", "headroom=1e9999999%"], "headroom: must be a share"),
        (["size", "--set", "ranks"], "'ranks' is not PATH=VALUE"),
        (["size", "--set", "loaders.9.batch_size=1"], "there is no position 9"),
        (["size", "--preset", "nope"], "no preset 'nope'"),
        (["size", "missing.json"], "missing.json: No such file or directory"),
        (["config", "--target", "nope"], "no target 'nope'"),
        (["config", "--target", "compose", "--shm", "lots"], "shm: must be a size"),
    ],
)
def test_unusable_input_is_one_line_and_status_2(capsys, arguments, message) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("text", ["", "{", "\x00", "[" * 100_000, '{"ranks": 1e400}', "\xff\xfe"])
def test_a_file_that_is_no_workload_is_refused(capsys, tmp_path, text) -> None:
    given = tmp_path / "workload.json"
    given.write_bytes(text.encode("latin-1"))
    assert main(["size", str(given)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_it_runs_as_a_module_and_survives_a_reader_that_leaves() -> None:
    command = [sys.executable, "-m", "calculator", "size", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize(
    ("shell", "said"),
    [
        ("size >/dev/full", "No space left on device"),
        ("size >&-", "is closed"),
        ("size - <&-", "is closed"),
    ],
)
def test_streams_that_fail_are_one_line(shell, said) -> None:
    command = f"exec {sys.executable} -m calculator {shell}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_terminal_with_few_characters_still_gets_the_answer() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "calculator", "size"]
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 0
    assert b"8 GiB" in done.stdout


def test_a_file_with_a_byte_order_mark_is_read(capsys, tmp_path) -> None:
    given = tmp_path / "workload.json"
    given.write_text('\ufeff{"ranks": 1}', encoding="utf-8")
    assert run(capsys, "size", str(given), "--json")
