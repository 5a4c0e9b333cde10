"""Blocks handed to the real programs that will read them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from calculator import presets, report
from calculator.units import GIB
from tests.support.components import run
from tests.support.docker import docker
from tests.support.kubernetes import decode
from tests.support.shell import shellcheck
from tests.support.tmpfs import df_bytes, findmnt_verify
from tests.targets.readers.words import argv

FSTAB = """\
# /etc/fstab: a comment that mentions /dev/shm
UUID=1234 / ext4 errors=remount-ro 0 1
/dev/sda1\t/dev/shm-backup\text4\tdefaults\t0 2
"""


def text(target: str, *, shm: int | None = None, preset: str = "images-8gpu") -> str:
    workload = presets.load(preset).workload
    return report.build(workload, shm_bytes=shm, targets=[target]).targets[0].text


# ---------------------------------------------------------------- shell

SHELL = ["docker-run", "docker-run-ipc-host", "podman-run", "bare-metal"]


@pytest.mark.parametrize("target", SHELL)
def test_shellcheck_finds_nothing(target) -> None:
    done = shellcheck(text(target))
    assert done.returncode == 0, done.stdout


# ---------------------------------------------------------------- docker's own flag parser


@pytest.mark.parametrize("target", ["docker-run", "docker-run-ipc-host"])
def test_docker_accepts_the_flags(target) -> None:
    _, *words = argv(text(target))
    assert "annot connect" in docker(*words).stderr


def test_docker_would_refuse_a_wrong_size_and_a_wrong_flag() -> None:
    _, verb, *good = argv(text("docker-run"))
    wrong_size = ["--shm-size=8xg" if w.startswith("--shm-size") else w for w in good]
    assert "invalid" in docker(verb, *wrong_size).stderr
    assert "unknown flag" in docker(verb, "--shm=8g", *good).stderr


# ---------------------------------------------------------------- kubernetes


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_kubectl_decodes_the_pod(preset, tmp_path) -> None:
    manifest = tmp_path / "pod.yaml"
    manifest.write_text(text("kubernetes-pod", preset=preset), encoding="utf-8")
    assert decode(manifest).stdout.strip() == "pod/trainer"


def test_kubectl_would_refuse_a_docker_size(tmp_path) -> None:
    manifest = tmp_path / "pod.yaml"
    manifest.write_text(text("kubernetes-pod").replace("8Gi", "8GB"), encoding="utf-8")
    assert "quantities must match" in decode(manifest).stderr


# ---------------------------------------------------------------- bare metal

FAKES = {
    "sudo": '#!/bin/sh\nexec "$@"\n',
    "mount": '#!/bin/sh\necho "$@" >> "$LOG"\n',
    "df": '#!/bin/sh\necho 1B-blocks\necho "${HAVE}"\n',
}


def grow(
    tmp_path: Path, fstab: str, have: int, fakes: dict[str, str] = FAKES, status: int = 0
) -> tuple[str, str]:
    """Run the script on a machine of paper; return its fstab and what was mounted."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, body in fakes.items():
        (tools / name).write_text(body, encoding="utf-8")
        (tools / name).chmod(0o755)
    (tmp_path / "fstab").write_text(fstab, encoding="utf-8")
    log = tmp_path / "log"
    log.touch()
    script = text("bare-metal").replace("/etc/fstab", str(tmp_path / "fstab"))
    environment = {"PATH": f"{tools}:{os.environ['PATH']}", "LOG": str(log), "HAVE": str(have)}
    done = run(["sh", "-c", script], env=environment)
    assert done.returncode == status, done.stderr
    return (tmp_path / "fstab").read_text(encoding="utf-8"), log.read_text(encoding="utf-8")


def test_the_line_is_added_and_every_other_line_kept(tmp_path) -> None:
    fstab, mounted = grow(tmp_path, FSTAB, have=64 << 20)
    assert fstab == FSTAB + "tmpfs /dev/shm tmpfs defaults,nosuid,nodev,size=8G 0 0\n"
    assert mounted == "-o remount,size=8G /dev/shm\n"


def test_an_existing_line_keeps_its_other_options(tmp_path) -> None:
    old = "tmpfs\t/dev/shm\ttmpfs\tnoexec,size=1G,mode=1777\t0\t0\n"
    fstab, _ = grow(tmp_path, FSTAB + old, have=1 << 30)
    assert fstab == FSTAB + "tmpfs /dev/shm tmpfs noexec,mode=1777,size=8G 0 0\n"


def test_a_file_without_a_last_newline_gets_its_line(tmp_path) -> None:
    fstab, _ = grow(tmp_path, FSTAB.rstrip("\n"), have=64 << 20)
    assert fstab == FSTAB + "tmpfs /dev/shm tmpfs defaults,nosuid,nodev,size=8G 0 0\n"


@pytest.mark.parametrize(
    ("broken", "status"), [("awk", 1), ("awk-that-says-nothing", 1), ("df", 2), ("df-empty", 2)]
)
def test_where_a_step_fails_nothing_is_changed(tmp_path, broken, status) -> None:
    faults = {
        "awk": {"awk": "#!/bin/sh\necho half; exit 1\n"},
        "awk-that-says-nothing": {"awk": "#!/bin/sh\n"},
        "df": {"df": "#!/bin/sh\necho 'df: unrecognized option' >&2; exit 1\n"},
        "df-empty": {"df": "#!/bin/sh\necho Size\n"},
    }
    fakes = {**FAKES, **faults[broken]}
    assert grow(tmp_path, FSTAB, 64 << 20, fakes, status) == (FSTAB, "")


def test_a_larger_size_in_fstab_stays(tmp_path) -> None:
    old = "tmpfs /dev/shm tmpfs defaults,size=64G 0 0\n"
    fstab, mounted = grow(tmp_path, FSTAB + old, have=64 << 20)
    assert fstab == FSTAB + old
    assert mounted == "-o remount,size=8G /dev/shm\n"


def test_the_first_copy_of_fstab_is_kept(tmp_path) -> None:
    (tmp_path / "fstab.before-shm").write_text("the very first\n", encoding="utf-8")
    grow(tmp_path, FSTAB, have=64 << 20)
    assert (tmp_path / "fstab.before-shm").read_text(encoding="utf-8") == "the very first\n"


def test_util_linux_accepts_the_fstab(tmp_path) -> None:
    fstab, _ = grow(tmp_path, "", have=64 << 20)
    table = tmp_path / "written"
    table.write_text(fstab, encoding="utf-8")
    done = findmnt_verify(table)
    assert done.returncode == 0, done.stdout


def test_a_larger_dev_shm_is_left_alone(tmp_path) -> None:
    assert grow(tmp_path, FSTAB, have=256 * GIB) == (FSTAB, "")


def test_the_kernel_mounts_exactly_that_size() -> None:
    size = next(w for w in text("bare-metal").split() if w.startswith("size="))
    assert df_bytes(size) == 8 * GIB
