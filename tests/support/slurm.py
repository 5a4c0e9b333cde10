"""Slurm's controller with nodes of paper, which judges a batch script without running it."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

from tests.support import daemon
from tests.support.components import component, root, run

# Nodes larger than any job; State=CLOUD: they are started on demand, so none must be there.
_SETTINGS = """\
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=60
NodeName=node[1-8] NodeAddr=127.0.0.1 CPUs=512 RealMemory=16000000 Gres=gpu:8 State=CLOUD
PartitionName=main Nodes=ALL Default=YES State=UP
"""
_GPUS = "NodeName=node[1-8] Name=gpu Count=8\n"


@dataclass(frozen=True, slots=True)
class Slurm:
    """A controller that runs: eight nodes, each with 512 processors, 16 TB and 8 GPUs."""

    settings: Path

    def test_only(self, script: Path) -> CompletedProcess[str]:
        """Let `sbatch --test-only` say whether and where the script would run."""
        return self.slurm("sbatch", "--test-only", str(script))

    def slurm(self, name: str, *arguments: str) -> CompletedProcess[str]:
        """Run one of Slurm's commands against this controller."""
        return run([component(name), *arguments], env={"SLURM_CONF": str(self.settings)})

    def ready(self) -> bool:
        """Tell whether the controller answers."""
        return self.slurm("scontrol", "ping").stdout.strip().endswith("is UP")


@contextmanager
def controller() -> Iterator[Slurm]:
    """Start munge, which vouches for who asks, and the controller; stop both in the end."""
    root("Slurm's controller")
    with tempfile.TemporaryDirectory(prefix="slurm-") as temporary:
        folder = Path(temporary)
        folder.chmod(0o755)  # munge wants its socket within everybody's reach
        (folder / "state").mkdir()
        (folder / "gres.conf").write_text(_GPUS, "utf-8")
        settings = folder / "slurm.conf"
        settings.write_text(_SETTINGS.format(folder=folder, port=free_port()), "utf-8")
        slurm = Slurm(settings)
        with (
            daemon.running(
                munged(folder), ready=(folder / "munge.socket").exists, log=folder / "1"
            ),
            daemon.running(
                [component("slurmctld"), "-D"],
                ready=slurm.ready,
                log=folder / "2",
                env={"SLURM_CONF": str(settings)},
            ),
        ):
            yield slurm


def free_port() -> int:
    """Return a port that nobody listens on, so that two runs of the tests do not meet."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def munged(folder: Path) -> list[str]:
    """Return the command that starts munge with a key of its own."""
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    files = {"key": key, "pid": folder / "munge.pid", "seed": folder / "munge.seed"}
    options = [f"--{name}-file={path}" for name, path in files.items()]
    return [component("munged"), "--foreground", f"--socket={folder}/munge.socket", *options]
