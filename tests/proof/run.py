"""Hold the size we write against PyTorch itself, in real containers, and record what happened.

For each engine a container is started with the flags of our own block: once with one page
less than the steady size, which must fail, and three times with the size we recommend,
which must survive.  `python3 build.py prove` runs this; it takes about ten minutes.
"""

from __future__ import annotations

import datetime as dt
import json
import platform
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from calculator import report
from calculator.workload import parse
from tests.support import components, dockerd, podman
from tests.support.memory_model import one_loader
from tests.targets.readers.words import argv

HERE = Path(__file__).parent
RESULT = HERE / "result.json"
PAGE = 4096
SURVIVALS = 3
LIMIT_SECONDS = 240
"""One run takes well under a minute: no end by then is no progress."""

BATCH_SIZE, WORKERS, PREFETCH = 32, 4, 2
BATCHES = 3 * WORKERS * PREFETCH + 2
WAIT_SECONDS = 1.0
WORKLOAD = {
    "ranks": 1,
    "loaders": [
        {
            "batch_size": BATCH_SIZE,
            "num_workers": WORKERS,
            "prefetch_factor": PREFETCH,
            "fields": [{"shape": [3, 224, 224], "dtype": "float32"}],
        }
    ],
}


def model(spike: int) -> int:
    """Return the model's answer, transcribed apart from the engine."""
    return one_loader([BATCH_SIZE * 3 * 224 * 224 * 4], WORKERS, PREFETCH, spike=spike)


@dataclass(frozen=True)
class Row:
    """One run: the size asked for, what df saw inside, and how it ended."""

    engine: str
    flag: str
    shm_bytes: int
    survived: bool
    seconds: float
    said: str


def main() -> int:
    """Run everything and write the record; 1 where something did not end as it must."""
    python = sys.argv[1]
    below = [f"--shm-size={model(spike=0) - PAGE}b"]
    rows = []
    with dockerd.engine() as docker:
        for flags, times in ((below, 1), (our_flags("docker-run"), SURVIVALS)):
            rows += [in_docker(docker, flags, python) for _ in range(times)]
    for flags, times in ((below, 1), (our_flags("podman-run"), SURVIVALS)):
        rows += [in_podman(flags, python) for _ in range(times)]
    record = {
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "versions": dict(versions(python)),
        "workload": WORKLOAD,
        "batches": BATCHES,
        "rows": [asdict(row) for row in rows],
    }
    RESULT.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for row in rows:
        ending = "survived" if row.survived else "failed"
        print(f"{row.engine:7} {row.flag:26} {ending}: {row.said}")
    wanted = all(row.survived == (row.shm_bytes >= model(spike=1)) for row in rows)
    return 0 if wanted else 1


def our_flags(target: str) -> list[str]:
    """Return the size flag of the block that we hand out for this workload."""
    (block,) = report.build(parse(WORKLOAD), targets=[target]).targets
    return [word for word in argv(block.text) if word.startswith("--shm-size")]


def job(python: str, script: Path) -> list[str]:
    """Return the command that is run inside."""
    settings = {
        "batch-size": BATCH_SIZE,
        "num-workers": WORKERS,
        "prefetch-factor": PREFETCH,
        "batches": BATCHES,
        "wait": WAIT_SECONDS,
    }
    words = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    return [python, str(script), *words]


# ---------------------------------------------------------------- engines


def in_podman(flags: list[str], python: str) -> Row:
    """Run in podman, whose root is this machine's as an overlay."""
    size = podman.df_bytes(flags)
    command = ["podman", "run", "--rm", *flags, "--rootfs", "/:O", *job(python, HERE / "job.py")]
    return watch("podman", flags, size, command, podman.surroundings())


def in_docker(docker: dockerd.Docker, flags: list[str], python: str) -> Row:
    """Run in Docker, with what the interpreter needs mounted read-only."""
    size = docker.df_bytes(flags)
    needed = {Path(python).parents[1], Path(python).resolve().parents[1], HERE}
    folders = [*("/usr", "/lib", "/lib64", "/bin"), *sorted(map(str, needed))]
    mounts = [f"--volume={folder}:{folder}:ro" for folder in folders if Path(folder).exists()]
    command = ["docker", "run", "--rm", "--network=none", *flags, *mounts, dockerd.IMAGE]
    inside = job(python, HERE / "job.py")
    return watch("docker", flags, size, [*command, *inside], {"DOCKER_HOST": docker.host})


def watch(engine: str, flags: list[str], size: int, command: list[str], env: dict[str, str]) -> Row:
    """Run to the end, or to the end of patience."""
    begin = dt.datetime.now(tz=dt.UTC)
    try:
        done = components.run(command, env=env, timeout=LIMIT_SECONDS)
        survived = done.returncode == 0
        said = last_line(done.stdout if survived else done.stderr)
    except subprocess.TimeoutExpired:
        survived, said = False, f"no progress for {LIMIT_SECONDS} seconds"
    seconds = (dt.datetime.now(tz=dt.UTC) - begin).total_seconds()
    return Row(engine, " ".join(flags), size, survived, round(seconds, 1), said)


def last_line(text: str) -> str:
    """Return what a program said last."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def versions(python: str) -> Iterator[tuple[str, str]]:
    """Yield what ran."""
    asked = "import torch; print(torch.__version__)"
    yield "torch", components.run([python, "-c", asked]).stdout.strip()
    yield "python", platform.python_version()
    yield "kernel", platform.release()
    yield "docker", components.run(["dockerd", "--version"]).stdout.strip()
    yield "podman", podman.podman("--version").stdout.strip()


if __name__ == "__main__":
    raise SystemExit(main())
