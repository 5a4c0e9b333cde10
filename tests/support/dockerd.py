"""Docker's own engine, on a private socket, with its data apart from the machine's own."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

from tests.support import busybox, daemon
from tests.support.components import component, root, run

IMAGE = "busybox:test"


@dataclass(frozen=True, slots=True)
class Docker:
    """An engine that runs; its containers have no network."""

    host: str

    def docker(self, *arguments: str) -> CompletedProcess[str]:
        """Run Docker's command line against this engine."""
        return run([component("docker"), *arguments], env={"DOCKER_HOST": self.host})

    def run(self, flags: Sequence[str], inside: Sequence[str]) -> CompletedProcess[str]:
        """Run a command in a container that holds busybox, with these flags of `docker run`."""
        return self.docker("run", "--rm", "--network=none", *flags, IMAGE, *inside)

    def df_bytes(self, flags: Sequence[str]) -> int:
        """Return the size that /dev/shm has inside a container with these flags."""
        done = self.run(flags, busybox.SHM_BYTES)
        assert done.returncode == 0, done.stderr
        return busybox.read_shm_bytes(done.stdout)

    def ready(self) -> bool:
        """Tell whether the engine answers."""
        return self.docker("info").returncode == 0


@contextmanager
def engine(settings: Mapping[str, object] | None = None) -> Iterator[Docker]:
    """Start an engine whose daemon.json holds these settings too, and stop it in the end."""
    root("Docker's engine")
    program = component("dockerd")
    with tempfile.TemporaryDirectory(prefix="dockerd-") as temporary:
        folder = Path(temporary)
        host = f"unix://{folder}/docker.sock"
        limit = {"Hard": 4096, "Soft": 4096}
        own = {
            "hosts": [host],
            "data-root": f"{folder}/data",
            "exec-root": f"{folder}/exec",
            "pidfile": f"{folder}/pid",
            "storage-driver": "vfs",
            "iptables": False,
            "ip6tables": False,
            "bridge": "none",
            "default-ulimits": {name: {"Name": name, **limit} for name in ("nofile", "nproc")},
        }
        file = folder / "daemon.json"
        file.write_text(json.dumps({**own, **(settings or {})}), "utf-8")
        command = [program, "--config-file", str(file)]
        docker = Docker(host)
        with daemon.running(command, ready=docker.ready, log=folder / "log"):
            archive = folder / "busybox.tar"
            packed = run(["tar", "-C", busybox.root_folder(), "-cf", archive, "."])
            assert packed.returncode == 0, packed.stderr
            imported = docker.docker("import", str(archive), IMAGE)
            assert imported.returncode == 0, imported.stderr
            yield docker
