"""Adding a platform is adding one file: command line, page and tests find it by themselves."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEW = """\
+++
title = "Toaster"
group = "Kitchen"
order = 999
language = "bash"
filename = "{{ name }}.toast"
size = "docker"
also = ["bread"]
verify = "df -h /dev/shm"
recreate = "Toast again."
[[caveats]]
text = "Hot."
source = "kernel-tmpfs"
+++
slots={{ ranks }} shm={{ shm_bytes | docker }}
"""
PAGES = """
import sys
from pathlib import Path
from web.make import pages
pages.write(Path(sys.argv[1]), base_url="")
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the sources with one target more."""
    copy = tmp_path_factory.mktemp("checkout")
    for name in ("calculator", "presets", "web", "tests"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("build.py", "pyproject.toml", "requirements.lock"):
        shutil.copyfile(ROOT / name, copy / name)
    (copy / "calculator" / "targets" / "toaster.j2").write_text(NEW, encoding="utf-8")
    return copy


def run(checkout: Path, *words: str, status: int = 0) -> str:
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_the_command_line_has_it(checkout) -> None:
    listed = json.loads(run(checkout, "-m", "calculator", "list", "targets", "--json"))
    assert {"id": "toaster", "title": "Toaster"} in listed
    written = run(checkout, "-m", "calculator", "config", "--target", "toaster", "--shm", "3g")
    assert re.fullmatch(
        r"# From /dev/shm sizer \S+, facts of \S+: #1;t=toaster\nslots=8 shm=3g\n", written
    )


def test_the_page_has_it(checkout, tmp_path) -> None:
    run(checkout, "-c", PAGES, str(tmp_path))
    html = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'data-group="Kitchen"' in html
    assert 'data-target="toaster" data-words="toaster toaster kitchen bread"' in html
    assert '<span class="file">trainer.toast</span>' in html
    assert "slots=8 shm=<mark>8g</mark>" in html
    answer = json.loads((tmp_path / "p" / "medical-3d.json").read_text(encoding="utf-8"))
    assert "shm=<mark>8g</mark>" in answer["blocks"]["toaster"]


def test_the_tests_have_it_and_ask_for_a_reader(checkout) -> None:
    listed = run(checkout, "-m", "pytest", "--collect-only", "-q", "tests/targets/test_blocks.py")
    assert "test_every_block_says_how_to_check_it_and_when_it_applies[toaster]" in listed
    words = ["-m", "pytest", "-q", "tests/targets/test_blocks.py", "-k", "has_a_reader or toaster"]
    failed = run(checkout, *words, status=1)
    assert "test_every_target_has_a_reader_or_no_size" in failed
