"""The probe around a real training loop, in a real container."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from uuid import uuid4

import pytest

from tests.support import podman
from tests.support.components import component, run
from tests.support.memory_model import one_loader
from tests.support.probing import FILE, Probed, command, probed, torch_python

JOB = Path(__file__).with_name("job.py")
MIB = 2**20
BATCH_SIZE, ELEMENTS, WORKERS, PREFETCH = 4, 1_000_000, 2, 2


def in_container(flags: list[str], job: list[str], *options: str, before: str = "") -> Probed:
    """Run the job in a container whose root is this machine's as an overlay."""
    component("runc")
    python = torch_python()
    inside = command([python, JOB, *job], *options, python=python)
    shell = ["/bin/sh", "-c", before + ' exec "$@"', "sh"] if before else []
    flags = ["run", "--rm", *flags, "--rootfs", "/:O", *shell]
    done = run([component("podman"), *flags, *inside], env=podman.surroundings(), timeout=240)
    return probed(done)


def job(**settings: object) -> list[str]:
    values = {"batch_size": BATCH_SIZE, "elements": ELEMENTS, "num_workers": WORKERS, **settings}
    return [f"--{name.replace('_', '-')}={value}" for name, value in values.items()]


def model(spike: int, ranks: int = 1) -> int:
    return ranks * one_loader([BATCH_SIZE * ELEMENTS * 4], WORKERS, PREFETCH, spike=spike)


def test_with_a_slow_consumer_the_peak_is_the_models_steady_value_to_the_byte() -> None:
    done = in_container(["--shm-size=1g"], job(batches=14, wait=0.7))
    assert done.status == 0
    assert json.loads(done.out)["batches"] == 14
    assert done.record["shm"]["peak"] == model(spike=0) == 5 * 16_003_072 + 14 * 4096
    assert done.record["shm"]["mount"]["by"] == "Podman"
    assert done.found == []


def test_it_takes_less_than_a_hundredth_of_a_core() -> None:
    done = in_container(["--shm-size=1g"], job(batches=40, wait=0.5))
    share = done.record["probe"]["share"]
    print(f"{share:.2%} of a core, {done.record['probe']['samples']} samples")
    assert done.record["seconds"] > 20
    assert share < 0.01


@pytest.mark.parametrize("ranks", [1, 2])
def test_with_a_fast_consumer_it_is_never_above_the_bound(ranks) -> None:
    settings = job(batches=60, sample_seconds=0, ranks=ranks)
    done = in_container(["--shm-size=1g"], settings)
    assert done.status == 0
    assert 0 < done.record["shm"]["peak"] <= model(spike=1, ranks=ranks)


def test_ranks_workers_and_pytorch_are_recognised() -> None:
    done = in_container(["--shm-size=1g"], job(batches=12, wait=0.3, ranks=2))
    found = done.record["job"]
    assert [(each["rank"], each["workers"]) for each in found["ranks"]] == [(0, 2), (1, 2)]
    assert found["workers"] == 4
    (version,) = {json.loads(line)["torch"] for line in done.out.splitlines()}
    assert found["torch"] == [version]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_workers_of_the_other_start_methods_are_recognised(method) -> None:
    done = in_container(["--shm-size=1g"], job(batches=12, wait=0.3, start_method=method))
    (rank,) = done.record["job"]["ranks"]
    assert rank["workers"] == done.record["job"]["workers"] == WORKERS


def test_a_full_shm_is_named() -> None:
    done = in_container(["--shm-size=32m"], job(batches=8, wait=0.3))
    assert done.status == 1
    assert done.found == ["shm_exhausted"]
    assert "No space left on device (28)" in done.record["found"][0]["shown"]
    assert "80% full" in done.err
    assert done.record["lost_batches"] == 0


def test_a_silent_hang_is_named_while_it_lasts() -> None:
    """A list of tensors is moved to /dev/shm by the feeder thread, which only prints its error."""
    settings = job(batches=8, wait=0.3, collate="list")
    python = torch_python()
    inside = ["timeout", "40", python, str(JOB), *settings]
    flags = ["run", "--rm", "--shm-size=20m", "--rootfs", "/:O"]
    words = [component("podman"), *flags, *command(inside, "--hang", "5", python=python)]
    done = probed(run(words, env=podman.surroundings(), timeout=240))
    assert done.status == 124  # of timeout: the job itself waited
    assert "THE JOB HANGS" in done.err
    assert done.found == ["silent_hang", "shm_exhausted"]
    assert done.record["lost_batches"] >= 1


def test_an_out_of_memory_kill_is_named_and_not_called_a_full_shm() -> None:
    settings = job(elements=4 * MIB, batches=8, wait=0.3)
    done = in_container(["--memory=400m", "--shm-size=1g"], settings)
    assert done.status != 0
    assert done.found[0] == "oom_killed"
    assert "shm_exhausted" not in done.found
    assert done.record["memory"]["limit"] == 400 * MIB
    assert done.record["memory"]["oom_kills"] >= 1


def test_a_limit_of_descriptors_is_named() -> None:
    settings = job(batch_size=16, elements=64, batches=60, collate="list", sample_seconds=0)
    keeping = [*settings, "--keep"]
    done = in_container(["--shm-size=1g"], keeping, before="ulimit -n 200;")
    assert done.status == 1
    assert done.found == ["fd_limit"]


def test_a_job_that_runs_in_a_container_is_watched_from_outside_the_job() -> None:
    """As `docker exec -i CONTAINER python3 - --watch < shm_probe.py` does it."""
    python = torch_python()
    settings = " ".join(job(batches=30, wait=0.5))
    script = f"{python} {JOB} {settings} & sleep 3; {python} - --watch --for 60 < {FILE}; wait"
    flags = ["run", "--rm", "--shm-size=1g", "--rootfs", "/:O", "/bin/sh", "-c", script]
    done = probed(run([component("podman"), *flags], env=podman.surroundings(), timeout=240))
    assert done.record["mode"] == "watch"
    assert done.record["job"]["workers"] == WORKERS
    assert done.record["shm"]["peak"] == model(spike=0)


def test_a_container_beside_the_jobs_sees_its_shm_its_workers_and_its_memory() -> None:
    """As in a pod with shareProcessNamespace: process 1 is neither the job nor the probe."""
    python, name = torch_python(), f"probe-{uuid4().hex[:8]}"
    shared = [f"--pid=container:{name}", f"--ipc=container:{name}", "--rootfs", "/:O"]
    start = [component("podman"), "run", "--rm"]
    env = {**os.environ, **podman.surroundings()}
    pause = [*start, f"--name={name}", "--shm-size=1g", "--rootfs", "/:O", "sleep", "300"]
    holder = subprocess.Popen(pause, env=env)
    try:
        wait_until_running(name)
        training = [*start, "--memory=2g", *shared, python, str(JOB)]
        trainer = subprocess.Popen(
            [*training, *job(batches=30, wait=0.5)], env=env, stdout=subprocess.DEVNULL
        )
        watching = [*start, "--memory=64m", *shared, python, str(FILE), "--watch", "--for", "120"]
        done = probed(run(watching, env=env, timeout=240))
        assert trainer.wait(timeout=240) == 0
    finally:
        podman.podman("rm", "--force", "--time=0", name)
        holder.wait(timeout=60)
    assert done.record["seconds"] < 110  # it ended with the job
    assert done.record["job"]["workers"] == WORKERS
    assert done.record["shm"]["peak"] == model(spike=0)
    assert done.record["memory"]["limit"] == 2 << 30
    assert done.record["memory"]["shmem_peak"] > 4 * BATCH_SIZE * ELEMENTS * 4


def wait_until_running(name: str) -> None:
    for _ in range(200):
        if podman.podman("inspect", "-f", "{{.State.Running}}", name).stdout.strip() == "true":
            return
        time.sleep(0.2)
    pytest.fail("the job's container did not start")


def test_a_container_is_watched_from_its_host_by_the_number_of_a_process() -> None:
    python, name = torch_python(), f"probe-{uuid4().hex[:8]}"
    flags = [f"--name={name}", "--shm-size=1g", "--memory=2g", "--rootfs", "/:O"]
    words = [component("podman"), "run", "--rm", *flags, python, str(JOB)]
    env = {**os.environ, **podman.surroundings()}
    beside = subprocess.Popen(
        [*words, *job(batches=40, wait=0.5)], env=env, stdout=subprocess.DEVNULL
    )
    try:
        wait_until_running(name)
        pid = podman.podman("inspect", "-f", "{{.State.Pid}}", name).stdout.strip()
        done = probed(run([python, FILE, "--pid", pid], timeout=240))
    finally:
        assert beside.wait(timeout=240) == 0
    assert done.record["shm"]["size"] == 1 << 30
    assert done.record["shm"]["peak"] == model(spike=0)
    assert done.record["shm"]["mount"]["by"] == "Podman"
    assert done.record["memory"]["limit"] == 2 << 30
