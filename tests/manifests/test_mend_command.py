"""`mend` on the command line: files, exit status, bytes that stay."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from calculator.__main__ import main

COMPOSE = "services:\n  a:\n    image: x\n"


def test_the_mended_file_goes_to_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "compose.yaml"
    file.write_text(COMPOSE, "utf-8")
    assert main(["mend", str(file), "--shm", "8g"]) == 0
    said = capsys.readouterr()
    assert said.out == COMPOSE + "    shm_size: 8g\n"
    assert "line 4" in said.err


def test_json_has_the_keys_of_the_contract(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "compose.yaml"
    file.write_text(COMPOSE, "utf-8")
    assert main(["mend", str(file), "--shm", "8g", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"format", "action", "text", "diff", "warnings"} <= set(found)
    assert found["action"] == "patch"


def test_line_ends_and_byte_order_mark_stay_on_standard_input() -> None:
    command = [sys.executable, "-m", "calculator", "mend", "--shm", "8g", "--diff", "--json"]
    text = "\ufeff" + COMPOSE.replace("\n", "\r\n")
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    assert json.loads(done.stdout)["text"] == text + "    shm_size: 8g\r\n"


STATUS = [
    ("services: {a: {image: x, gpus: all}, b: {image: y, gpus: all}}", 1),
    ("prose", 1),
    ("services: {a: {image: x, shm_size: 16g}}", 0),
]


@pytest.mark.parametrize(("text", "status"), STATUS)
def test_exit_status(text: str, status: int, tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(text, "utf-8")
    assert main(["mend", str(file), "--shm", "8g"]) == status


UNUSABLE = [["--shm", "much"], ["--shm", "8g", "--given", "["], ["nowhere.yaml", "--shm", "8g"]]


@pytest.mark.parametrize("words", UNUSABLE)
def test_unusable_input(words: list[str], tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(COMPOSE, "utf-8")
    assert main(["mend", *words] if "nowhere.yaml" in words else ["mend", str(file), *words]) == 2


def test_what_powershell_writes_is_a_manifest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.yaml"
    file.write_bytes("services:\r\n  a:\r\n    image: x\r\n".encode("utf-16"))
    assert main(["mend", str(file), "--shm", "8g"]) == 0
    assert "shm_size: 8g" in capsys.readouterr().out
