"""The command `read`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from calculator.__main__ import main

DF = "Filesystem Size Used Avail Use% Mounted on\nshm 64M 0 64M 0% /dev/shm\n"


def _run(tmp_path: Path, capsys: Any, text: str, *options: str) -> tuple[Any, ...]:
    file = tmp_path / "paste.txt"
    file.write_text(text, encoding="utf-8")
    status = main(["read", str(file), *options])
    return status, *capsys.readouterr()


def test_json_has_the_keys_that_stay(tmp_path, capsys):
    status, out, _ = _run(tmp_path, capsys, DF, "--json")
    found = json.loads(out)
    assert status == 0
    assert (found["kind"], found["verdict"]) == ("df", "default_64m")
    assert (found["size_bytes"], found["used_bytes"], found["avail_bytes"]) == (2**26, 0, 2**26)


def test_given_counts(tmp_path, capsys):
    _, out, _ = _run(tmp_path, capsys, DF, "--given", '{"need_bytes": 999999999}', "--json")
    assert json.loads(out)["verdict"] == "too_small_for_need"


def test_text_for_people_names_the_line(tmp_path, capsys):
    status, out, _ = _run(tmp_path, capsys, "batch_size: 4\nnum_workers: 2\n")
    assert status == 0
    assert "line 2: num_workers: 2  (loaders.0.num_workers)" in out
    assert "Not in the text, loaders.0.fields" in out


def test_a_mended_line_is_shown(tmp_path, capsys):
    _, out, _ = _run(tmp_path, capsys, "docker run --shm-size=8Gi img\n", "--kind", "config")
    assert "docker run --shm-size=8g img" in out


def test_refused_inputs_are_named_on_standard_error(tmp_path, capsys):
    text = '{"batch_size_per_rank": 0, "workers": 2}'
    status, _, err = _run(tmp_path, capsys, text)
    assert status == 2
    assert "batch_size_per_rank" in err
    status, out, err = _run(tmp_path, capsys, text, "--json")
    assert status == 2
    assert "batch_size_per_rank" in err
    assert json.loads(out)["errors"][0]["path"] == "batch_size_per_rank"


def test_what_powershell_writes_is_text(tmp_path, capsys):
    file = tmp_path / "df.txt"
    file.write_bytes(DF.replace("\n", "\r\n").encode("utf-16"))
    assert main(["read", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "default_64m"
