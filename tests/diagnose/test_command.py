"""`diagnose` on the command line."""

import io
import json
import sys

import pytest

from calculator.__main__ import main

BUS = "RuntimeError: DataLoader worker (pid 9) is killed by signal: Bus error.\n"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["diagnose", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_file_and_its_answer(tmp_path, capsys):
    log = tmp_path / "job.log"
    log.write_text(BUS, encoding="utf-8")
    status, out, err = run(capsys, str(log), "--given", '{"need_bytes": 5086642176}')
    assert (status, err) == (0, "")
    assert "--shm-size=8g" in out


def test_standard_input_and_json(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(BUS))
    status, out, _ = run(capsys, "-", "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["diagnosis"], found["extract"]["pid"]) == ("shm_exhausted", 9)
    assert found["evidence"] == [{"line": 1, "text": BUS.strip()}]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-8"])
def test_encodings_of_windows(tmp_path, capsys, encoding):
    log = tmp_path / "job.log"
    log.write_text("é\n" + BUS, encoding=encoding)
    assert '"pid": 9' in run(capsys, str(log), "--json")[1]


def test_bytes_that_are_no_text_are_read_over(tmp_path, capsys, monkeypatch):
    log = tmp_path / "job.log"
    log.write_bytes(b"\xff\xfe\x00\x80\n"[2:] + BUS.encode())
    assert run(capsys, str(log), "--json")[0] == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\x80\xff\n" + BUS.encode())))
    assert '"pid": 9' in run(capsys, "--json")[1]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["/no/such/file"], "/no/such/file: No such file or directory"),
        (["-", "--given", "["], "--given: is not JSON"),
        (["-", "--given", "[]"], "--given: must be a set of keys and values"),
        (["-", "--given", '{"need_bytes": 0}'], "given.need_bytes: must be a whole number"),
    ],
)
def test_unusable_input_is_one_line(capsys, monkeypatch, arguments, complaint):
    monkeypatch.setattr(sys, "stdin", io.StringIO(BUS))
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith(f"shm-sizer: {complaint}")
    assert err.count("\n") == 1


def test_a_closed_standard_input(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert run(capsys)[2] == "shm-sizer: standard input: is closed\n"
