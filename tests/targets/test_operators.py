"""Blocks of the Kubernetes operators, in the operators' own types and in Kubernetes itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from calculator.units import GIB, read_kubernetes
from tests.support import kubernetes
from tests.support.components import run
from tests.support.fakes import path_with
from tests.support.shell import shellcheck
from tests.targets.operator_pods import ALL, JOBS, OWN_TYPES, PODS, decoded, pods
from tests.targets.readers import READERS
from tests.targets.readers.words import yaml
from tests.targets.rendered import block

# ---------------------------------------------------------------- the operators' own types


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("target", OWN_TYPES)
def test_the_operator_knows_every_key_and_size(target, job) -> None:
    assert kubernetes.operator_errors(yaml(block(target, **JOBS[job]).text)) == []


@pytest.mark.parametrize("shm", [1, 64 << 20, (1 << 40) + 1])
@pytest.mark.parametrize("target", OWN_TYPES)
def test_the_operator_takes_the_smallest_and_the_largest_size(target, shm) -> None:
    assert kubernetes.operator_errors(yaml(block(target, shm=shm).text)) == []


@pytest.mark.parametrize("target", OWN_TYPES)
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (("sizeLimit: ", "sizelimit: "), "('sizelimit' was unexpected)"),
        (("sizeLimit: ", "sizeLimit: 8GB #"), "'8GB' does not match"),
        (("mountPath: /dev/shm", "mountpath: /dev/shm"), "'mountPath' is a required property"),
        (("\nspec:\n", "\nspec:\n  shmSize: 8Gi\n"), "('shmSize' was unexpected)"),
    ],
)
def test_the_operator_would_refuse(target, wrong, message) -> None:
    text = block(target).text.replace(*wrong)
    assert message in "\n".join(kubernetes.operator_errors(yaml(text)))


# ---------------------------------------------------------------- their pods


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("target", PODS)
def test_kubernetes_takes_the_pods(target, job, tmp_path) -> None:
    found = pods(target, block(target, **JOBS[job]).text)
    assert found
    assert [kubernetes.errors(pod) for pod in found] == [[]] * len(found)
    assert decoded(found, tmp_path) == "pod/a\n" * len(found)


@pytest.mark.parametrize("target", PODS)
def test_kubernetes_would_refuse_their_pods(target, tmp_path) -> None:
    text = block(target).text
    wrong = pods(target, text.replace("sizeLimit: ", "sizeLimit: 8GB #"))
    assert "quantities must match" in decoded(wrong, tmp_path)
    (pod, *_) = pods(target, text.replace("sizeLimit: ", "sizelimit: "))
    assert "'sizelimit' was unexpected" in kubernetes.errors(pod)[0]


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("target", PODS)
def test_no_pod_is_too_small_for_its_volume(target, job) -> None:
    text = block(target, **JOBS[job]).text
    for pod in pods(target, text):
        (container,) = pod["spec"]["containers"]
        memory = container["resources"]["limits"]["memory"]
        assert container["resources"]["requests"] == {"memory": memory}
        assert read_kubernetes(memory) > READERS[target](text)


@pytest.mark.parametrize("target", ALL)
def test_without_a_gpu_none_is_asked_for(target) -> None:
    assert "nvidia.com/gpu" in block(target).text
    text = block(target, accelerator=False).text.lower()
    assert "gpu" not in text
    assert "nvidia" not in text


@pytest.mark.parametrize("target", ALL)
def test_the_namespace_is_the_one_given(target) -> None:
    given = block(target, deployment={"namespace": "team-a"})
    cluster_wide = target in {"clustertrainingruntime", "jupyterhub"}
    assert yaml(given.text).get("metadata", {}).get("namespace") == (
        None if cluster_wide else "team-a"
    )
    assert ("-n team-a" in given.verify) != cluster_wide


@pytest.mark.parametrize("target", PODS)
def test_the_command_that_shows_the_size_is_sound_shell(target) -> None:
    done = shellcheck(block(target, deployment={"namespace": "team-a"}).verify + "\n")
    assert done.returncode == 0, done.stdout


# ---------------------------------------------------------------- how many pods, how many in each


@pytest.mark.parametrize(
    ("values", "replicas", "in_each"),
    [
        ({}, [1, 7], 1),
        ({"ranks": 1}, [1], 1),
        ({"deployment": {"ranks_per_pod": 4}}, [1, 1], 4),
        ({"deployment": {"ranks_per_pod": 8}}, [1], 8),
        ({"job_ranks": 32, "deployment": {"ranks_per_pod": 8}}, [1, 3], 8),
    ],
)
def test_a_pod_holds_one_process_unless_more_are_said(values, replicas, in_each) -> None:
    job = yaml(block("pytorchjob", **values).text)["spec"]
    assert [each["replicas"] for each in job["pytorchReplicaSpecs"].values()] == replicas
    assert job["nprocPerNode"] == str(in_each)
    volcano = yaml(block("volcano", **values).text)["spec"]
    assert [each["replicas"] for each in volcano["tasks"]] == replicas
    assert volcano["minAvailable"] == sum(replicas)
    for target in ("pytorchjob", "volcano"):
        for pod in pods(target, block(target, **values).text):
            (container,) = pod["spec"]["containers"]
            assert container["resources"]["limits"]["nvidia.com/gpu"] == in_each


def test_torchrun_in_a_volcano_pod_takes_the_plugins_numbers_for_nodes(tmp_path) -> None:
    text = block("volcano", deployment={"ranks_per_pod": 4}).text
    command = pods("volcano", text)[1]["spec"]["containers"][0]["command"]
    path = path_with(tmp_path, {"torchrun": 'echo "$@"\n'})
    plugin = {"WORLD_SIZE": "2", "RANK": "1", "MASTER_ADDR": "t-master-0.t", "MASTER_PORT": "23456"}
    done = run(command, env={**plugin, "PATH": path})
    assert done.stdout == (
        "--nnodes=2 --node-rank=1 --master-addr=t-master-0.t --master-port=23456 "
        "--nproc-per-node=4 train.py\n"
    )


def test_a_trainjob_has_a_node_for_each_container_of_the_job() -> None:
    for target, place in (("trainjob", "trainer"), ("clustertrainingruntime", "mlPolicy")):
        job = yaml(block(target, job_ranks=32).text)["spec"][place]
        assert job["numNodes"] == 4
    assert yaml(block("trainjob", job_ranks=32).text)["spec"]["trainer"]["numProcPerNode"] == 8
    (pod,) = pods("clustertrainingruntime", block("clustertrainingruntime", ranks=3).text)
    assert "--nproc-per-node=3" in pod["spec"]["containers"][0]["command"]


# ---------------------------------------------------------------- Ray


def groups(target: str, text: str) -> list[dict[str, Any]]:
    """The head group and the worker group."""
    spec = yaml(text)["spec"]
    cluster = spec if target == "raycluster" else spec["rayClusterSpec"]
    return [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]


@pytest.mark.parametrize("target", ["raycluster", "rayjob"])
def test_rays_object_store_is_set_and_fits_where_its_size_is_known(target) -> None:
    unknown = block(target)
    for group in groups(target, unknown.text):
        assert "object-store-memory" not in group["rayStartParams"]
    assert "nothing of it is counted" in unknown.caveats[0].text
    known = block(target, ray_object_store_bytes=20 * GIB)
    for group in groups(target, known.text):
        assert group["rayStartParams"]["object-store-memory"] == str(20 * GIB)
    assert READERS[target](known.text) == 32 * GIB  # 5.42 and 20 GiB, with headroom
    assert "counted in the size" in known.caveats[0].text


@pytest.mark.parametrize("target", ["raycluster", "rayjob"])
def test_ray_trains_on_the_workers_only(target) -> None:
    head, workers = groups(target, block(target, job_ranks=32).text)
    assert head["rayStartParams"]["num-cpus"] == "0"
    assert "nvidia.com/gpu" not in json.dumps(head)
    assert {workers[f"{each}eplicas"] for each in ("r", "minR", "maxR")} == {4}
    assert ("num_workers=32, use_gpu=True" in block(target, job_ranks=32).text) == (
        target == "rayjob"
    )
