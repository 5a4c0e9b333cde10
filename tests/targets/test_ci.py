"""Blocks for CI and editors in what reads them: GitHub, Docker, Kubernetes, Dev Containers."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from calculator import presets
from calculator.units import GIB, MIB
from tests.support import busybox, devcontainer, docker, dockerd, github, kubernetes
from tests.targets.readers import ci
from tests.targets.readers import docker as docker_readers
from tests.targets.readers.ci import runner
from tests.targets.readers.words import yaml
from tests.targets.rendered import SIZES, block, of_preset, text
from tests.targets.typed import ARGV, EVERY_HOSTILE

GIVEN: list[dict[str, Any]] = [
    {},
    {"accelerator": False},
    {"memory_limit": "900g", "deployment": {"gpus": 4, "namespace": "team-a"}},
]
TARGETS = [
    "swarm-stack",
    "github-actions",
    "gitlab-runner-docker",
    "gitlab-runner-kubernetes",
    "devcontainer",
]


@pytest.mark.parametrize("target", [*ci.READERS, *docker_readers.READERS])
def test_without_a_gpu_nothing_speaks_of_one(target) -> None:
    found = block(target, accelerator=False)
    said = " ".join([found.text, *(caveat.text for caveat in found.caveats)]).lower()
    assert "gpu" not in said
    assert "nvidia" not in said
    assert all(caveat.text for caveat in found.caveats)


def test_a_caveat_that_is_about_gpus_is_there_where_there_are_some() -> None:
    assert "GPUs" in block("gitlab-runner-kubernetes").caveats[-1].text


# ---------------------------------------------------------------- GitHub Actions


def job(written: str, place: Path) -> github.Job:
    """The job as GitHub's own parser understands it."""
    file = place / "train.yaml"
    file.write_text(written, encoding="utf-8")
    return github.read(file)


def created_with(flags: list[str]) -> str:
    """What Docker says of these flags where there is no engine."""
    return docker.docker("create", *flags, "a:1").stderr


@pytest.mark.parametrize("given", GIVEN)
def test_github_and_docker_take_every_key(tmp_path, given) -> None:
    found = job(text("github-actions", **given), tmp_path)
    assert found.errors == []
    assert found.runs[0] == "df -h /dev/shm"
    assert "annot connect" in created_with(shlex.split(found.container["options"]))


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_github_takes_every_preset(tmp_path, preset) -> None:
    found = job(of_preset("github-actions", preset), tmp_path)
    assert found.errors == []
    assert "annot connect" in created_with(shlex.split(found.container["options"]))


@pytest.mark.parametrize("typed", EVERY_HOSTILE)
def test_github_evaluates_nothing_of_what_a_person_types(tmp_path, typed) -> None:
    found = job(text("github-actions", deployment=typed), tmp_path)
    assert found.errors == []
    assert found.container["image"] == typed["image"]
    assert shlex.split(found.runs[-1]) == ARGV


def test_github_would_refuse_an_unknown_key_and_a_foreign_expression(tmp_path) -> None:
    written = text("github-actions")
    (error,) = job(written.replace("options:", "option:"), tmp_path).errors
    assert "Unexpected value 'option'" in error
    planted = written.replace("your-image:latest", '"x${{ b }}"')
    assert "Unrecognized named-value: 'b'" in job(planted, tmp_path).errors[0]
    assert "unknown flag: --shm" in created_with(["--shm=8g"])


@pytest.mark.parametrize("shm", SIZES)
def test_a_jobs_container_gets_exactly_the_size(docker_engine, tmp_path, shm) -> None:
    found = job(text("github-actions", shm=shm, accelerator=False), tmp_path)
    assert shm <= docker_engine.df_bytes(shlex.split(found.container["options"])) < shm + MIB


# ---------------------------------------------------------------- GitLab Runner


@pytest.mark.parametrize("given", GIVEN)
def test_docker_takes_what_the_runner_hands_it(given) -> None:
    """The runner reads memory and gpus as docker run reads the flags of these names."""
    settings = runner(text("gitlab-runner-docker", **given), "docker")
    assert set(settings) <= {"image", "shm_size", "gpus", "memory"}
    flags = [f"--{key}={settings[key]}" for key in ("gpus", "memory") if key in settings]
    assert "annot connect" in created_with(flags)
    assert ("memory" in settings) == ("memory_limit" in given)
    assert ("gpus" in settings) == given.get("accelerator", True)


@pytest.mark.parametrize("shm", SIZES)
def test_a_number_of_bytes_is_what_docker_mounts(docker_engine, shm) -> None:
    size = runner(text("gitlab-runner-docker", shm=shm), "docker")["shm_size"]
    assert docker_engine.df_bytes([f"--shm-size={size}"]) == size


@pytest.mark.parametrize("target", ["gitlab-runner-docker", "gitlab-runner-kubernetes"])
@pytest.mark.parametrize("typed", EVERY_HOSTILE)
def test_an_image_stays_one_text_of_toml(target, typed) -> None:
    executor = target.rpartition("-")[2]
    assert runner(text(target, deployment=typed), executor)["image"] == typed["image"]


def pod(written: str) -> dict[str, Any]:
    """The job's pod, as the runner's documentation says that it makes it of these keys."""
    settings = runner(written, "kubernetes")
    (volume,) = settings["volumes"]["empty_dir"]
    mount = {"name": volume["name"], "mountPath": volume["mount_path"]}
    limits = {"memory": settings["memory_limit"]}
    for patch in settings.get("pod_spec", []):
        assert patch["patch_type"] == "strategic"
        (patched,) = yaml(patch["patch"])["containers"]
        assert patched["name"] == "build"
        limits |= {key: str(value) for key, value in patched["resources"]["limits"].items()}
    build = {
        "name": "build",
        "image": settings["image"],
        "resources": {"limits": limits, "requests": {"memory": settings["memory_request"]}},
        "volumeMounts": [mount],
    }
    empty = {"medium": volume["medium"], "sizeLimit": volume["size_limit"]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "job", "namespace": settings.get("namespace", "default")},
        "spec": {
            "containers": [build, {"name": "helper", "image": "a:1", "volumeMounts": [mount]}],
            "volumes": [{"name": volume["name"], "emptyDir": empty}],
        },
    }


@pytest.mark.parametrize("given", GIVEN)
def test_kubernetes_takes_the_jobs_pod(tmp_path, given) -> None:
    found = pod(text("gitlab-runner-kubernetes", **given))
    file = tmp_path / "pod.json"
    file.write_text(json.dumps(found), encoding="utf-8")
    assert kubernetes.errors(found) == []
    assert kubernetes.decode(file).stdout.strip() == "pod/job"
    limits = found["spec"]["containers"][0]["resources"]["limits"]
    gpus = given.get("deployment", {}).get("gpus", 8)
    wanted = {"nvidia.com/gpu": str(gpus)} if given.get("accelerator", True) else {}
    assert {key: limits[key] for key in limits if key != "memory"} == wanted


def test_kubernetes_would_refuse_a_size_of_docker(tmp_path) -> None:
    found = pod(text("gitlab-runner-kubernetes").replace('"8Gi"', '"8GB"'))
    file = tmp_path / "pod.json"
    file.write_text(json.dumps(found), encoding="utf-8")
    assert "quantities must match" in kubernetes.decode(file).stderr


def test_the_patch_comes_with_the_flag_that_it_needs() -> None:
    flag = "FF_USE_ADVANCED_POD_SPEC_CONFIGURATION"
    (found,) = tomllib.loads(text("gitlab-runner-kubernetes"))["runners"]
    assert found["feature_flags"] == {flag: True}
    assert flag not in text("gitlab-runner-kubernetes", accelerator=False)


# ---------------------------------------------------------------- Dev Containers


@pytest.mark.parametrize("given", GIVEN)
def test_docker_takes_every_argument(given) -> None:
    found = json.loads(text("devcontainer", **given))
    assert "annot connect" in docker.docker("run", *found["runArgs"], found["image"]).stderr


@pytest.mark.parametrize("typed", EVERY_HOSTILE)
def test_an_image_stays_one_text_of_json(typed) -> None:
    assert json.loads(text("devcontainer", deployment=typed))["image"] == typed["image"]


def workspace(written: str, place: Path) -> Path:
    """A folder with a dev container; only its network, which the engine has not, is taken away."""
    settings = json.loads(written)
    settings["runArgs"].append("--network=none")
    (place / ".devcontainer.json").write_text(json.dumps(settings), encoding="utf-8")
    return place


def test_a_dev_container_gets_exactly_the_size(docker_engine, tmp_path) -> None:
    written = text("devcontainer", accelerator=False, deployment={"image": dockerd.IMAGE})
    started, _ = devcontainer.up(docker_engine, workspace(written, tmp_path))
    size = docker_engine.docker("exec", started, *busybox.SHM_BYTES).stdout
    docker_engine.docker("rm", "--force", started)
    assert busybox.read_shm_bytes(size) == 8 * GIB


def test_a_dev_container_would_not_start_with_a_wrong_argument(docker_engine, tmp_path) -> None:
    written = text("devcontainer", accelerator=False, deployment={"image": dockerd.IMAGE})
    planted = workspace(written.replace("--shm-size", "--shm"), tmp_path)
    started, said = devcontainer.up(docker_engine, planted)
    assert not started
    assert "unknown flag: --shm" in said
