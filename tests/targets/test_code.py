"""Blocks of Python, run: on a private /dev/shm, and with a torch that notes what it is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from calculator import presets, report
from calculator.units import MIB
from tests.support.components import component, run
from tests.targets.private import python, with_shm
from tests.targets.rendered import answer
from tests.targets.stubs import torch

PYTHON = [
    *("dataloader-arguments", "sharing-strategy", "check-at-start", "measure"),
    *("ecs-fargate", "sagemaker", "vertex-ai", "hosted-notebooks"),
]


def written(folder: Path, target: str, **values: Any) -> Path:
    """Download the block, under the name it has."""
    block = answer(target, **values).targets[0]
    (folder / block.filename).write_text(block.text, "utf-8")
    return folder / block.filename


@pytest.mark.parametrize("target", PYTHON)
def test_ruff_finds_nothing(target, tmp_path) -> None:
    rules = ["--isolated", "--select=E,F,W,B,PL,SIM,UP,RET", "--ignore=F821", "--line-length=100"]
    checked = run([sys.executable, "-m", "ruff", "check", *rules, written(tmp_path, target)])
    assert checked.returncode == 0, checked.stdout


def test_ruff_would_find_something(tmp_path) -> None:
    program = written(tmp_path, "measure")
    program.write_text(program.read_text("utf-8").replace("import os\n", "import os\nimport re\n"))
    checked = run([sys.executable, "-m", "ruff", "check", "--isolated", program])
    assert "F401" in checked.stdout


# ---------------------------------------------------------------- check at start


@pytest.mark.parametrize("values", [{}, {"ranks": 1}, {"loaders": [{"num_workers": 3}]}])
def test_a_dev_shm_of_the_need_passes_and_one_page_less_does_not(values, tmp_path) -> None:
    program = written(tmp_path, "check-at-start", **values)
    need = answer("check-at-start", **values).shm.need_bytes
    pages = -(-need // 4096)
    passed = python(program, shm=pages * 4096)
    assert (passed.returncode, passed.stdout, passed.stderr) == (0, "", "")
    refused = python(program, shm=(pages - 1) * 4096)
    assert refused.returncode == 1
    assert "too small" in refused.stderr
    assert f"{need:,} bytes" in refused.stderr
    assert f"{(pages - 1) * 4096:,} (0 in use)" in refused.stderr


def test_what_earlier_runs_left_behind_is_named(tmp_path) -> None:
    program = written(tmp_path, "check-at-start")
    leave = f"head -c {8 * MIB} /dev/zero >/dev/shm/left; exec {sys.executable} {program}"
    assert "(8,388,608 in use)" in run(with_shm(64 * MIB, ["sh", "-c", leave])).stderr


def test_no_other_system_is_refused(tmp_path) -> None:
    program = written(tmp_path, "check-at-start")
    program.write_text(
        f"import sys\nsys.platform = 'darwin'\n{program.read_text('utf-8')}", "utf-8"
    )
    assert python(program, shm=64 * MIB).returncode == 0


# ---------------------------------------------------------------- measure

USE = """
import os, sys, time
file = os.open("/dev/shm/torch_1", os.O_CREAT | os.O_RDWR)
os.unlink("/dev/shm/torch_1")  # as PyTorch does: only df sees it now
for size, seconds in ((100 << 20, 0.2), (32 << 20, 0)):
    os.ftruncate(file, 0)
    os.posix_fallocate(file, 0, size)
    time.sleep(seconds)
{end}
"""


def job(folder: Path, end: str = "") -> Path:
    """A job whose use of /dev/shm is 100 MiB at the peak."""
    program = folder / "job.py"
    program.write_text(USE.format(end=end), "utf-8")
    return program


def test_the_peak_is_measured_and_set_beside_what_was_predicted(tmp_path) -> None:
    found = answer("measure").shm
    measured = python(
        written(tmp_path, "measure"), sys.executable, str(job(tmp_path)), shm=256 * MIB
    )
    assert measured.returncode == 0
    assert measured.stderr == (
        "/dev/shm: 104,857,600 bytes at the peak, beside 0 that were in use before; "  # noqa: S108
        f"predicted: {found.need_bytes - found.peak_bytes + found.steady_bytes:,}, "
        f"at most {found.need_bytes:,}\n"
    )


def test_what_was_in_use_before_is_not_the_jobs(tmp_path) -> None:
    program, used = written(tmp_path, "measure"), job(tmp_path)
    measured = f"{sys.executable} {program} {sys.executable} {used}"
    fill = f"head -c {8 * MIB} /dev/zero >/dev/shm/old; exec {measured}"
    text = run(with_shm(256 * MIB, ["sh", "-c", fill])).stderr
    assert "104,857,600 bytes at the peak, beside 8,388,608 that" in text


@pytest.mark.parametrize(
    ("end", "status"),
    [("sys.exit(3)", 3), ("os.kill(os.getpid(), 9)", 137), ("os.kill(os.getpid(), 7)", 135)],
)
def test_the_peak_is_said_however_the_job_ends(end, status, tmp_path) -> None:
    program = written(tmp_path, "measure")
    done = python(program, sys.executable, str(job(tmp_path, end)), shm=256 * MIB)
    assert done.returncode == status
    assert "104,857,600 bytes at the peak" in done.stderr


def test_an_interrupted_job_has_a_peak_too(tmp_path) -> None:
    used = job(tmp_path, "print('ready', flush=True)\ntime.sleep(60)")
    command: list[str | Path] = [sys.executable, written(tmp_path, "measure")]
    with subprocess.Popen(
        [str(word) for word in with_shm(256 * MIB, [*command, sys.executable, used])],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "104,857,600 bytes at the peak" in errors


def test_in_code_and_notebooks_it_measures_what_runs_inside(tmp_path) -> None:
    written(tmp_path, "measure")
    program = tmp_path / "train.py"
    inside = USE.format(end="").replace("\n", "\n    ")
    program.write_text(
        f"from measure_shm import Peak\nwith Peak() as peak:\n    {inside}\nprint(peak)\n", "utf-8"
    )
    done = python(program, shm=256 * MIB)
    assert "104,857,600 bytes at the peak" in done.stdout, done.stderr


def test_without_a_command_it_says_how_it_is_used(tmp_path) -> None:
    done = run([sys.executable, written(tmp_path, "measure")])
    assert done.returncode == 1
    assert "python measure_shm.py torchrun" in done.stderr


def test_the_line_that_shows_it_works_does(tmp_path) -> None:
    """The block's own check writes 32 MiB, and takes them away again."""
    written(tmp_path, "measure")
    check = answer("measure").targets[0].verify.replace("python ", f"{sys.executable} ", 1)
    inside = f"cd {tmp_path} && {check}; ls -A /dev/shm"
    done = run(with_shm(64 * MIB, ["sh", "-c", inside]))
    assert "33,554,432 bytes at the peak" in done.stderr
    assert done.stdout == ""


# ---------------------------------------------------------------- sharing strategy


def strategies(folder: Path, soft: int, hard: int, **values: Any) -> list[str]:
    """Run the block under limits of open files; return what it sets, and the limit it ends with."""
    program = written(folder, "sharing-strategy", **values)
    shown = (
        "use_strategy(0)\nimport resource\nprint(resource.getrlimit(resource.RLIMIT_NOFILE)[0])\n"
    )
    program.write_text(program.read_text("utf-8") + shown, "utf-8")
    limits = [component("prlimit"), f"--nofile={soft}:{hard}"]
    done = run(
        [*limits, sys.executable, str(program)], env={"PYTHONPATH": str(torch(folder / "stub"))}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def needed(**values: Any) -> int:
    found = answer("sharing-strategy", **values).descriptors
    return max(found.main, found.worker)


DESCRIPTOR, SYSTEM = ["strategy file_descriptor"] * 2, ["strategy file_system"] * 2


def test_the_limit_of_open_files_is_raised_where_it_is_too_low(tmp_path) -> None:
    assert needed() == 63
    assert strategies(tmp_path, 40, 4096) == [*DESCRIPTOR, "63"]


def test_the_limit_stays_where_it_is_enough(tmp_path) -> None:
    assert strategies(tmp_path, 1024, 4096) == [*DESCRIPTOR, "1024"]


def test_where_it_may_not_be_raised_files_get_names(tmp_path) -> None:
    assert strategies(tmp_path, 40, 50) == [*SYSTEM, "40"]


def test_the_strategy_is_the_one_described(tmp_path) -> None:
    assert strategies(tmp_path, 40, 50, sharing_strategy="file_system") == [*SYSTEM, "40"]


# ---------------------------------------------------------------- loaders


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_the_loaders_are_taken_and_are_those_described(preset, tmp_path) -> None:
    workload = presets.load(preset).workload
    text = report.build(workload, targets=["dataloader-arguments"]).targets[0].text
    names = [
        line.split("_dataset,")[0].strip() for line in text.splitlines() if "_dataset," in line
    ]
    given = "\n".join(f"{name}_dataset = '{name}'" for name in names)
    program = tmp_path / "loaders.py"
    program.write_text(f"{given}\ncollate = None\n{text}", "utf-8")
    done = run([sys.executable, program], env={"PYTHONPATH": str(torch(tmp_path / "stub"))})
    assert done.returncode == 0, done.stderr
    taken = [loader for loader in workload.loaders if loader.queue_size is None]
    assert len(set(names)) == len(taken)
    assert text.count("no DataLoader") == len(workload.loaders) - len(taken)
    assert done.stdout.splitlines() == [
        f"loader {name} {loader.batch_size} {loader.num_workers} "
        + (f"{loader.prefetch_factor or 2} 600" if loader.num_workers else "None 0")
        for name, loader in zip(names, taken, strict=True)
    ]


def test_the_stub_refuses_what_pytorch_refuses(tmp_path) -> None:
    program = written(tmp_path, "dataloader-arguments")
    wrong = program.read_text("utf-8").replace("num_workers=8", "num_workers=0")
    program.write_text(f"train_dataset = 1\n{wrong}", "utf-8")
    done = run([sys.executable, program], env={"PYTHONPATH": str(torch(tmp_path / "stub"))})
    assert "prefetch_factor option could only" in done.stderr
