"""Docker's blocks in Docker itself: its flag parser, its engine, Compose, Swarm."""

from __future__ import annotations

import json
import os
import shlex
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from calculator import presets
from calculator.units import GIB, MIB, read_docker
from tests.support import busybox, docker, dockerd, shell
from tests.support.components import component, run
from tests.targets.readers.words import argv, yaml
from tests.targets.rendered import SIZES, of_preset, text
from tests.targets.typed import ARGV, EVERY_HOSTILE, HOSTILE

RUN = ["docker-run", "docker-run-ipc-host"]
GIVEN: list[dict[str, Any]] = [
    {},
    {"accelerator": False},
    {"memory_limit": "900g", "deployment": {"gpus": 4}},
]


def refusal(line: str) -> str:
    """What Docker says of a command line where there is no engine."""
    return docker.docker(*argv(line)[1:]).stderr


def given_to_docker(block: str) -> list[str]:
    """The words that a real shell hands to docker."""
    fake = "docker() { printf '%s\\0' \"$@\"; }\n"
    done = run(["sh", "-c", fake + block])
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\0")[:-1]


def until(true: Callable[[], bool]) -> None:
    """Wait for something that takes a moment."""
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def folder(engine: dockerd.Docker) -> Path:
    """Where the engine keeps its files."""
    return Path(engine.host.removeprefix("unix://")).parent


# ---------------------------------------------------------------- docker run


@pytest.mark.parametrize("target", [*RUN, "docker-build"])
@pytest.mark.parametrize("given", GIVEN)
def test_shellcheck_finds_nothing_in_a_command(target, given) -> None:
    assert shell.shellcheck(text(target, **given)).stdout == ""
    assert shell.shellcheck(text(target, deployment=HOSTILE), typed=True).stdout == ""


@pytest.mark.parametrize("target", RUN)
@pytest.mark.parametrize("given", GIVEN)
def test_docker_takes_every_flag(target, given) -> None:
    assert "annot connect" in refusal(text(target, **given))


@pytest.mark.parametrize("target", RUN)
@pytest.mark.parametrize("preset", presets.preset_ids())
def test_docker_takes_every_preset(target, preset) -> None:
    assert "annot connect" in refusal(of_preset(target, preset))


def test_docker_would_refuse_a_flag_and_a_number_of_gpus() -> None:
    assert "unknown flag: --shm" in refusal(text("docker-run").replace("--shm-size", "--shm"))
    assert "invalid" in refusal(text("docker-run").replace("--gpus=all", "--gpus=x=y=z"))


@pytest.mark.parametrize("typed", EVERY_HOSTILE)
@pytest.mark.parametrize("target", RUN)
def test_what_a_person_types_stays_words_of_the_command(target, typed) -> None:
    found = given_to_docker(text(target, deployment=typed))
    wanted = [typed["image"], *ARGV]
    assert found[-len(wanted) :] == wanted
    assert found[:3] == ["run", "--rm", "--name"]


@pytest.mark.parametrize("shm", SIZES)
def test_a_container_gets_exactly_the_size(docker_engine, shm) -> None:
    found = argv(text("docker-run", shm=shm, accelerator=False, memory_limit="900g"))
    flags = found[2 : found.index("your-image:latest")]
    size = read_docker(next(word for word in flags if "shm" in word).split("=")[1])
    assert docker_engine.df_bytes(flags) == size >= shm


def test_the_block_runs_as_it_stands(docker_engine) -> None:
    """The container prints its words; added is only that it has no network, as this engine."""
    command = shlex.join(["printf", "<%s>\\n", *ARGV])
    typed = {"image": dockerd.IMAGE, "command": command}
    block = text("docker-run", accelerator=False, deployment=typed)
    script = block.replace("docker run", "docker run --network=none")
    done = run(["sh", "-c", script], env={"DOCKER_HOST": docker_engine.host})
    assert done.stdout == "".join(f"<{word}>\n" for word in ARGV), done.stderr


def test_with_host_ipc_the_size_is_the_hosts_and_a_flag_beside_it_does_nothing(
    docker_engine,
) -> None:
    found = argv(text("docker-run-ipc-host", accelerator=False))
    flags = found[2 : found.index("your-image:latest")]
    host = os.statvfs("/dev/shm")  # noqa: S108
    assert docker_engine.df_bytes(flags) == host.f_frsize * host.f_blocks
    assert docker_engine.df_bytes([*flags, "--shm-size=8m"]) == host.f_frsize * host.f_blocks


# ---------------------------------------------------------------- docker build


def test_a_run_step_gets_exactly_the_size_and_the_image_does_not(docker_engine, tmp_path) -> None:
    step = shlex.join(busybox.SHM_BYTES)
    (tmp_path / "Dockerfile").write_text(f"FROM {dockerd.IMAGE}\nRUN {step} >/size\n", "utf-8")
    block = text("docker-build", shm=SIZES[1], deployment={"image": "built:1"})
    script = block.replace("docker build", "docker build --network=none")
    surroundings = {"DOCKER_HOST": docker_engine.host, "DOCKER_BUILDKIT": "0"}
    done = run(["sh", "-c", script], env=surroundings, cwd=tmp_path)
    assert "Successfully tagged built:1" in done.stdout, done.stderr
    inside = docker_engine.docker(
        *("run", "--rm", "--network=none", "built:1", "/bin/sh", "-c", f"cat /size; {step}")
    )
    built, started = inside.stdout.splitlines()
    assert SIZES[1] <= busybox.read_shm_bytes(built) < SIZES[1] + MIB
    assert busybox.read_shm_bytes(started) == 64 * MIB
    wrong = run(["sh", "-c", script.replace("--shm-size", "--shm")], env=surroundings, cwd=tmp_path)
    assert "unknown flag: --shm" in wrong.stderr


@pytest.mark.parametrize("typed", EVERY_HOSTILE)
def test_a_tag_is_one_word(typed) -> None:
    found = given_to_docker(text("docker-build", deployment=typed))
    assert found == ["build", "--shm-size=8g", "--tag", typed["image"], "."]


# ---------------------------------------------------------------- the daemon's default


def test_the_daemon_gives_its_default_to_containers_that_say_none() -> None:
    with dockerd.engine(json.loads(text("docker-daemon", shm=SIZES[1]))) as engine:
        assert SIZES[1] <= engine.df_bytes([]) < SIZES[1] + MIB
        assert engine.df_bytes(["--shm-size=100m"]) == 100 * MIB


def test_a_reload_changes_containers_to_come_and_none_that_is_there() -> None:
    with dockerd.engine() as engine:
        there = ("create", "--name=there", "--network=none", dockerd.IMAGE, *busybox.SHM_BYTES)
        assert engine.docker(*there).returncode == 0
        file = folder(engine) / "daemon.json"
        settings = json.loads(file.read_text("utf-8")) | json.loads(text("docker-daemon"))
        file.write_text(json.dumps(settings), "utf-8")
        os.kill(int((folder(engine) / "pid").read_text("utf-8")), signal.SIGHUP)
        until(lambda: engine.df_bytes([]) == 8 * GIB)
        kept = engine.docker("start", "--attach", "there").stdout
        assert busybox.read_shm_bytes(kept) == 64 * MIB


def test_the_daemon_would_not_start_with_a_size_that_is_a_number() -> None:
    planted = {"default-shm-size": 8 * GIB}
    with pytest.raises(pytest.fail.Exception, match="size"), dockerd.engine(planted):
        pass


# ---------------------------------------------------------------- Compose


def service(block: str, place: Path) -> Any:
    """The service as Compose understands it: sizes in bytes, variables filled in."""
    file = place / "compose.yaml"
    file.write_text(block, encoding="utf-8")
    done = docker.compose_config(file)
    assert not done.stderr, done.stderr
    return json.loads(done.stdout)["services"]["trainer"]


@pytest.mark.parametrize("shm", [1, *SIZES, (1 << 40) + 1])
@pytest.mark.parametrize("given", GIVEN)
def test_compose_reads_the_size(tmp_path, shm, given) -> None:
    found = service(text("compose", shm=shm, **given), tmp_path)
    assert shm <= int(found["shm_size"]) < shm + MIB
    assert ("mem_limit" in found) == ("memory_limit" in given)
    assert int(found.get("mem_limit", 900 * GIB)) >= 900 * GIB
    assert ("deploy" in found) == given.get("accelerator", True)


@pytest.mark.parametrize("typed", EVERY_HOSTILE)
def test_compose_takes_what_a_person_types_as_it_is(tmp_path, typed) -> None:
    found = service(text("compose", deployment=typed), tmp_path)
    assert found["image"].replace("$$", "$") == typed["image"]
    assert [word.replace("$$", "$") for word in found["command"]] == ARGV


def test_a_service_gets_exactly_the_size(docker_engine, tmp_path) -> None:
    block = text("compose", accelerator=False, deployment={"image": dockerd.IMAGE})
    assert service(block, tmp_path)["image"] == dockerd.IMAGE
    beside = tmp_path / "no-network.yaml"
    beside.write_text("services: {trainer: {network_mode: none}}\n", encoding="utf-8")
    compose = [component("docker"), "compose", "--file", tmp_path / "compose.yaml"]
    done = run(
        [*compose, "--file", beside, "run", "--rm", "-T", "trainer", *busybox.SHM_BYTES],
        env={**docker.surroundings(), "DOCKER_HOST": docker_engine.host},
    )
    assert busybox.read_shm_bytes(done.stdout) == 8 * GIB, done.stderr


# ---------------------------------------------------------------- Swarm


def stack(block: str, place: Path) -> Any:
    """The service as Swarm's own reader understands it."""
    file = place / "stack.yaml"
    file.write_text(block, encoding="utf-8")
    done = docker.stack_config(file)
    assert done.returncode == 0, done.stderr
    return yaml(done.stdout)["services"]["trainer"]


@pytest.mark.parametrize("shm", [1, *SIZES, (1 << 40) + 1])
@pytest.mark.parametrize("given", GIVEN)
def test_swarm_reads_the_size(tmp_path, shm, given) -> None:
    found = stack(text("swarm-stack", shm=shm, **given), tmp_path)
    (volume,) = found["volumes"]
    assert (volume["type"], volume["target"]) == ("tmpfs", "/dev/shm")  # noqa: S108
    assert shm <= volume["tmpfs"]["size"] < shm + MIB
    resources = found["deploy"].get("resources", {})
    assert ("limits" in resources) == ("memory_limit" in given)
    gpus = [each["discrete_resource_spec"] for each in generic(resources)]
    count = given.get("deployment", {}).get("gpus", 8)
    wanted = {"kind": "NVIDIA-GPU", "value": count}
    assert gpus == ([wanted] if given.get("accelerator", True) else [])


def generic(resources: dict[str, Any]) -> list[Any]:
    return list(resources.get("reservations", {}).get("generic_resources", []))


def test_swarm_would_refuse_a_size_with_a_unit_and_a_key_of_compose(tmp_path) -> None:
    file = tmp_path / "stack.yaml"
    block = text("swarm-stack")
    file.write_text(block.replace(f"size: {8 * GIB}", "size: 8g"), encoding="utf-8")
    assert "size must be a integer" in docker.stack_config(file).stderr
    file.write_text(block.replace("deploy:", "mem_limit: 9g\n    deploy:"), encoding="utf-8")
    assert "forbidden properties" in docker.stack_config(file).stderr


@pytest.mark.parametrize("typed", EVERY_HOSTILE)
def test_swarm_takes_what_a_person_types_as_it_is(tmp_path, typed) -> None:
    found = stack(text("swarm-stack", deployment=typed), tmp_path)
    assert found["image"] == typed["image"]
    assert found["command"] == ARGV


@pytest.fixture(scope="module")
def swarm() -> Iterator[dockerd.Docker]:
    """An engine that is a swarm of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        listen = f"127.0.0.1:{free.getsockname()[1]}"
    with dockerd.engine() as engine:
        begun = engine.docker("swarm", "init", f"--listen-addr={listen}", "--advertise-addr=lo")
        assert begun.returncode == 0, begun.stderr
        yield engine
        engine.docker("swarm", "leave", "--force")
        until(lambda: not engine.docker("ps", "--all", "--quiet").stdout)
        run(["umount", folder(engine) / "exec" / "netns" / "default"])  # of the host's network


HOST_NETWORK = """\
services: {trainer: {networks: [outside]}}
networks: {outside: {external: true, name: host}}
"""


def deployed(swarm: dockerd.Docker, block: str, place: Path) -> tuple[int, str]:
    """Deploy a stack; return the size of /dev/shm in its container, and what Docker said."""
    (place / "stack.yaml").write_text(block, encoding="utf-8")
    (place / "network.yaml").write_text(HOST_NETWORK, encoding="utf-8")
    files = [f"--compose-file={place / name}" for name in ("stack.yaml", "network.yaml")]
    name = place.name.strip("_").replace("_", "-")[:20]
    flags = ("--resolve-image=never", "--detach=true")
    said = swarm.docker("stack", "deploy", *flags, *files, name)
    assert said.returncode == 0, said.stderr
    mine = ("ps", "--quiet", f"--filter=name={name}_trainer.1")
    until(lambda: bool(swarm.docker(*mine).stdout))
    container = swarm.docker(*mine).stdout.strip()
    size = swarm.docker("exec", container, *busybox.SHM_BYTES).stdout
    swarm.docker("stack", "rm", name)
    swarm.docker("kill", container)  # it would not end by itself when asked
    return busybox.read_shm_bytes(size), said.stderr


def sleeping(target: str) -> str:
    given = {"image": dockerd.IMAGE, "command": "/bin/sleep 600"}
    return text(target, accelerator=False, deployment=given)


def test_a_service_of_a_swarm_gets_exactly_the_size(swarm, tmp_path) -> None:
    assert deployed(swarm, sleeping("swarm-stack"), tmp_path) == (8 * GIB, "")


def test_swarm_ignores_the_size_of_a_compose_file(swarm, tmp_path) -> None:
    size, said = deployed(swarm, sleeping("compose"), tmp_path)
    assert size == 64 * MIB
    assert "Ignoring unsupported options: shm_size" in said
