"""Cloud blocks in Amazon's own description, in Kubernetes' types, in a shell, in Python."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from calculator import presets, report
from calculator.units import MIB
from calculator.workload import parse
from tests.support import aws, kubernetes
from tests.support.components import run
from tests.support.fakes import path_with
from tests.support.shell import shellcheck
from tests.targets.private import python
from tests.targets.readers.cloud import container
from tests.targets.readers.kubernetes import expand
from tests.targets.readers.words import yaml
from tests.targets.rendered import answer, block
from tests.targets.typed import ARGV, HOSTILE, IMAGE

TYPED: dict[str, Any] = {"deployment": {**HOSTILE, "namespace": "team-a"}}
JOBS: dict[str, dict[str, Any]] = {
    "default": {},
    "hostile": TYPED,
    "without a GPU": {"accelerator": False},
    "one process": {"ranks": 1},
    "three GPUs": {"deployment": {"gpus": 3}},
    "a limit": {"memory_limit": "900.5g"},
    **{
        each: presets.load(each).workload.model_dump(mode="json")
        for each in ("medical-3d", "hf-trainer", "slowfast-8x8")
    },
}
AMAZON = {
    "ecs": ("ecs", "RegisterTaskDefinition"),
    "aws-batch": ("batch", "RegisterJobDefinition"),
    "aws-batch-eks": ("batch", "RegisterJobDefinition"),
}
LOOKING = ["ecs-fargate", "sagemaker", "vertex-ai", "hosted-notebooks"]
CLOUD = [*AMAZON, *LOOKING, "azure-ml", "skypilot", "determined", "dstack", "runai"]


# ---------------------------------------------------------------- Amazon


@pytest.mark.parametrize("target", AMAZON)
@pytest.mark.parametrize("job", JOBS)
def test_amazon_accepts_the_request(target, job) -> None:
    assert aws.errors(*AMAZON[target], json.loads(block(target, **JOBS[job]).text)) == []


@pytest.mark.parametrize("target", AMAZON)
@pytest.mark.parametrize("shm", [1, 63 * MIB, (1 << 40) + 1])
def test_amazon_accepts_every_size(target, shm) -> None:
    assert aws.errors(*AMAZON[target], json.loads(block(target, shm=shm).text)) == []


@pytest.mark.parametrize(
    ("target", "right", "wrong", "message"),
    [
        ("ecs", '"sharedMemorySize": 8192', '"sharedMemorySize": "8192"', "valid types"),
        ("ecs", "sharedMemorySize", "shmSize", 'Unknown parameter in .*: "shmSize"'),
        ("ecs", '"GPU"', '"GPUS"', "'GPUS' is none of"),
        ("ecs", '["EC2"]', '["EC3"]', "'EC3' is none of"),
        ("ecs", '"value": "8"', '"value": 8', "valid types"),
        ("aws-batch", '"sharedMemorySize": 8192', '"sharedMemorySize": "8g"', "valid types"),
        ("aws-batch", '"MEMORY"', '"RAM"', "'RAM' is none of"),
        ("aws-batch", "linuxParameters", "linuxParams", 'Unknown parameter in .*: "linuxParams"'),
        ("aws-batch-eks", "sizeLimit", "size", 'Unknown parameter in .*: "size"'),
        ("aws-batch-eks", '"mountPath"', '"path"', 'Unknown parameter in .*: "path"'),
    ],
)
def test_amazon_would_refuse(target, right, wrong, message) -> None:
    text = block(target).text
    assert text.count(right)
    (first, *_) = aws.errors(*AMAZON[target], json.loads(text.replace(right, wrong)))[-1:]
    assert re.search(message, first)


@pytest.mark.parametrize("service", ["ecs", "batch"])
def test_amazon_still_says_that_fargate_has_no_size(service) -> None:
    known: Any = aws.model(service)
    size = known.shape_for("LinuxParameters").members["sharedMemorySize"]
    assert re.search(r"Fargate.*(not supported|Don't provide)", size.documentation)


def members(shape: Any, seen: set[str]) -> set[str]:
    """Every name in a request, at any depth."""
    if shape.name in seen:
        return set()
    seen.add(shape.name)
    parts: dict[str, Any] = {}
    if shape.type_name == "structure":
        parts = dict(shape.members)
    elif shape.type_name in {"list", "map"}:
        parts = {"": shape.member if shape.type_name == "list" else shape.value}
    return set(parts).union(*(members(part, seen) for part in parts.values()))


@pytest.mark.parametrize(
    ("service", "operation", "has"),
    [("sagemaker", "CreateTrainingJob", False), ("ecs", "RegisterTaskDefinition", True)],
)
def test_a_sagemaker_training_job_still_has_no_such_parameter(service, operation, has) -> None:
    known: Any = aws.model(service)
    names = members(known.operation_model(operation).input_shape, set())
    assert len(names) > 50
    assert has == any(re.search("shm|sharedmem", name, re.IGNORECASE) for name in names)


def requirements(text: str) -> dict[str, str]:
    listed = json.loads(text)["containerProperties"]["resourceRequirements"]
    return {each["type"]: each["value"] for each in listed}


def eks_memory(text: str) -> int:
    (one,) = json.loads(text)["eksProperties"]["podProperties"]["containers"]
    limits, requests = one["resources"]["limits"], one["resources"]["requests"]
    for resource in ("memory", "nvidia.com/gpu"):
        assert limits.get(resource) == requests.get(resource), "Batch wants them equal"
    number, unit = limits["memory"][:-2], limits["memory"][-2:]
    assert unit == "Mi", "Batch wants whole Mi"
    return int(number)


def ecs_memory(text: str) -> int:
    return int(container(text)["memory"])


def batch_memory(text: str) -> int:
    return int(requirements(text)["MEMORY"])


@pytest.mark.parametrize("memory", [ecs_memory, batch_memory, eks_memory])
@pytest.mark.parametrize("job", JOBS)
def test_memory_holds_dev_shm_and_the_processes(job, memory) -> None:
    target = {ecs_memory: "ecs", batch_memory: "aws-batch", eks_memory: "aws-batch-eks"}[memory]
    found = answer(target, **JOBS[job])
    limit = memory(found.targets[0].text) * MIB
    assert limit >= found.memory.limit_bytes > found.shm.recommended_bytes
    assert limit >= (found.memory.given_limit_bytes or 0)


def test_gpus_are_those_asked_for() -> None:
    values: dict[str, Any] = {"deployment": {"gpus": 3}}
    (gpu,) = container(block("ecs", **values).text)["resourceRequirements"]
    assert gpu == {"type": "GPU", "value": "3"}
    assert requirements(block("aws-batch", **values).text)["GPU"] == "3"
    assert yaml(block("dstack", **values).text)["resources"]["gpu"] == 3
    assert "--gpu-devices-request 3 " in block("runai", **values).text
    assert "resourceRequirements" not in block("ecs", accelerator=False).text


@pytest.mark.parametrize("target", CLOUD)
def test_without_a_gpu_none_is_asked_for(target) -> None:
    text = block(target, accelerator=False).text.lower()
    assert not re.search("gpu|nvidia|accelerator|h100|slots", text)


# ---------------------------------------------------------------- Kubernetes


def pod(text: str) -> dict[str, Any]:
    spec = json.loads(text)["eksProperties"]["podProperties"]
    metadata = {"name": "trainer", **spec.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


@pytest.mark.parametrize("job", JOBS)
def test_kubernetes_knows_the_pod_that_batch_will_make(job, tmp_path) -> None:
    made = pod(block("aws-batch-eks", **JOBS[job]).text)
    assert kubernetes.errors(made) == []
    (tmp_path / "pod.json").write_text(json.dumps(made), "utf-8")
    assert kubernetes.decode(tmp_path / "pod.json").stdout.strip() == "pod/trainer"


def test_kubernetes_would_refuse_another_pod(tmp_path) -> None:
    made = pod(block("aws-batch-eks").text.replace("8Gi", "8GB"))
    (tmp_path / "pod.json").write_text(json.dumps(made), "utf-8")
    assert "quantities must match" in kubernetes.decode(tmp_path / "pod.json").stderr
    made["spec"]["volumes"][0]["emptydir"] = made["spec"]["volumes"][0].pop("emptyDir")
    assert kubernetes.errors(made)


# ---------------------------------------------------------------- what people type


def test_image_and_command_arrive_as_typed() -> None:
    one = container(block("ecs", **TYPED).text)
    assert (one["image"], one["command"]) == (IMAGE, ARGV)
    one = json.loads(block("aws-batch", **TYPED).text)["containerProperties"]
    assert (one["image"], one["command"]) == (IMAGE, ARGV)
    (one,) = pod(block("aws-batch-eks", **TYPED).text)["spec"]["containers"]
    assert (one["image"], [*map(expand, one["command"])]) == (IMAGE, ARGV)
    found = yaml(block("determined", **TYPED).text)
    assert (found["environment"]["image"], found["entrypoint"]) == (IMAGE, ARGV)
    assert yaml(block("azure-ml", **TYPED).text)["environment"]["image"] == IMAGE
    assert yaml(block("skypilot", **TYPED).text)["resources"]["image_id"] == f"docker:{IMAGE}"
    assert yaml(block("dstack", **TYPED).text)["image"] == IMAGE


def script(target: str, **values: Any) -> str:
    """The shell text in a block."""
    text = block(target, **values).text
    if target == "runai":
        return text
    found = yaml(text)
    inside = {"azure-ml": "command", "skypilot": "run", "dstack": "commands"}[target]
    return str(found[inside]) if target != "dstack" else "\n".join(found[inside])


SHELL = ["azure-ml", "skypilot", "dstack", "runai"]
WORDS = 'printf \'%s\\0\' "${0##*/}" "$@"\n'


def words(text: str, folder: Path) -> list[str]:
    """Let a shell run the text, with programs that print their words; nothing else may run."""
    scripts = dict.fromkeys(("python", "torchrun", "runai", "id", "rm"), WORDS)
    path = path_with(folder, scripts, behind="/usr/bin:/bin")
    done = run(["env", "-i", f"PATH={path}", "sh", "-c", text])
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\0")[:-1]


@pytest.mark.parametrize("target", SHELL)
def test_the_shell_runs_the_command_as_typed(target, tmp_path) -> None:
    ran = words(script(target, **TYPED), tmp_path)
    assert ran[-len(ARGV) :] == ARGV
    if target == "runai":
        assert ran[ran.index("--image") + 1] == IMAGE
    else:
        assert ran == ARGV


@pytest.mark.parametrize("target", ["azure-ml", "dstack"])
def test_nothing_is_left_for_the_platform_to_put_in(target) -> None:
    text = script(target, **TYPED)
    assert "${{" not in text
    assert "$$" not in text


@pytest.mark.parametrize("target", SHELL)
@pytest.mark.parametrize("values", [{}, TYPED, {"accelerator": False}, {"job_ranks": 32}])
def test_shellcheck_finds_nothing(target, values) -> None:
    done = shellcheck(f"{script(target, **values)}\n", typed=True)
    assert done.returncode == 0, done.stdout


def test_shellcheck_would_find_a_word_without_quotes() -> None:
    text = script("skypilot", job_ranks=32)
    assert '"$SKYPILOT_NODE_RANK"' in text
    assert (
        "SC2086" in shellcheck(text.replace('"$SKYPILOT_NODE_RANK"', "$SKYPILOT_NODE_RANK")).stdout
    )


def test_a_job_of_several_nodes_is_started_as_one() -> None:
    assert yaml(block("azure-ml", job_ranks=32).text)["resources"]["instance_count"] == 4
    distribution = yaml(block("azure-ml", job_ranks=32).text)["distribution"]
    assert distribution == {"type": "pytorch", "process_count_per_instance": 8}
    assert yaml(block("skypilot", job_ranks=32).text)["num_nodes"] == 4
    assert yaml(block("dstack", job_ranks=32).text)["nodes"] == 4
    assert yaml(block("determined", job_ranks=32).text)["resources"]["slots_per_trial"] == 32
    for target, rank in {"skypilot": "SKYPILOT_NODE_RANK", "dstack": "DSTACK_NODE_RANK"}.items():
        assert rank in script(target, job_ranks=32)
        assert rank not in script(target)


# ---------------------------------------------------------------- platforms without a size


@pytest.mark.parametrize("target", LOOKING)
@pytest.mark.parametrize("ranks", [1, 8])
def test_the_code_picks_the_workers_that_fit(target, ranks, tmp_path) -> None:
    """With a page less than a number of workers needs, it is the next smaller one."""
    values: dict[str, Any] = {"ranks": ranks, "loaders": [{"num_workers": 4}]}
    program = tmp_path / "room.py"
    program.write_text(block(target, **values).text + "print(num_workers)\n", "utf-8")
    for workers, less in ((4, 2), (1, 0)):
        values["loaders"] = [{"num_workers": workers}]
        pages = -(-report.build(parse(values), targets=[]).shm.need_bytes // 4096)
        assert python(program, shm=pages * 4096).stdout.split()[-1] == str(workers)
        assert python(program, shm=(pages - 1) * 4096).stdout.split()[-1] == str(less)


def test_where_nothing_fits_the_code_says_so(tmp_path) -> None:
    program = tmp_path / "room.py"
    program.write_text(block("sagemaker").text, "utf-8")
    done = python(program, shm=64 * MIB)  # 8 ranks of NCCL alone need more
    assert done.returncode == 1
    assert "too small even without workers" in done.stderr
    assert "67,108,864 bytes, 0 in use" in done.stdout
