"""Podman, with its storage and settings apart from the machine's own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess
from uuid import uuid4

from tests.support import busybox
from tests.support.components import HOME, component, root, run

# A root without CAP_SYS_RESOURCE cannot raise the limits that podman would set by itself.
_CONTAINERS = """\
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
netns = "none"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "none"
lock_type = "file"
tmp_dir = {tmp_dir}
"""


@cache
def surroundings() -> dict[str, str]:
    """Write the settings and return the variables that name them."""
    root("running containers")
    home = HOME / "podman"
    home.mkdir(parents=True, exist_ok=True)
    folders = {"graphroot": str(home / "storage"), "runroot": str(home / "run")}
    storage = [f"{key} = {json.dumps(value)}" for key, value in folders.items()]
    (home / "storage.conf").write_text("\n".join(["[storage]", 'driver = "vfs"', *storage, ""]))
    containers = _CONTAINERS.format(tmp_dir=json.dumps(str(home / "tmp")))
    (home / "containers.conf").write_text(containers, "utf-8")
    (home / "config.json").write_text("{}", "utf-8")
    return {
        "CONTAINERS_CONF": str(home / "containers.conf"),
        "CONTAINERS_STORAGE_CONF": str(home / "storage.conf"),
        "DOCKER_CONFIG": str(home),
    }


def podman(*arguments: str) -> CompletedProcess[str]:
    """Run podman; needs root and runc."""
    component("runc")
    return run([component("podman"), *arguments], env=surroundings())


def podman_run(flags: Sequence[str], inside: Sequence[str]) -> CompletedProcess[str]:
    """Run a command in a container that holds busybox, with these flags of `podman run`."""
    return podman("run", "--rm", *flags, "--rootfs", str(busybox.root_folder()), *inside)


def df_bytes(flags: Sequence[str]) -> int:
    """Return the size that /dev/shm has inside a container with these flags."""
    done = podman_run(flags, busybox.SHM_BYTES)
    assert done.returncode == 0, done.stderr
    return busybox.read_shm_bytes(done.stdout)


def pod_df_bytes(flags: Sequence[str]) -> int:
    """Return the size that /dev/shm has inside a container of a pod with these flags."""
    component("catatonit")
    name = f"shm-{uuid4().hex[:12]}"
    try:
        made = podman("pod", "create", "--name", name, *flags)
        assert made.returncode == 0, made.stderr
        return df_bytes(["--pod", name])
    finally:
        podman("pod", "rm", "--force", name)


def quadlet(folder: Path) -> CompletedProcess[str]:
    """Let Podman's generator turn the folder's .container and .pod files into systemd units."""
    return run([component("quadlet"), "-dryrun"], env={"QUADLET_UNIT_DIRS": str(folder)})
