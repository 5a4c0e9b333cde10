"""Podman's blocks in Podman: started, or turned into units by its own generator."""

from __future__ import annotations

import shutil
from pathlib import Path
from subprocess import CompletedProcess
from uuid import uuid4

import pytest

from calculator import presets
from calculator.blocks import Block
from calculator.units import GIB, MIB
from tests.support import busybox, podman
from tests.support.components import component, run
from tests.support.shell import shellcheck
from tests.targets.readers import READERS, unit
from tests.targets.readers.podman import commands, files, option
from tests.targets.readers.words import argv
from tests.targets.rendered import block
from tests.targets.typed import ARGV, HOSTILE, IMAGE

SIZES = [1, 64 * MIB + 1, 5_550_112_768, (1 << 40) + 1]
ALL = ["podman-run", "podman-pod", "quadlet-container", "quadlet-pod", "containers-conf"]
CDI = "nvidia.com/gpu="
PODMANS_DEFAULT = 65_536_000


def flags(words: list[str]) -> list[str]:
    """Return what stands between `podman run --rm` and the image."""
    assert words[:3] == ["podman", "run", "--rm"]
    return words[3 : words.index("your-image:latest")]


# ---------------------------------------------------------------- podman run


@pytest.mark.parametrize("shm", SIZES)
def test_podman_gives_the_container_exactly_that_dev_shm(shm) -> None:
    text = block("podman-run", shm=shm, accelerator=False).text
    assert podman.df_bytes(flags(argv(text))) == READERS["podman-run"](text) >= shm


def test_podman_takes_the_memory_limit_too() -> None:
    text = block("podman-run", accelerator=False, memory_limit="900g").text
    words = flags(argv(text))
    assert "--memory=900g" in words
    assert podman.df_bytes(words) == 8 * GIB


def test_podman_would_refuse_a_wrong_size() -> None:
    words = flags(argv(block("podman-run", accelerator=False).text))
    wrong = ["--shm-size=8xg" if word.startswith("--shm-size") else word for word in words]
    assert "invalid" in podman.podman_run(wrong, ["true"]).stderr


# ---------------------------------------------------------------- a pod


def start_in_pod(found: Block) -> CompletedProcess[str]:
    """Run both commands as they stand, but busybox instead of the image and its command."""
    component("catatonit")
    create, start = commands(found.text)
    try:
        made = podman.podman(*create[1:])
        assert made.returncode == 0, made.stderr
        return podman.podman_run(flags(start), busybox.SHM_BYTES)
    finally:
        podman.podman("pod", "rm", "--force", option(create, "--name"))


@pytest.mark.parametrize("shm", SIZES[1:3])
def test_a_container_in_the_pod_has_exactly_the_pods_dev_shm(shm) -> None:
    name = f"shm-{uuid4().hex[:12]}"
    found = block("podman-pod", shm=shm, accelerator=False, deployment={"name": name})
    done = start_in_pod(found)
    assert done.returncode == 0, done.stderr
    assert busybox.read_shm_bytes(done.stdout) == READERS["podman-pod"](found.text)


def test_a_size_at_the_container_in_a_pod_would_have_no_effect() -> None:
    name = f"shm-{uuid4().hex[:12]}"
    found = block("podman-pod", accelerator=False, deployment={"name": name})
    moved = found.text.replace(" --shm-size=8g", "").replace("--rm", "--rm --shm-size=8g")
    done = start_in_pod(found.model_copy(update={"text": moved}))
    assert busybox.read_shm_bytes(done.stdout) == PODMANS_DEFAULT


# ---------------------------------------------------------------- containers.conf


def start_with(drop_in: str, folder: Path) -> int:
    """Return a new container's /dev/shm where /etc/containers holds this drop-in file."""
    settings = podman.surroundings()
    shutil.copy(settings["CONTAINERS_CONF"], folder / "containers.conf")
    (folder / "containers.conf.d").mkdir()
    (folder / "containers.conf.d" / "shm.conf").write_text(drop_in, encoding="utf-8")
    inside = [component("podman"), "run", "--rm", "--rootfs", str(busybox.root_folder())]
    script = 'mount --bind "$1" /etc/containers && shift && unset CONTAINERS_CONF && exec "$@"'
    private = [component("unshare"), "--mount", "--propagation", "private", "sh", "-c", script]
    done = run([*private, "sh", str(folder), *inside, *busybox.SHM_BYTES], env=settings)
    assert done.returncode == 0, done.stderr
    return busybox.read_shm_bytes(done.stdout)


@pytest.mark.parametrize("shm", SIZES)
def test_new_containers_have_exactly_the_size_of_containers_conf(shm, tmp_path) -> None:
    text = block("containers-conf", shm=shm).text
    assert start_with(text, tmp_path) == READERS["containers-conf"](text) >= shm


def test_with_a_suffix_podman_would_give_less(tmp_path) -> None:
    text = block("containers-conf").text.replace(str(8 * GIB), "8g")
    assert start_with(text, tmp_path) == READERS["containers-conf"](text) == 8 * 10**9


# ---------------------------------------------------------------- Quadlet


def generate(folder: Path, found: Block) -> dict[str, dict[str, unit.Section]]:
    """Let Podman's generator read a block's files; return the services it makes of them."""
    for name, text in (files(found.text) or {found.filename: found.text}).items():
        (folder / name).write_text(text, encoding="utf-8")
    done = podman.quadlet(folder)
    assert done.returncode == 0, done.stderr
    parts = done.stdout.split("---")
    return {name: unit.sections(body) for name, body in zip(parts[1::2], parts[2::2], strict=True)}


def started(service: dict[str, unit.Section], key: str = "ExecStart") -> list[str]:
    """Return the words of a command that systemd starts, specifiers of Quadlet's own aside."""
    environment = dict(
        value.split("=", 1) for value in unit.values(service["Service"], "Environment")
    )
    words = unit.split(unit.one(service["Service"], key))
    return [
        word if word.startswith(("--cidfile=", "--infra-", "--pod-id-file=", "%t/"))
        else unit.expand(word, environment)
        for word in words
    ]  # fmt: skip


@pytest.mark.parametrize("values", [{}, {"accelerator": False}, {"deployment": {"gpus": 2}}])
@pytest.mark.parametrize("shm", SIZES)
def test_quadlet_passes_size_and_devices_on(shm, values, tmp_path) -> None:
    found = block("quadlet-container", shm=shm, **values)
    words = started(generate(tmp_path, found)["trainer.service"])
    size = option(words, "--shm-size")
    assert podman.df_bytes([f"--shm-size={size}"]) == READERS["quadlet-container"](found.text)
    devices = [word for word in words if word.startswith(CDI)]
    wanted = ["0", "1"] if values.get("deployment") else ["all"]
    assert devices == ([] if "accelerator" in values else [CDI + each for each in wanted])
    assert words[-4:] == ["your-image:latest", "torchrun", "--nproc-per-node=8", "train.py"]


def test_quadlet_gives_the_size_to_the_pod_and_the_container_to_it(tmp_path) -> None:
    services = generate(tmp_path, block("quadlet-pod", memory_limit="900g"))
    pod = started(services["trainer-pod.service"], "ExecStartPre")
    assert pod[1:3] == ["pod", "create"]
    assert option(pod, "--shm-size") == "8g"
    container = started(services["trainer-main.service"])
    assert "--pod-id-file" in container
    assert "--memory=900g" in container
    assert "--shm-size" not in container
    requires = unit.values(services["trainer-main.service"]["Unit"], "BindsTo")
    assert requires == ["trainer-pod.service"]


@pytest.mark.parametrize("target", ["quadlet-container", "quadlet-pod"])
def test_whatever_is_typed_arrives_through_quadlet_and_systemd(target, tmp_path) -> None:
    services = generate(tmp_path, block(target, deployment={**HOSTILE, "name": "a"}))
    name = "a.service" if target == "quadlet-container" else "a-main.service"
    assert started(services[name])[-len(ARGV) - 1 :] == [IMAGE, *ARGV]


def test_quadlet_would_refuse_an_unknown_key(tmp_path) -> None:
    found = block("quadlet-container")
    (tmp_path / found.filename).write_text(found.text.replace("ShmSize", "ShmSiz"), "utf-8")
    assert "unsupported key 'ShmSiz'" in podman.quadlet(tmp_path).stderr


def unguarded(key: str, value: str) -> Block:
    """Return the block with a value written as it was typed."""
    found = block("quadlet-container")
    (old,) = [line for line in found.text.splitlines() if line.startswith(f"{key}=")]
    return found.model_copy(update={"text": found.text.replace(old, f"{key}={value}")})


@pytest.mark.parametrize(
    ("key", "value", "end"),
    [
        ("Image", "x\\", [CDI + "all", "xExec=torchrun --nproc-per-node=8 train.py"]),
        ("Exec", 'a "" b', ["your-image:latest", "a"]),
    ],
)
def test_quadlet_would_lose_what_is_not_kept_apart(tmp_path, key, value, end) -> None:
    assert started(generate(tmp_path, unguarded(key, value))["trainer.service"])[-2:] == end


@pytest.mark.parametrize(
    ("value", "words"),
    [('a ";" b', "lone semicolon"), ("%n", "specifier"), ("$HOME", "HOME"), ("${A}", "A")],
)
def test_systemd_would_read_what_is_not_doubled_for_its_own(tmp_path, value, words) -> None:
    services = generate(tmp_path, unguarded("Exec", value))
    with pytest.raises(ValueError, match=words):
        started(services["trainer.service"])


def test_the_units_are_called_by_the_jobs_name() -> None:
    assert block("quadlet-container", deployment={"name": "a-b"}).filename == "a-b.container"


# ---------------------------------------------------------------- all of them


@pytest.mark.parametrize("preset", presets.preset_ids())
@pytest.mark.parametrize("target", ["podman-run", "podman-pod"])
def test_shellcheck_finds_nothing_in_any_preset(target, preset) -> None:
    values = presets.load(preset).workload.model_dump(mode="json")
    done = shellcheck(f"#!/bin/sh\n{block(target, **values).text}")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("target", ["podman-run", "podman-pod"])
def test_whatever_is_typed_arrives_through_the_shell(target) -> None:
    start = commands(block(target, deployment=HOSTILE).text)[-1]
    assert start[-len(ARGV) - 1 :] == [IMAGE, *ARGV]


@pytest.mark.parametrize("target", ALL)
@pytest.mark.parametrize("values", [{"accelerator": False}, {"deployment": {"gpus": 0}}])
def test_without_a_gpu_podman_is_asked_for_none(target, values) -> None:
    text = block(target, **values).text
    assert "gpu" not in text
    assert "nvidia" not in text
