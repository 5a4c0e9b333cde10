"""Schedulers' blocks: Nomad's read by a parser of HCL, Slurm's judged by its controller and run."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from calculator import presets, report
from calculator.units import GIB, MIB
from calculator.workload import parse
from tests.support.components import run
from tests.support.fakes import NOTE_WORDS, noted, path_with
from tests.support.shell import shellcheck
from tests.targets.readers import template
from tests.targets.readers.schedulers import nomad_task
from tests.targets.rendered import block, of_preset
from tests.targets.typed import ARGV, HOSTILE, IMAGE

SLURM = ["slurm", "slurm-pyxis"]
PRESETS = ["images-8gpu", "resnet50-imagenet", "open-sora", "openclip-multinode", "hf-trainer"]

NEED = 8 * (18 * 38_535_168 + 32 * 4096 + 33_030_528)
"""Of the default job: batches in flight, semaphores and NCCL, eight times."""


# ---------------------------------------------------------------- nomad


def started(source: str) -> str:
    """Return what a text of a task's config has become when the task starts."""
    return template.again(template.literal(source))


def test_nomad_starts_the_image_with_the_command() -> None:
    (config,) = nomad_task(block("nomad").text)["config"]
    assert started(config["image"]) == "your-image:latest"
    assert started(config["command"]) == "torchrun"
    assert [started(word) for word in config["args"]] == ["--nproc-per-node=8", "train.py"]


def test_whatever_is_typed_arrives_through_both_readings_of_nomad() -> None:
    (config,) = nomad_task(block("nomad", deployment=HOSTILE).text)["config"]
    assert started(config["image"]) == IMAGE
    assert [started(word) for word in (config["command"], *config["args"])] == ARGV


def test_what_is_escaped_only_once_would_not_start() -> None:
    assert template.literal('"$${b}"') == "${b}"
    with pytest.raises(ValueError, match="a variable"):
        started('"$${b}"')
    with pytest.raises(ValueError, match="a directive"):
        started('"%%{if}"')


def test_a_fault_in_the_job_is_found() -> None:
    text = block("nomad").text
    with pytest.raises(Exception, match="at line 13"):
        nomad_task(text.replace(str(8 * GIB), ""))
    with pytest.raises(Exception, match="line"):
        nomad_task(text.removesuffix("}\n"))


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_nomads_memory_holds_dev_shm_and_the_processes(preset) -> None:
    workload = presets.load(preset).workload
    found = report.build(workload, targets=["nomad"])
    task = nomad_task(found.targets[0].text)
    (resources,) = task["resources"]
    assert resources["memory"] * MIB == found.memory.limit_bytes > found.shm.recommended_bytes
    if not workload.accelerator:
        assert "device" not in resources
        return
    (device,) = resources["device"]
    assert device['"nvidia/gpu"'] == {"count": workload.ranks, "__is_block__": True}


# ---------------------------------------------------------------- slurm's own judgement

JOBS: list[dict[str, Any]] = [
    {},
    {"accelerator": False},
    {"ranks": 1, "job_ranks": 8},
    {"ranks": 4, "job_ranks": 32, "memory_limit": "4t"},
    {"deployment": {**HOSTILE, "name": "my-job", "gpus": 3}},
]


@pytest.mark.parametrize("values", JOBS)
@pytest.mark.parametrize("target", SLURM)
def test_slurm_would_start_the_job(slurm_controller, tmp_path, target, values) -> None:
    script = judged(tmp_path, block(target, **values).text)
    done = slurm_controller.test_only(script)
    assert done.returncode == 0, done.stderr
    assert "to start at" in done.stderr


@pytest.mark.parametrize("preset", PRESETS)
def test_slurm_would_start_a_presets_job(slurm_controller, tmp_path, preset) -> None:
    done = slurm_controller.test_only(judged(tmp_path, of_preset("slurm", preset)))
    assert "to start at" in done.stderr


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("--mem=73728M", "--mem=73728Mi", "Invalid --mem specification"),
        ("--gpus-per-node=8", "--gpus-per-node=9", "Requested node configuration"),
        ("--nodes=1", "--shm-size=8g", "unrecognized option"),
    ],
)
def test_slurm_would_refuse_a_wrong_line(slurm_controller, tmp_path, right, wrong, words) -> None:
    text = block("slurm").text
    assert right in text
    script = judged(tmp_path, text.replace(right, wrong))
    assert words in slurm_controller.test_only(script).stderr


def judged(folder: Path, text: str) -> Path:
    """Save a script; Pyxis, which adds options to srun only, is not asked for it."""
    script = folder / "job.sbatch"
    script.write_text(text, encoding="utf-8")
    return script


def directives(text: str) -> dict[str, str]:
    """Return the options of the script, all of which must stand before its first command."""
    head, _, body = text.partition("\nset ")
    assert "#SBATCH" not in body
    lines = [line for line in head.splitlines() if line.startswith("#SBATCH --")]
    return dict(line.removeprefix("#SBATCH --").split("=", 1) for line in lines)


@pytest.mark.parametrize("target", SLURM)
@pytest.mark.parametrize("preset", presets.preset_ids())
def test_slurms_memory_holds_dev_shm_and_the_processes(preset, target) -> None:
    workload = presets.load(preset).workload
    found = report.build(workload, targets=[target])
    options = directives(found.targets[0].text)
    memory = int(options["mem"].removesuffix("M")) * MIB
    assert memory == found.memory.limit_bytes > found.shm.recommended_bytes
    each = [loader.num_workers for loader in workload.loaders]
    workers = max(each) if workload.schedule == "sequential" else sum(each)  # alive together
    assert int(options["cpus-per-task"]) == workload.ranks * (1 + workers)
    assert options.get("gpus-per-node") == (str(workload.ranks) if workload.accelerator else None)


def test_the_job_has_as_many_nodes_as_its_processes_need() -> None:
    options = directives(block("slurm", ranks=4, job_ranks=32).text)
    assert (options["nodes"], options["ntasks-per-node"]) == ("8", "1")


# ---------------------------------------------------------------- the scripts, run

SRUN = f"""\
if [ "$1" = df ]; then
  for size in $SIZES; do printf '    1B-blocks\\n%s\\n' "$size"; done
  exit
fi
{NOTE_WORDS}"""
SCONTROL = '[ "$*" = "show hostnames n[1-2]" ] && printf "n1\\nn2\\n"\n'


def submit(folder: Path, text: str, *sizes: int) -> tuple[CompletedProcess[str], list[str]]:
    """Run a batch script on nodes of paper; return how it went and what it started on them."""
    log = folder / "log"
    environment = {
        "PATH": path_with(folder, {"srun": SRUN, "scontrol": SCONTROL}),
        "LOG": str(log),
        "SIZES": " ".join(map(str, sizes)),
        "SLURM_CPUS_PER_TASK": "72",
        "SLURM_JOB_ID": "12",
        "SLURM_JOB_NODELIST": "n[1-2]",
    }
    done = run(["bash", "-c", text], env=environment)
    return done, noted(log)


@pytest.mark.parametrize("target", SLURM)
def test_the_job_starts_where_every_dev_shm_is_large_enough(target, tmp_path) -> None:
    done, words = submit(tmp_path, block(target, deployment=HOSTILE).text, 9 * GIB, NEED)
    assert done.returncode == 0, done.stderr
    image = [] if target == "slurm" else [f"--container-image={IMAGE}"]
    assert words == ["--cpus-per-task=72", *image, *ARGV]


@pytest.mark.parametrize("target", SLURM)
@pytest.mark.parametrize("sizes", [(64 * MIB,), (64 * GIB, NEED - 1), (100 * GIB, 9 * MIB), ()])
def test_the_job_does_not_start_where_one_is_too_small(target, sizes, tmp_path) -> None:
    done, words = submit(tmp_path, block(target).text, *sizes)
    assert done.returncode != 0
    assert words == []
    if sizes:
        assert f"shm has {min(sizes)} bytes, the job needs {NEED}\n" in done.stderr


@pytest.mark.parametrize("target", SLURM)
def test_the_processes_of_several_nodes_find_each_other(target, tmp_path) -> None:
    text = block(target, ranks=4, job_ranks=8).text
    _, words = submit(tmp_path, text, 64 * GIB, 64 * GIB)
    assert words[words.index("torchrun") :] == [
        "torchrun",
        "--nnodes=2",
        "--nproc-per-node=4",
        "--rdzv-backend=c10d",
        "--rdzv-id=12",
        "--rdzv-endpoint=n1:29500",
        "train.py",
    ]


def test_a_command_of_ones_own_is_left_alone_on_several_nodes(tmp_path) -> None:
    text = block("slurm", ranks=4, job_ranks=8, deployment={"command": "python a.py"}).text
    _, words = submit(tmp_path, text, 64 * GIB, 64 * GIB)
    assert words == ["--cpus-per-task=72", "python", "a.py"]


@pytest.mark.parametrize("target", SLURM)
@pytest.mark.parametrize("values", JOBS[:4])
def test_shellcheck_finds_nothing_in_a_batch_script(target, values) -> None:
    done = shellcheck(block(target, **values).text, "bash")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("image", "written"),
    [
        ("your-image:latest", "your-image:latest"),
        ("nvidia/cuda:12", "nvidia/cuda:12"),
        ("a.example/b/c:1", "a.example#b/c:1"),
        ("localhost:5000/b:1", "localhost:5000#b:1"),
        ("localhost/b", "localhost#b"),
        ("a.example#b/c:1", "a.example#b/c:1"),
        ("/images/train.sqsh", "/images/train.sqsh"),
        ("./train.sqsh", "./train.sqsh"),
        ("../images/train.sqsh", "../images/train.sqsh"),
    ],
)
def test_enroot_gets_its_hash_between_registry_and_image(image, written, tmp_path) -> None:
    text = block("slurm-pyxis", deployment={"image": image}).text
    _, words = submit(tmp_path, text, 64 * GIB)
    assert words[1] == f"--container-image={written}"


# ---------------------------------------------------------------- without a GPU


@pytest.mark.parametrize("target", ["nomad", *SLURM])
@pytest.mark.parametrize("values", [{"accelerator": False}, {"deployment": {"gpus": 0}}])
def test_without_a_gpu_a_scheduler_is_asked_for_none(target, values) -> None:
    text = json.dumps(block(target, **values).text)
    assert "gpu" not in text
    assert "nvidia" not in text


def test_the_defaults_are_those_that_the_expected_values_assume() -> None:
    assert parse({}).ranks == 8
    assert block("slurm").shm_bytes == 8 * GIB
