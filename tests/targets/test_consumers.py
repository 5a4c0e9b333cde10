"""Blocks handed to the real programs that will read them."""

from __future__ import annotations

import pytest

from calculator import presets, report
from tests.support.docker import docker
from tests.support.kubernetes import decode
from tests.support.shell import shellcheck
from tests.targets.readers.words import argv


def text(target: str, *, shm: int | None = None, preset: str = "images-8gpu") -> str:
    workload = presets.load(preset).workload
    return report.build(workload, shm_bytes=shm, targets=[target]).targets[0].text


# ---------------------------------------------------------------- shell

SHELL = ["docker-run", "docker-run-ipc-host"]


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
