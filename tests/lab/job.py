"""Runs real DataLoaders for tests/lab/measure.py, in the mount namespace it was started in.

It reads one request a line, mounts a fresh tmpfs over /dev/shm, runs the case in a child
process, and answers with one line.  One process imports PyTorch once for hundreds of runs.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import json
import multiprocessing
import os
import platform
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import probes
import torch
import turns

INSPECTOR = Path(__file__).parents[2] / "calculator" / "inspector" / "batch_inspector.py"
PATIENCE_SECONDS = {False: 90, True: 20}
"""A run that shows no new batch for so long will show none; the first takes longer to come."""

LIBC = ctypes.CDLL(None, use_errno=True)
MNT_DETACH = 2
SIGNS = ("No space left", "unable to allocate shared memory", "us error", "unable to write to file")
"""What a full /dev/shm makes somebody say."""


def main() -> None:
    """Answer requests until there are none."""
    torch.set_num_threads(1)
    print(json.dumps(about()), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)


def about() -> dict[str, str]:
    """Say what runs here."""
    return {
        "torch": torch.__version__,
        "python": platform.python_version(),
        "kernel": platform.release(),
        "machine": platform.machine(),
    }


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Run one case on a /dev/shm of one size."""
    folder = Path(tempfile.mkdtemp(prefix="lab-"))
    options = ",".join([f"size={request['size']}", *request["case"].get("mount_opts", "").split()])
    if LIBC.mount(b"shm", probes.SHM.encode(), b"tmpfs", 0, options.encode()):
        raise OSError(ctypes.get_errno(), f"could not mount a tmpfs with {options}")
    try:
        child = os.fork()
        if not child:
            run_as_child(request, folder)
        ended = watch(child, folder)
    finally:
        LIBC.umount2(probes.SHM.encode(), MNT_DETACH)
    result = folder / "result.json"
    batches = len((folder / "batches").read_text()) if (folder / "batches").exists() else 0
    found = {
        "ended": ended,
        "batches": batches,
        "peak_bytes": probes.peak(folder),
        "said": (folder / "stderr").read_text("utf-8", "replace")[-6000:],
        **(json.loads(result.read_text()) if result.exists() else {}),
    }
    shutil.rmtree(folder)
    return found


def watch(child: int, folder: Path) -> str:
    """Wait for the end, or until nothing moves any more; then end all that is left."""
    last, since = -1.0, time.monotonic()
    ended = ""
    while not ended:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            ended = ending(status)
            break
        moved = sum(f.stat().st_mtime for f in folder.glob("batches"))
        if moved != last:
            last, since = moved, time.monotonic()
        idle = time.monotonic() - since
        if idle > PATIENCE_SECONDS[bool(moved)] or (idle > 4 and complained(folder)):
            ended = "no progress"
        time.sleep(0.01)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)
    return ended


def complained(folder: Path) -> bool:
    """Whether a process that still runs has said what a full /dev/shm makes it say."""
    said = (folder / "stderr").read_text("utf-8", "replace")
    return any(sign in said for sign in SIGNS)


def ending(status: int) -> str:
    """Name the end of a process."""
    if os.WIFSIGNALED(status):
        return f"signal {signal.Signals(os.WTERMSIG(status)).name}"
    return f"exit {os.WEXITSTATUS(status)}"


# ---------------------------------------------------------------- in the child


def run_as_child(request: dict[str, Any], folder: Path) -> None:
    """Run the case in this process, which ends with it."""
    os.setpgid(0, 0)
    output = os.open(folder / "stderr", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(output, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    status = 1
    try:
        if not os.fork():
            probes.poll(str(folder))
            os._exit(0)
        (folder / "result.json").write_text(json.dumps(carry_out(request, folder)))
        status = 0
    except BaseException:  # noqa: BLE001 - all of it is what the run has to tell
        import traceback  # noqa: PLC0415

        traceback.print_exc()
    finally:
        os._exit(status)


def carry_out(request: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Go through the case's epochs; return what its loader is, and what a batch consists of."""
    case = request["case"]
    probes.install(str(folder), probes.MAIN)
    found: dict[str, Any] = {}
    if "strategy" in case:
        torch.multiprocessing.set_sharing_strategy(case["strategy"])
    loaders = [turns.make(case, workers, folder) for workers in turns.loader_workers(case)]
    if request.get("describe"):
        found["workload"] = described(loaders, case)
    go_through(case, loaders, folder)
    batches = len((folder / "batches").read_text())
    found["storages_bytes"] = probes.storages(folder, batches)
    found["dataset_storages_bytes"] = probes.resident(folder)
    return found


def go_through(case: dict[str, Any], loaders: list[Any], folder: Path) -> None:
    """Consume in this process, or in as many ranks as the case has."""
    others = []
    for _ in range(case.get("ranks", 1) - 1):
        rank = os.fork()
        if not rank:
            turns.consume(case, loaders, folder)
            os._exit(0)
        others.append(rank)
    turns.consume(case, loaders, folder)
    if any(os.waitpid(rank, 0)[1] for rank in others):
        raise RuntimeError("a rank has failed")


def described(loaders: list[Any], case: dict[str, Any]) -> Any:
    """Let the batch inspector describe the loaders, as a person would."""
    if not INSPECTOR.exists():
        return None
    spec = importlib.util.spec_from_file_location("batch_inspector", INSPECTOR)
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    sys.modules["batch_inspector"] = module
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    os.environ["LOCAL_WORLD_SIZE"] = str(case.get("ranks", 1))
    return module.describe(*loaders).workload


if __name__ == "__main__":
    multiprocessing.freeze_support()
    main()
