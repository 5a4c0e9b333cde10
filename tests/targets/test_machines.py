"""Blocks for machines: the script that grows /dev/shm, WSL's settings, and Apptainer."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess

import pytest

from calculator.units import GIB, MIB
from tests.support.components import component, root, run
from tests.support.fakes import NOTE_WORDS, noted, path_with
from tests.support.shell import shellcheck
from tests.support.tmpfs import df_bytes, findmnt_verify
from tests.targets.readers import READERS
from tests.targets.readers.machines import wsl_command
from tests.targets.rendered import block
from tests.targets.typed import ARGV, HOSTILE, IMAGE

FSTAB = """\
# /etc/fstab: a comment that mentions /dev/shm
UUID=1234 / ext4 errors=remount-ro 0 1
/dev/sda1\t/dev/shm-backup\text4\tdefaults\t0 2
"""

NEED = 8 * (18 * 38_535_168 + 32 * 4096 + 33_030_528)
"""Of the default job: batches in flight, semaphores and NCCL, eight times."""


@pytest.mark.parametrize("target", ["bare-metal", "apptainer"])
def test_shellcheck_finds_nothing(target) -> None:
    done = shellcheck(block(target).text)
    assert done.returncode == 0, done.stdout


# ---------------------------------------------------------------- bare metal

FAKES = {
    "sudo": 'exec "$@"\n',
    "mount": 'echo "$@" >> "$LOG"\n',
    "df": 'echo 1B-blocks\necho "${HAVE}"\n',
}


def grow(
    tmp_path: Path, fstab: str, have: int, fakes: dict[str, str] = FAKES, status: int = 0
) -> tuple[str, str]:
    """Run the script; return its fstab and what was mounted."""
    (tmp_path / "fstab").write_text(fstab, encoding="utf-8")
    log = tmp_path / "log"
    log.touch()
    script = block("bare-metal").text.replace("/etc/fstab", str(tmp_path / "fstab"))
    path = path_with(tmp_path, fakes)
    done = run(["sh", "-c", script], env={"PATH": path, "LOG": str(log), "HAVE": str(have)})
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
        "awk": {"awk": "echo half; exit 1\n"},
        "awk-that-says-nothing": {"awk": ""},
        "df": {"df": "echo 'df: unrecognized option' >&2; exit 1\n"},
        "df-empty": {"df": "echo Size\n"},
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
    size = next(w for w in block("bare-metal").text.split() if w.startswith("size="))
    assert df_bytes(size) == 8 * GIB


@pytest.mark.parametrize("shm", [1, 64 * MIB + 1, (1 << 40) + 1])
def test_the_kernel_mounts_what_our_reader_reads(shm) -> None:
    text = block("bare-metal", shm=shm).text
    size = next(word for word in text.split() if word.startswith("size="))
    assert df_bytes(size) == READERS["bare-metal"](text) >= shm


def test_findmnt_would_find_a_fault(tmp_path) -> None:
    fstab, _ = grow(tmp_path, "", have=64 << 20)
    table = tmp_path / "written"
    table.write_text(fstab.replace("/shm", "/shn"), encoding="utf-8")
    assert "/dev/shn" in findmnt_verify(table).stdout


# ---------------------------------------------------------------- WSL

AS_WSL_MOUNTS_IT = """\
mount -t tmpfs -o size=1m none /mnt &&
mount --bind /mnt /dev/shm &&
"$@" &&
stat -f -c "%S %b" /dev/shm
"""


def boot(command: list[str]) -> CompletedProcess[str]:
    """Run the command where /dev/shm is a bind mount of a tmpfs, as in WSL."""
    root("mounting")
    private = [component("unshare"), "--mount", "--propagation", "private"]
    return run([*private, "sh", "-c", AS_WSL_MOUNTS_IT, "sh", *command])


@pytest.mark.parametrize("shm", [64 * MIB + 1, 8 * GIB])
def test_wsls_boot_command_gives_exactly_that_size(shm) -> None:
    text = block("wsl2", shm=shm).text
    done = boot(wsl_command(text))
    assert done.returncode == 0, done.stderr
    size, blocks = done.stdout.split()
    assert int(size) * int(blocks) == READERS["wsl2"](text)


def test_the_kernel_would_refuse_a_wrong_size_at_boot() -> None:
    wrong = [word.replace("8G", "8Gi") for word in wsl_command(block("wsl2").text)]
    assert boot(wrong).returncode != 0


@pytest.mark.parametrize("limit", [None, "900g", "900000m"])
def test_the_virtual_machine_holds_dev_shm_and_the_processes(limit) -> None:
    found = block("wsl2", memory_limit=limit)
    (line,) = [each for each in found.text.splitlines() if each.startswith("# memory=")]
    asked = {None: 72, "900g": 900, "900000m": 879}[limit]
    assert line == f"# memory={asked}GB"


# ---------------------------------------------------------------- Apptainer

APPTAINER = f"""\
if [ "$3" = df ]; then printf '  1B-blocks\\n%s\\n' "$HAVE"; exit; fi
{NOTE_WORDS}"""


def start(folder: Path, text: str, have: str) -> tuple[CompletedProcess[str], list[str]]:
    """Run the script with an Apptainer of paper; return how it went and what it started."""
    log = folder / "log"
    path = path_with(folder, {"apptainer": APPTAINER})
    done = run(["sh", "-c", text], env={"PATH": path, "LOG": str(log), "HAVE": have})
    return done, noted(log)


def test_apptainer_starts_where_dev_shm_is_large_enough(tmp_path) -> None:
    done, words = start(tmp_path, block("apptainer", deployment=HOSTILE).text, str(NEED))
    assert done.returncode == 0, done.stderr
    assert words == ["exec", "--nv", f"docker://{IMAGE}", *ARGV]


@pytest.mark.parametrize("have", [str(NEED - 1), "67108864", ""])
def test_apptainer_does_not_start_where_it_is_too_small(have, tmp_path) -> None:
    done, words = start(tmp_path, block("apptainer").text, have)
    assert done.returncode != 0
    assert words == []
    assert f"shm has {have} bytes, the job needs {NEED}\n" in done.stderr


@pytest.mark.parametrize(
    ("image", "written"),
    [
        ("a.example/b:1", "docker://a.example/b:1"),
        ("oras://a.example/b:1", "oras://a.example/b:1"),
        ("train.sif", "train.sif"),
        ("/images/train", "/images/train"),
        ("./train", "./train"),
    ],
)
def test_only_a_name_in_a_registry_becomes_an_address(image, written, tmp_path) -> None:
    text = block("apptainer", accelerator=False, deployment={"image": image}).text
    _, words = start(tmp_path, text, str(8 * GIB))
    assert words[:2] == ["exec", written]


@pytest.mark.parametrize("target", ["bare-metal", "apptainer", "wsl2"])
@pytest.mark.parametrize("values", [{"accelerator": False}, {"deployment": {"gpus": 0}}])
def test_without_a_gpu_a_machine_is_asked_for_none(target, values) -> None:
    text = block(target, **values).text
    assert "gpu" not in text
    assert "nvidia" not in text
    assert "--nv" not in text
