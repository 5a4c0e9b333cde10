"""Each real component takes a good input and refuses a planted fault, for the right reason."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from calculator.units import GIB, MIB
from tests.support import (
    aws,
    components,
    docker,
    dockerd,
    hcl,
    kubernetes,
    podman,
    shell,
    tmpfs,
)
from tests.targets.readers.words import yaml

# ---------------------------------------------------------------- what is not there


def test_a_missing_component_fails_in_ci_and_skips_elsewhere(monkeypatch) -> None:
    monkeypatch.setenv("CI", "true")
    with pytest.raises(
        pytest.fail.Exception, match="no-such-program is not installed; CI must install it"
    ):
        components.component("no-such-program")
    monkeypatch.setenv("CI", "false")
    with pytest.raises(pytest.skip.Exception, match="no-such-program is not installed"):
        components.component("no-such-program")


# ---------------------------------------------------------------- podman


def test_podman_mounts_what_the_flag_says() -> None:
    assert podman.df_bytes(["--shm-size=100m"]) == 100 * MIB


def test_podman_refuses_a_size_beside_host_ipc() -> None:
    done = podman.podman_run(["--shm-size=1g", "--ipc=host"], ["true"])
    assert "cannot set shmsize when running in the {host } IPC Namespace" in done.stderr


def test_podman_runs_out_of_a_small_dev_shm() -> None:
    write = ["dd", "if=/dev/zero", "of=/dev/shm/x", "bs=1M", "count=8"]
    assert "No space left on device" in podman.podman_run(["--shm-size=4m"], write).stderr
    assert podman.podman_run(["--shm-size=16m"], write).returncode == 0


def test_a_pod_gives_its_containers_one_dev_shm() -> None:
    assert podman.pod_df_bytes(["--shm-size=96m"]) == 96 * MIB
    with pytest.raises(AssertionError, match="invalid size: '96q'"):
        podman.pod_df_bytes(["--shm-size=96q"])


def test_quadlet_hands_the_size_to_podman_and_knows_its_keys(tmp_path) -> None:
    unit = tmp_path / "trainer.container"
    unit.write_text("[Container]\nImage=a.example/b:1\nShmSize=8g\n", encoding="utf-8")
    assert "--shm-size 8g" in podman.quadlet(tmp_path).stdout
    unit.write_text("[Container]\nImage=a.example/b:1\nShmSiz=8g\n", encoding="utf-8")
    assert "unsupported key 'ShmSiz'" in podman.quadlet(tmp_path).stderr


# ---------------------------------------------------------------- docker


def test_docker_reads_flags_without_an_engine() -> None:
    assert "annot connect" in docker.docker("run", "--shm-size=8g", "a:1").stderr
    assert "invalid" in docker.docker("run", "--shm-size=8xg", "a:1").stderr
    assert "unknown flag: --shm" in docker.docker("run", "--shm=8g", "a:1").stderr


def test_docker_mounts_what_the_flag_says_and_64_mib_without(docker_engine) -> None:
    assert docker_engine.df_bytes(["--shm-size=100m"]) == 100 * MIB
    assert docker_engine.df_bytes([]) == 64 * MIB


def test_docker_refuses_a_wrong_size(docker_engine) -> None:
    assert "invalid" in docker_engine.run(["--shm-size=8xg"], ["true"]).stderr
    assert "unknown flag: --shm" in docker_engine.run(["--shm=8g"], ["true"]).stderr


def test_dockers_engine_reads_its_daemon_json() -> None:
    with dockerd.engine({"default-shm-size": "3G"}) as engine:
        assert engine.df_bytes([]) == 3 * GIB


def test_dockers_engine_refuses_a_wrong_daemon_json() -> None:
    planted = {"default-shm-siz": "3G"}
    with pytest.raises(pytest.fail.Exception, match="default-shm-siz"), dockerd.engine(planted):
        pass


# ---------------------------------------------------------------- compose

COMPOSE = "services:\n  trainer:\n    image: a:1\n    {}\n"


def test_compose_normalises_the_size_and_knows_its_keys(tmp_path) -> None:
    file = tmp_path / "compose.yaml"
    file.write_text(COMPOSE.format("shm_size: 8gb"), encoding="utf-8")
    service = json.loads(docker.compose_config(file).stdout)["services"]["trainer"]
    assert int(service["shm_size"]) == 8 * GIB
    file.write_text(COMPOSE.format("shmsize: 8gb"), encoding="utf-8")
    assert "Additional property shmsize is not allowed" in docker.compose_config(file).stderr
    file.write_text(COMPOSE.format("shm_size: 8 gigabytes"), encoding="utf-8")
    assert "invalid size: '8 gigabytes'" in docker.compose_config(file).stderr


def test_swarm_says_what_it_ignores_and_knows_its_keys(tmp_path) -> None:
    file = tmp_path / "stack.yaml"
    head = "version: '3.8'\n" + COMPOSE
    file.write_text(head.format("command: [python]"), encoding="utf-8")
    assert yaml(docker.stack_config(file).stdout)["services"]["trainer"]["command"] == ["python"]
    file.write_text(head.format("shmsize: 8gb"), encoding="utf-8")
    assert "Additional property shmsize is not allowed" in docker.stack_config(file).stderr


# ---------------------------------------------------------------- kubernetes

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "trainer"},
    "spec": {
        "containers": [{"name": "trainer", "image": "a:1"}],
        "volumes": [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "8Gi"}}],
    },
}


def planted(document: dict[str, Any], **volume: object) -> dict[str, Any]:
    """Return the pod with another volume."""
    changed = copy.deepcopy(document)
    changed["spec"]["volumes"][0]["emptyDir"] = volume
    return changed


def test_kubernetes_knows_its_keys_in_every_version() -> None:
    assert kubernetes.errors(POD) == []
    found = kubernetes.errors(planted(POD, sizelimit="8Gi"))
    assert [text.split(":")[0] for text in found] == list(kubernetes.VERSIONS)
    assert all("$.spec.volumes[0].emptyDir" in text and "'sizelimit'" in text for text in found)
    assert "Couldn't find schema for kind Pot" in kubernetes.errors({**POD, "kind": "Pot"})[0]


def test_kubectl_reads_sizes(tmp_path) -> None:
    manifest = tmp_path / "pod.json"
    manifest.write_text(json.dumps(POD), encoding="utf-8")
    assert kubernetes.decode(manifest).stdout == "pod/trainer\n"
    manifest.write_text(json.dumps(planted(POD, sizeLimit="8GB")), encoding="utf-8")
    assert "quantities must match" in kubernetes.decode(manifest).stderr


def test_kustomize_builds_and_knows_its_keys(tmp_path) -> None:
    (tmp_path / "pod.yaml").write_text(json.dumps(POD), encoding="utf-8")
    kustomization = tmp_path / "kustomization.yaml"
    kustomization.write_text("resources: [pod.yaml]\nnamePrefix: a-\n", encoding="utf-8")
    assert yaml(kubernetes.kustomize(tmp_path).stdout)["metadata"]["name"] == "a-trainer"
    kustomization.write_text("resources: [pod.yaml]\nnamePrefx: a-\n", encoding="utf-8")
    assert 'unknown field "namePrefx"' in kubernetes.kustomize(tmp_path).stderr


def test_helm_renders_and_holds_values_against_the_charts_schema(tmp_path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: a\nversion: 1.0.0\n")
    template = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {size: {{ .Values.size }}}"
    )
    (tmp_path / "templates" / "a.yaml").write_text(template, encoding="utf-8")
    schema = {"properties": {"size": {"type": "string"}}, "additionalProperties": False}
    (tmp_path / "values.schema.json").write_text(json.dumps(schema), encoding="utf-8")
    values = tmp_path / "given.yaml"
    values.write_text("size: 8Gi\n", encoding="utf-8")
    rendered = kubernetes.helm("template", "r", tmp_path, "--values", values)
    assert yaml(rendered.stdout)["data"] == {"size": "8Gi"}
    assert "0 chart(s) failed" in kubernetes.helm("lint", tmp_path, "--values", values).stdout
    values.write_text("sice: 8Gi\n", encoding="utf-8")
    for command in (["template", "r"], ["lint"]):
        done = kubernetes.helm(*command, tmp_path, "--values", values)
        assert "additional properties 'sice' not allowed" in done.stdout + done.stderr


def ray(pod: dict[str, Any]) -> dict[str, Any]:
    """Return a cluster whose only group has this pod."""
    group = {"rayStartParams": {}, "template": {"spec": pod["spec"]}}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": "a"},
        "spec": {"headGroupSpec": group},
    }


def test_operators_know_their_keys_and_sizes() -> None:
    assert kubernetes.operator_errors(ray(POD)) == []
    (error,) = kubernetes.operator_errors(ray(planted(POD, sizelimit="8Gi")))
    assert "emptyDir: Additional properties are not allowed ('sizelimit'" in error
    (error,) = kubernetes.operator_errors(ray(planted(POD, sizeLimit="8GB")))
    assert "'8GB' does not match" in error
    with pytest.raises(KeyError, match="RayClutter"):
        kubernetes.operator_errors({**ray(POD), "kind": "RayClutter"})


def test_a_named_folder_of_schemas_must_be_there(monkeypatch) -> None:
    monkeypatch.setenv("SHM_SCHEMAS", "nowhere")
    with pytest.raises(AssertionError, match="SHM_SCHEMAS names nowhere, which is no folder"):
        kubernetes.schema_folder()


# ---------------------------------------------------------------- AWS


def task(**linux: object) -> dict[str, Any]:
    """Return a request for ECS."""
    container = {"name": "a", "image": "a:1", "linuxParameters": linux}
    return {"family": "a", "containerDefinitions": [container]}


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (task(sharedMemorySize=8192), ""),
        (task(sharedMemorySize="8g"), "Invalid type for parameter"),
        (task(sharedMemorysize=8192), "Unknown parameter in containerDefinitions[0]"),
        ({**task(), "ipcMode": "hosts"}, "ipcMode: 'hosts' is none of host, task, none"),
        ({"family": "a"}, 'Missing required parameter in input: "containerDefinitions"'),
    ],
)
def test_ecs_knows_its_keys_types_and_words(request_, words) -> None:
    found = "\n".join(aws.errors("ecs", "RegisterTaskDefinition", request_))
    assert words in found
    assert bool(words) == bool(found)


# ---------------------------------------------------------------- slurm


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            "--nodes=8 --ntasks-per-node=8 --cpus-per-task=16 --gres=gpu:8 --mem=4000G",
            "to start at",
        ),
        ("--mem=8Gi", "Invalid --mem specification"),
        ("--shm-size=8g", "unrecognized option '--shm-size=8g'"),
        ("--gres=gpu:9", "Requested node configuration is not available"),
        ("--mem=20000G", "Requested node configuration is not available"),
    ],
)
def test_slurm_knows_its_options_and_nodes(slurm_controller, tmp_path, options, words) -> None:
    script = tmp_path / "job.sh"
    script.write_text(f"#!/bin/sh\n#SBATCH {options}\ntrue\n", encoding="utf-8")
    assert words in slurm_controller.test_only(script).stderr


# ---------------------------------------------------------------- text


def test_hcl_is_read_and_a_fault_is_placed() -> None:
    job = 'job "a" {\n  task "b" {\n    config { shm_size = 1024 }\n  }\n}\n'
    (body,) = hcl.read(job)["job"]
    (part,) = body["a"]["task"]
    assert part["b"]["config"] == [{"shm_size": 1024}]
    with pytest.raises(ValueError, match="at line 3"):
        hcl.read(job.replace("1024", ""))


def test_shellcheck_finds_missing_quotes_and_what_sh_lacks() -> None:
    assert shell.shellcheck('rm "$1"\n').returncode == 0
    assert "SC2086" in shell.shellcheck("rm $1\n").stdout
    assert "SC3010" in shell.shellcheck("[[ -n $1 ]]\n").stdout
    assert shell.shellcheck("[[ -n $1 ]]\n", "bash").returncode == 0


def test_the_words_of_commands_are_found_wherever_they_stand() -> None:
    text = "# why\ndocker run --shm-size=8g \\\n  'a b' && mount -o x | cat\nif true; then ls; fi\n"
    assert shell.commands(text) == [
        ["docker", "run", "--shm-size=8g", "a b"],
        ["mount", "-o", "x"],
        ["cat"],
        ["true"],
        ["ls"],
    ]


# ---------------------------------------------------------------- the kernel


def test_the_kernel_reads_sizes_of_tmpfs() -> None:
    assert tmpfs.df_bytes("size=8G") == 8 * GIB
    assert "wrong fs type, bad option" in tmpfs.mount("size=8Gi").stderr


def test_findmnt_finds_a_fault_in_fstab(tmp_path) -> None:
    fstab = tmp_path / "fstab"
    fstab.write_text("tmpfs /dev/shm tmpfs size=8G 0 0\n", encoding="utf-8")
    assert "Success, no errors" in tmpfs.findmnt_verify(fstab).stdout
    fstab.write_text("tmpfs /dev/shn tmpfs size=8G 0 0\n", encoding="utf-8")
    assert "target" in tmpfs.findmnt_verify(fstab).stdout
