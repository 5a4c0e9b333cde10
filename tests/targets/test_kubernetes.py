"""Kubernetes' own kinds, read by its published types and by kubectl."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from calculator import presets
from calculator.units import read_kubernetes
from tests.support import kubernetes
from tests.targets.readers import READERS
from tests.targets.readers.kubernetes import expand, workload
from tests.targets.readers.words import documents
from tests.targets.rendered import block, of_preset
from tests.targets.typed import ARGV, HOSTILE, IMAGE

KINDS = {
    "kubernetes-pod": "pod/trainer",
    "kubernetes-job": "job.batch/trainer",
    "kubernetes-indexed-job": "job.batch/trainer",
    "kubernetes-deployment": "deployment.apps/trainer",
    "kubernetes-statefulset": "statefulset.apps/trainer",
    "crio-annotation": "pod/trainer",
}
TEMPLATED = [target for target in KINDS if target.startswith("kubernetes-") and "pod" not in target]
ALL = [*KINDS, "kubernetes-patch", "kustomize-component", "helm"]
ALL += ["kyverno-policy", "admission-policy"]
NODES: dict[str, Any] = {"job_ranks": 32, "deployment": {"namespace": "team-a"}}

NAMED = {**HOSTILE, "name": "on", "namespace": "y"}


def pod(text: str) -> Any:
    spec = workload(text)["spec"]
    return spec["template"]["spec"] if "template" in spec else spec


def decoded(text: str, folder: Path) -> CompletedProcess[str]:
    """Let kubectl read what makes the pods; a Service has none to read."""
    manifest = folder / "block.yaml"
    manifest.write_text(text.rpartition("---\n")[2], encoding="utf-8")
    return kubernetes.decode(manifest)


def refusals(text: str) -> list[str]:
    return [each for document in documents(text) for each in kubernetes.errors(document)]


# ---------------------------------------------------------------- what Kubernetes reads


@pytest.mark.parametrize("target", KINDS)
@pytest.mark.parametrize(
    "values",
    [
        {},
        {"accelerator": False, "ranks": 1},
        {"ranks": 3, "deployment": {"gpus": 0}},
        {"memory_limit": "900g"},
        NODES,
        {"deployment": NAMED},
    ],
)
def test_three_versions_of_kubernetes_know_every_key(target, values) -> None:
    assert refusals(block(target, **values).text) == []


@pytest.mark.parametrize("target", KINDS)
@pytest.mark.parametrize("preset", ["images-8gpu", "hf-trainer", "open-sora", "llm-sft"])
def test_kubectl_reads_the_sizes(target, preset, tmp_path) -> None:
    done = decoded(of_preset(target, preset), tmp_path)
    assert done.stdout.strip() == KINDS[target], done.stderr


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_kubectl_reads_the_pod_of_every_preset(preset, tmp_path) -> None:
    assert decoded(of_preset("kubernetes-pod", preset), tmp_path).stdout.strip() == "pod/trainer"


@pytest.mark.parametrize("target", KINDS)
@pytest.mark.parametrize("shm", [1, 64 << 20, (1 << 40) + 1])
def test_kubectl_reads_the_sizes_at_the_edges(target, shm, tmp_path) -> None:
    assert decoded(block(target, shm=shm).text, tmp_path).stdout.strip() == KINDS[target]


@pytest.mark.parametrize("target", TEMPLATED)
def test_each_of_the_two_finds_a_planted_fault(target, tmp_path) -> None:
    good = block(target).text
    assert "'sizelimit' was unexpected" in str(refusals(good.replace("sizeLimit", "sizelimit")))
    wrong = good.replace("sizeLimit: ", "sizeLimit: 16GB #")
    assert "quantities must match" in decoded(wrong, tmp_path).stderr


@pytest.mark.parametrize("target", TEMPLATED)
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("medium: Memory", "medium: memory"),
        ("- name: dshm\n              mount", "- name: shm\n              mount"),
        ("mountPath: /dev/shm", "mountPath: /dev/shmem"),
    ],
)
def test_what_neither_looks_at_our_reader_does(target, right, wrong) -> None:
    text = block(target).text
    assert right in text
    with pytest.raises((AssertionError, ValueError)):
        READERS[target](text.replace(right, wrong))


# ---------------------------------------------------------------- what a person typed


@pytest.mark.parametrize("target", KINDS)
def test_image_and_command_come_back_as_they_were_typed(target) -> None:
    text = block(target, deployment=NAMED).text
    (container,) = pod(text)["containers"]
    assert container["image"] == IMAGE
    assert [expand(word) for word in container["command"]] == ARGV
    assert container["name"] == "on"
    for each in documents(text):
        assert (each["metadata"]["name"], each["metadata"]["namespace"]) == ("on", "y")


@pytest.mark.parametrize("target", ALL)
def test_without_a_gpu_nothing_speaks_of_one(target) -> None:
    for values in ({"accelerator": False}, {"deployment": {"gpus": 0}}):
        found = block(target, **values)
        said = json.dumps([found.text, found.shares, found.verify, found.recreate]).lower()
        assert "gpu" not in said
        assert "nvidia" not in said


@pytest.mark.parametrize("target", KINDS)
@pytest.mark.parametrize("given", [None, "1g", "4t"])
def test_the_memory_limit_holds_the_volume_and_what_was_asked_for(target, given) -> None:
    found = block(target, memory_limit=given)
    (container,) = pod(found.text)["containers"]
    resources = container["resources"]
    limit = read_kubernetes(resources["limits"]["memory"])
    assert resources["requests"]["memory"] == resources["limits"]["memory"]
    assert limit > found.shm_bytes
    if found.containers == 1 and given:
        assert limit >= {"1g": 1 << 30, "4t": 4 << 40}[given]


@pytest.mark.parametrize("target", KINDS)
def test_a_container_gets_a_gpu_for_each_of_its_processes_or_what_was_said(target) -> None:
    (container,) = pod(block(target).text)["containers"]
    ranks = 1 if target == "kubernetes-indexed-job" else 8
    assert container["resources"]["limits"]["nvidia.com/gpu"] == ranks
    (container,) = pod(block(target, deployment={"gpus": 3}).text)["containers"]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == 3


# ---------------------------------------------------------------- one pod and several


def environment(text: str) -> dict[str, str]:
    (container,) = pod(text)["containers"]
    return {
        each["name"]: each.get("value") or each["valueFrom"]["fieldRef"]["fieldPath"]
        for each in container.get("env", [])
    }


JOB_INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
SET_INDEX = "metadata.labels['apps.kubernetes.io/pod-index']"


@pytest.mark.parametrize(
    ("target", "index"), [("kubernetes-job", JOB_INDEX), ("kubernetes-statefulset", SET_INDEX)]
)
def test_the_pods_of_several_nodes_find_each_other(target, index) -> None:
    text = block(target, **NODES).text
    assert environment(text) == {
        "PET_NNODES": "4",
        "PET_NODE_RANK": index,
        "PET_MASTER_ADDR": "trainer-0.trainer",
        "PET_MASTER_PORT": "29500",
    }
    assert environment(block(target).text) == {}


def test_a_job_on_several_nodes_numbers_its_pods() -> None:
    spec = workload(block("kubernetes-job", **NODES).text)["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 4, 4)
    alone = workload(block("kubernetes-job").text)["spec"]
    assert not {"completionMode", "completions", "parallelism"} & set(alone)


@pytest.mark.parametrize(
    ("target", "carried"),
    [
        ("kubernetes-job", {"batch.kubernetes.io/job-name": "trainer"}),
        ("kubernetes-indexed-job", {"batch.kubernetes.io/job-name": "trainer"}),
        ("kubernetes-statefulset", {"app.kubernetes.io/name": "trainer"}),
    ],
)
def test_the_service_names_the_pods_even_before_they_are_ready(target, carried) -> None:
    service, makes = documents(block(target, **NODES).text)
    assert service["spec"]["selector"] == carried
    assert service["spec"]["clusterIP"] == "None"
    assert service["spec"]["publishNotReadyAddresses"] is True
    template = makes["spec"]["template"]
    names = template["spec"].get("subdomain") or makes["spec"]["serviceName"]
    assert names == service["metadata"]["name"]


@pytest.mark.parametrize("target", ["kubernetes-deployment", "kubernetes-statefulset"])
@pytest.mark.parametrize(("values", "pods"), [({}, 1), (NODES, 4)])
def test_replicas_are_the_containers_of_the_job(target, values, pods) -> None:
    spec = workload(block(target, **values).text)["spec"]
    assert spec["replicas"] == pods
    assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
    assert "restartPolicy" not in spec["template"]["spec"]


def test_one_process_a_pod_is_told_its_rank() -> None:
    found = block("kubernetes-indexed-job")
    assert (found.ranks, found.containers) == (1, 8)
    assert environment(found.text) == {
        "WORLD_SIZE": "8",
        "RANK": JOB_INDEX,
        "LOCAL_RANK": "0",
        "MASTER_ADDR": "trainer-0.trainer",
        "MASTER_PORT": "29500",
        # and for torch's launchers, which read no other
        "PET_NNODES": "8",
        "PET_NODE_RANK": JOB_INDEX,
        "PET_MASTER_ADDR": "trainer-0.trainer",
        "PET_MASTER_PORT": "29500",
    }


@pytest.mark.parametrize(
    "said", [{"ranks_per_pod": 4}, {"command": "torchrun train.py"}, {"command": "/bin/torchrun t"}]
)
def test_torchrun_is_told_its_node(said) -> None:
    found = environment(block("kubernetes-indexed-job", deployment=said).text)
    assert found["PET_NODE_RANK"] == JOB_INDEX
    assert found["PET_NNODES"] == ("2" if "ranks_per_pod" in said else "8")
    assert ("RANK" in found) == ("ranks_per_pod" not in said)


# ---------------------------------------------------------------- the probe beside the job


@pytest.mark.parametrize("values", [{}, {"memory_limit": "900g"}, NODES, {"deployment": NAMED}])
def test_the_pod_with_the_probe_is_one_that_kubernetes_takes(values, tmp_path) -> None:
    text = block("probe-sidecar", **values).text
    assert refusals(text) == []
    name = workload(text)["metadata"]["name"]
    assert decoded(text, tmp_path).stdout.strip() == f"pod/{name}"


def test_the_probe_shares_shm_and_processes_with_the_job() -> None:
    found = block("probe-sidecar")
    spec = pod(found.text)
    assert spec["shareProcessNamespace"] is True
    job, probe = spec["containers"]
    (shared,) = (each["name"] for each in spec["volumes"] if "emptyDir" in each)
    mounts = [
        {each["name"]: each["mountPath"] for each in one["volumeMounts"]} for one in (job, probe)
    ]
    assert mounts[0][shared] == mounts[1][shared] == "/dev/shm"  # noqa: S108
    (script,) = (each for each in spec["volumes"] if "configMap" in each)
    assert mounts[1][script["name"]] == "/probe"
    assert f"configmap {script['configMap']['name']} --from-file=shm_probe.py" in found.recreate
    assert probe["command"] == ["python3", "/probe/shm_probe.py", "--watch"]
    assert job["resources"] == pod(block("kubernetes-pod").text)["containers"][0]["resources"]


@pytest.mark.parametrize("name", ["trainer", "shm-probe"])
def test_the_probe_beside_the_job_has_a_name_of_its_own(name: str) -> None:
    found = block("probe-sidecar", deployment={"name": name})
    job, probe = (each["name"] for each in pod(found.text)["containers"])
    assert job == name != probe
    assert shlex.split(found.verify)[:5] == ["kubectl", "logs", name, "-c", probe]


def test_the_probes_line_for_kubectl_names_the_pod_its_container_and_its_namespace() -> None:
    words = {"name": "my-job", "namespace": "team-a"}
    lines = block("probe", deployment=words).text.splitlines()
    (line,) = (each for each in lines if each.startswith("kubectl"))
    command, _, file = line.partition(" <")
    assert file == "shm_probe.py"
    start = ["kubectl", "exec", "-i", "my-job", "-c", "my-job", "-n", "team-a", "--"]
    assert shlex.split(command)[: len(start)] == start
