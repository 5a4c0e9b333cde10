#!/usr/bin/env python3
"""Measure what a training job really uses of /dev/shm, while it runs.

    python3 shm_probe.py -- torchrun --nproc-per-node 8 train.py    wrap a command
    python3 shm_probe.py --pid 4711                                 watch a running job
    python3 shm_probe.py --watch --for 120                          watch the container

One file, standard library only, Python 3.8 or later, Linux; no root needed.  Everything
it says goes to standard error: remarks while the job runs, a table at the end, and one
line `SHM-PROBE {...}` of JSON, which the /dev/shm calculator's page takes as a paste.

It keeps out of the job's way.  Standard input and output are the job's own.  Of standard
error a copy is read, to find a batch that a worker lost without the job's noticing: the
job's bytes go through a pipe and on unchanged.  Where standard output is the same file
(`2>&1`) both take that pipe, so that their order stays.  A terminal is left alone, since
a pipe would change what programs print; `--scan always` asks for it nevertheless.
Signals are passed on, and the exit status is the job's.

Only where the probe itself is killed with SIGKILL does the job notice: its next line of
standard error fails.  Where standard error is not read, the probe ends with its job all
the same, and a small process stays that hands on the rest once it is read.  A peak is a
sample: what comes and goes within a millisecond can be
missed.
"""

from __future__ import annotations

import argparse
import array
import contextlib
import errno
import fcntl
import json
import math
import os
import re
import resource
import select
import signal
import stat
import subprocess
import sys
import termios
import threading
import time
import warnings
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, NamedTuple

VERSION = 1
MARK = "SHM-PROBE"
PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")
SHM = "/dev/shm"

FIRST_MARK, SECOND_MARK = 0.80, 0.95
"""Shares of a limit at which a word is said."""

LONGEST_JSON = 16000
"""Characters of the line of JSON; what is long is thinned out until it fits."""


def read(path: str) -> str:
    """Return a file's text, or nothing: entries of /proc come and go, and may be forbidden."""
    pieces: list[bytes] = []
    try:
        source = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            while not pieces or pieces[-1]:
                pieces.append(os.read(source, 65536))
        finally:
            os.close(source)
    except (OSError, ValueError):
        return ""
    return b"".join(pieces).decode("utf-8", "replace")


def number(text: str) -> int | None:
    """Return the number that a text is, or None."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() else None


def size(count: float | None) -> str:
    """Return bytes in words, rounded."""
    if count is None:
        return "unknown"
    if count < 1024:
        return f"{count:.0f} B"
    for unit in ("KiB", "MiB", "GiB"):
        count /= 1024
        if count < 1024 or unit == "GiB":
            return f"{count:.1f} {unit}"
    raise AssertionError


# ---------------------------------------------------------------- /dev/shm


class Use(NamedTuple):
    """What statvfs says, in bytes; a size of 0 is a tmpfs without a limit, or none at all."""

    size: int
    used: int


def statvfs(path: str) -> Use:
    """Return size and use; unlike `ls` and `du` this counts files that have no name any more."""
    try:
        found = os.statvfs(path)
    except OSError:
        return Use(0, 0)
    return Use(found.f_blocks * found.f_frsize, (found.f_blocks - found.f_bfree) * found.f_frsize)


class Course:
    """The use over time in a bounded number of equal steps, each with its highest value."""

    LIMIT = 120

    def __init__(self, step: float = 0.1) -> None:
        self.step = step
        self.highest: list[int] = []
        self._now = 0

    def add(self, seconds: float, used: int) -> None:
        """Note a value; steps that nothing fell into keep the value before."""
        at = int(seconds / self.step)
        while at >= self.LIMIT:
            self._halve()
            at = int(seconds / self.step)
        while len(self.highest) <= at:
            self.highest.append(self._now)
        self.highest[at] = max(self.highest[at], used)
        self._now = used

    def _halve(self) -> None:
        pairs = range(0, len(self.highest), 2)
        self.highest = [max(self.highest[first : first + 2]) for first in pairs]
        self.step *= 2


class Pace:
    """When to look again: soon where a new maximum may be coming, and never for much CPU time.

    Args:
        usual: seconds between looks.
        share: of one core that looking may take, once the first burst is spent.
    """

    FASTEST = 0.001
    QUIET_AFTER = 2.0
    MOVING = 0.05
    NEAR = 0.98
    BURST = 0.05
    RESERVE = 0.03

    def __init__(self, usual: float = 0.02, share: float = 0.004) -> None:
        self.usual = usual
        self.share = share
        self.peak = 0
        self._last = -1
        self._moved = 0.0
        self._allowed = self.BURST
        self._before: tuple[float, float] | None = None

    def wait(self, use: Use, now: float, spent: float) -> float:
        """Return the seconds to sleep.

        Args:
            use: what was just seen.
            now: a clock.
            spent: CPU seconds of this thread so far.
        """
        self._account(now, spent)
        if use.used != self._last:
            self._last, self._moved = use.used, now
        moving = now - self._moved < self.MOVING
        tight = use.size > 0 and use.used >= FIRST_MARK * use.size
        near = use.used >= self.NEAR * self.peak and use.used > 0
        self.peak = max(self.peak, use.used)
        # The last of the allowance is kept for the approach to the limit.
        if moving and (
            (tight and self._allowed > 0) or (near and self._allowed > self.BURST - self.RESERVE)
        ):
            return self.FASTEST
        if self._allowed < 0:
            return self.usual * 5
        return self.usual * (2 if now - self._moved > self.QUIET_AFTER else 1)

    def _account(self, now: float, spent: float) -> None:
        if self._before is not None:
            earned = (now - self._before[0]) * self.share - (spent - self._before[1])
            self._allowed = min(self.BURST, self._allowed + earned)
        self._before = (now, spent)


# ---------------------------------------------------------------- who mounted it


class Mount(NamedTuple):
    """What is mounted there, and who did it as far as that can be seen from inside."""

    kind: str
    options: str
    size_option: str
    by: str


def mount_of(path: str, mountinfo: str, marks: set[str]) -> Mount | None:
    """Return the mount that a path lies on.

    Args:
        path: such as /dev/shm.
        mountinfo: the text of /proc/PID/mountinfo.
        marks: what `marks_of` found.
    """
    found: tuple[int, Mount] | None = None
    for line in mountinfo.splitlines():
        left, _, right = line.partition(" - ")
        before, after = left.split(), right.split()
        if len(before) < 6 or len(after) < 3:
            continue
        point = _unescaped(before[4])
        under = path == point or path.startswith(point.rstrip("/") + "/")
        if not under or (found is not None and len(point) < found[0]):
            continue
        options = before[5] + "," + after[2]
        wanted = re.search(r"(?:^|,)size=([^,]+)", options)
        by = "nobody: no file system of its own is mounted there"
        if point == path:
            by = _mounted_by(after[0], after[1], options.split(","), marks)
        mount = Mount(after[0], options, wanted.group(1) if wanted else "", by)
        found = (len(point), mount)
    return found[1] if found else None


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match.group(1), 8)), text)


def _mounted_by(kind: str, source: str, options: list[str], marks: set[str]) -> str:
    """Say who made the mount: runtimes name theirs `shm`, the kubelet and hosts `tmpfs`."""
    runtimes = {"kubernetes.io": KUBERNETES, ".containerenv": "Podman", ".dockerenv": "Docker"}
    found = [words for mark, words in runtimes.items() if mark in marks]
    if kind != "tmpfs":
        return "somebody else: it is no tmpfs"
    if source == "shm":
        return found[0] if found else "a container runtime"
    if found[:1] == [KUBERNETES]:
        volume = "nosuid" not in options and "noexec" not in options
        return "the kubelet: a memory volume (emptyDir)" if volume else "the node: its own /dev/shm"
    return "the host, or an option of the container (--tmpfs, --mount)" if found else "the host"


KUBERNETES = "the container runtime of a Kubernetes node (its default size)"


def marks_of(root: str = "") -> set[str]:
    """Return the marks that runtimes leave in a container's file system."""
    places = ("/var/run/secrets/kubernetes.io", "/run/.containerenv", "/.dockerenv")
    found = {os.path.basename(place) for place in places if os.path.exists(root + place)}
    if not root and "KUBERNETES_SERVICE_HOST" in os.environ:
        found.add("kubernetes.io")
    return found


# ---------------------------------------------------------------- files left over


class Leftovers(NamedTuple):
    """Named files of one kind; `dead` are those whose maker's number no process has."""

    kind: str
    files: int
    bytes: int
    dead: int
    dead_bytes: int


MOST_FILES = 10000

KINDS = (
    ("torch", re.compile(r"^torch_(\d+)_")),
    ("semaphore", re.compile(r"^sem\.")),
    ("nccl", re.compile(r"^nccl-")),
    ("shared_memory", re.compile(r"^(?:psm|wnsm)_")),
    ("ray", re.compile(r"^(?:plasma|ray)")),
    ("mpi", re.compile(r"^(?:vader_segment|sm_segment|ucx_)")),
    ("other", re.compile(r"")),
)


def named_files(folder: str) -> dict[str, int]:
    """Return the names and bytes of the files there."""
    found: dict[str, int] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if len(found) >= MOST_FILES:
                    break
                try:
                    found[entry.name] = entry.stat(follow_symlinks=False).st_blocks * 512
                except OSError:
                    continue
    except OSError:
        pass
    return found


def leftovers(files: dict[str, int], alive: Callable[[int], bool]) -> list[Leftovers]:
    """Sort named files by whose they are."""
    sums: dict[str, list[int]] = {}
    for name, count in files.items():
        kind, match = next(
            (kind, match) for kind, pattern in KINDS for match in [pattern.match(name)] if match
        )
        dead = kind == "torch" and not alive(int(match.group(1)))
        row = sums.setdefault(kind, [0, 0, 0, 0])
        row[0] += 1
        row[1] += count
        row[2] += dead
        row[3] += count if dead else 0
    return [Leftovers(kind, *sums[kind]) for kind, _ in KINDS if kind in sums]


# ---------------------------------------------------------------- the memory cgroup


class Memory(NamedTuple):
    """What the memory cgroup says, in bytes and kills; None is not known, or no limit."""

    version: int
    limit: int | None
    now: int | None
    peak: int | None
    shmem: int | None
    oom_kills: int | None
    kills_all: bool


class Cgroup:
    """The memory cgroup of a process, version 1 or 2.

    Args:
        pid: whose; "self" for this one.
        proc: where /proc is.
        root: what the mount points in that process's mountinfo are below.
    """

    NO_LIMIT = 1 << 60
    """Version 1 writes the largest multiple of a page where there is no limit."""

    def __init__(self, pid: str = "self", proc: str = "/proc", root: str = "") -> None:
        groups = read(f"{proc}/{pid}/cgroup").splitlines()
        mounts = read(f"{proc}/{pid}/mountinfo").splitlines()
        self.version = 0
        self.folder = self._top = ""
        for line in groups:
            _, _, rest = line.partition(":")
            controllers, _, path = rest.partition(":")
            if "memory" in controllers.split(","):
                self._find(1, path, mounts, root)
        for line in groups:
            if line.startswith("0::") and not self.version:
                self._find(2, line[3:], mounts, root)

    def _find(self, version: int, path: str, mounts: list[str], root: str) -> None:
        for line in mounts:
            left, _, right = line.partition(" - ")
            before, after = left.split(), right.split()
            if len(before) < 5 or len(after) < 3:
                continue
            fits = after[0] == ("cgroup2" if version == 2 else "cgroup")
            if not fits or (version == 1 and "memory" not in after[2].split(",")):
                continue
            top, base = root + _unescaped(before[4]), _unescaped(before[3])
            within = path[len(base.rstrip("/")) :] if (path + "/").startswith(base) else ""
            probe = "/memory.stat"
            for folder in (top + within.rstrip("/"), top):
                if ".." not in folder and os.path.exists(folder + probe):
                    self.version, self.folder, self._top = version, folder, top
                    return

    def read(self) -> Memory | None:
        """Return what it says now, or None where there is none to be seen."""
        if not self.version:
            return None
        old = self.version == 1
        stats = self._pairs("memory.stat")
        if not stats:  # another container's, and it is gone
            return None
        events = self._pairs("memory.oom_control" if old else "memory.events")
        return Memory(
            self.version,
            self._limit("memory.limit_in_bytes" if old else "memory.max"),
            self._number("memory.usage_in_bytes" if old else "memory.current"),
            self._number("memory.max_usage_in_bytes" if old else "memory.peak"),
            stats.get("total_shmem", stats.get("shmem")) if old else stats.get("shmem"),
            events.get("oom_kill"),
            not old and self._number("memory.oom.group") == 1,
        )

    def _limit(self, name: str) -> int | None:
        """Return the lowest limit of the group and what is above it, as far as it is seen."""
        lowest: int | None = None
        folder = self.folder
        while folder.startswith(self._top):
            found = number(read(folder + "/" + name))
            if found is not None and found < self.NO_LIMIT:
                lowest = found if lowest is None else min(lowest, found)
            if folder == self._top:
                break
            folder = os.path.dirname(folder)
        return lowest

    def _number(self, name: str) -> int | None:
        return number(read(self.folder + "/" + name))

    def _pairs(self, name: str) -> dict[str, int]:
        words = (line.split() for line in read(self.folder + "/" + name).splitlines())
        return {pair[0]: int(pair[1]) for pair in words if len(pair) == 2 and pair[1].isdigit()}


class MemoryPeaks:
    """The cgroup over time: peaks of this run, and kills during it."""

    def __init__(self, cgroup: Cgroup) -> None:
        self._cgroup = cgroup
        self.first = self.last = cgroup.read()
        self.peak = self.shmem = 0
        self.kills = 0
        self.look()

    def look(self) -> int:
        """Read it again; return how many were killed since the last time."""
        now = self._cgroup.read()
        if now is None or self.first is None:
            return 0
        self.last = now
        # The kernel's own peak is older than this run unless it has grown since.
        if now.peak is not None and now.peak > (self.first.peak or 0):
            self.peak = max(self.peak, now.peak)
        self.peak = max(self.peak, now.now or 0)
        self.shmem = max(self.shmem, now.shmem or 0)
        before, self.kills = self.kills, (now.oom_kills or 0) - (self.first.oom_kills or 0)
        return self.kills - before


# ---------------------------------------------------------------- processes


class Stat(NamedTuple):
    """One line of /proc/PID/stat, as far as it is needed; `ticks` is CPU time."""

    pid: int
    comm: str
    state: str
    parent: int
    ticks: int
    start: int


def stat_of(proc: str, pid: int) -> Stat | None:
    """Return it, or None for a process that is gone."""
    text = read(f"{proc}/{pid}/stat")
    end = text.rfind(")")
    words = text[end + 2 :].split()
    if end < 0 or len(words) < 20:
        return None
    comm = text[text.index("(") + 1 : end]
    return Stat(pid, comm, words[0], int(words[1]), int(words[11]) + int(words[12]), int(words[19]))


def processes(proc: str, without: set[int]) -> dict[int, Stat]:
    """Return all that can be seen, but for some whose files need not be read."""
    try:
        pids = {int(name) for name in os.listdir(proc) if name.isdigit()}
    except OSError:
        return {}
    found = (stat_of(proc, pid) for pid in pids - without)
    return {each.pid: each for each in found if each is not None and each.state not in "ZX"}


class Process:
    """What was seen of one process: the highest of each value."""

    RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
    LOCAL_RANKS = ("LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID")

    def __init__(self, proc: str, first: Stat) -> None:
        self.folder = f"{proc}/{first.pid}"
        self.stat = first
        self.command = read(self.folder + "/cmdline")
        names = dict(
            entry.split("=", 1)
            for entry in read(self.folder + "/environ").split("\0")
            if "=" in entry
        )
        self.rank = next((number(names[name]) for name in self.RANKS if name in names), None)
        self.local_rank = next(
            (number(names[name]) for name in self.LOCAL_RANKS if name in names), None
        )
        self.world = number(names.get("WORLD_SIZE", ""))
        self.fd_limit: int | None = None
        self.worker = False
        self.called = False
        self.owner = 0
        self.workers = 0
        self.pins = False
        self.torch = ""
        self.python = ""
        self.fds = self.maps = self.resident = self.private = self.shared = 0

    def look(self, *, closely: bool) -> None:
        """Read the counts; `closely` also what is dear."""
        with contextlib.suppress(OSError):
            self.fds = max(self.fds, len(os.listdir(self.folder + "/fd")))
        limit = LIMIT.search(read(self.folder + "/limits"))  # a process may change it
        self.fd_limit = int(limit.group(1)) if limit else self.fd_limit
        values = dict(
            line.split(":", 1) for line in read(self.folder + "/status").splitlines() if ":" in line
        )
        self.resident = max(self.resident, _kilobytes(values.get("VmRSS", "")))
        self.private = max(self.private, _kilobytes(values.get("RssAnon", "")))
        self.shared = max(self.shared, _kilobytes(values.get("RssShmem", "")))
        if closely:
            self._maps()

    def _maps(self) -> None:
        """Count the mappings, and see which PyTorch is among them."""
        text = read(self.folder + "/maps")
        self.maps = max(self.maps, text.count("\n"))
        if self.torch or self.worker:
            return
        library = re.search(r" (/\S.*)/torch/lib/libtorch\S*\.so", text)
        if library:
            version = read(self.folder + "/root" + library.group(1) + "/torch/version.py")
            version = version or read(library.group(1) + "/torch/version.py")
            named = re.search(r"__version__ = '([^']+)'", version)
            self.torch = named.group(1) if named else "unknown"
            python = re.search(r"/python(3\.\d+)/", library.group(1) + "/")
            self.python = python.group(1) if python else ""

    def threads(self) -> list[str]:
        """Return the names of its threads."""
        try:
            tasks = os.listdir(self.folder + "/task")[:256]
        except OSError:
            return []
        return [read(f"{self.folder}/task/{task}/comm").strip() for task in tasks]


LIMIT = re.compile(r"^Max open files\s+(\d+)", re.MULTILINE)


def _kilobytes(text: str) -> int:
    words = text.split()
    return int(words[0]) * 1024 if words and words[0].isdigit() else 0


WORKER_NAME = "pt_data_worker"
PIN_NAME = "pt_data_pin"
SPAWNED = "multiprocessing.spawn"
FORKSERVER = "multiprocessing.forkserver"


class Job:
    """The processes of the job: who they are, what the highest of each value was.

    Args:
        proc: where /proc is.
        top: the first process, or None for everything but this one.
    """

    DEAR_EVERY = 8
    FOREIGN_FOR = 32
    """After how many looks what is dear, and what is nobody of the job's, is looked at again."""

    def __init__(self, proc: str, top: int | None) -> None:
        self.proc = proc
        self.top = top
        self.seen: dict[tuple[int, int], Process] = {}
        self.now: list[Process] = []
        self.most_workers = self.most_owners = 0
        self._looks = 0
        self._foreign: set[int] = set()
        self._own = os.getpid()

    def look(self) -> None:
        """See who is there and what they use."""
        if self._looks % self.FOREIGN_FOR == 0:
            self._foreign.clear()  # a number is given again some day
        everyone = processes(self.proc, self._foreign)
        present = self._members(everyone)
        self._foreign.update(everyone.keys() - present.keys())
        self.now = []
        for each in present.values():
            known = self.seen.get((each.pid, each.start))
            if known is None or (known.stat.comm != each.comm and not known.worker):
                # A name changes at exec, and when a worker has begun.
                fresh = Process(self.proc, each)
                if known is not None:
                    fresh.workers, fresh.fds = known.workers, known.fds
                known = self.seen[each.pid, each.start] = fresh
            known.stat = each
            self.now.append(known)
        closely = self._looks % self.DEAR_EVERY == 0
        self._sort({known.stat.pid: known for known in self.now})
        for known in self.now:
            known.look(closely=closely or not known.maps)
        self._looks += 1

    def _members(self, everyone: dict[int, Stat]) -> dict[int, Stat]:
        everyone.pop(self._own, None)
        if self.top is None:
            return everyone
        inside: dict[int, bool] = {self.top: True, 0: False, 1: self.top == 1}

        def belongs(pid: int, depth: int = 0) -> bool:
            if pid not in inside:
                found = everyone.get(pid)
                # A process whose parent is gone is the job's if it was before.
                inside[pid] = found is not None and (
                    (pid, found.start) in self.seen
                    or (depth < 200 and belongs(found.parent, depth + 1))
                )
            return inside[pid]

        return {pid: each for pid, each in everyone.items() if belongs(pid)}

    def _sort(self, by_pid: dict[int, Process]) -> None:
        """Find the DataLoader workers, and whose they are.

        PyTorch names them since 2.6 or so; before that they are the Python processes below
        one with PyTorch that are forked from it or started by multiprocessing.
        """
        named = any(each.stat.comm == WORKER_NAME for each in self.seen_values())
        parents = {each.stat.parent for each in by_pid.values()}
        for each in by_pid.values():
            each.called = each.called or each.stat.comm == WORKER_NAME
            # Where there are names, what looked like a worker before the first of them was none.
            each.worker = (
                each.called
                if named
                else each.worker
                or self._shaped_so(each, by_pid, has_children=each.stat.pid in parents)
            )
        counts: dict[int, int] = {}
        for each in by_pid.values():
            if each.worker:
                each.owner = self._owner(each, by_pid)
                counts[each.owner] = counts.get(each.owner, 0) + 1
        for pid, count in counts.items():
            if pid in by_pid:
                owner = by_pid[pid]
                owner.workers = max(owner.workers, count)
                owner.pins = owner.pins or PIN_NAME in owner.threads()
        self.most_workers = max(self.most_workers, sum(counts.values()))
        self.most_owners = max(self.most_owners, len(counts))

    def seen_values(self) -> Iterable[Process]:
        """Return everyone who was ever there."""
        return list(self.seen.values())

    @staticmethod
    def _shaped_so(each: Process, by_pid: dict[int, Process], *, has_children: bool) -> bool:
        parent = by_pid.get(each.stat.parent)
        if parent is None or has_children or not each.command:
            return False
        if FORKSERVER in each.command and FORKSERVER not in parent.command:
            return False  # the server itself, before it has forked
        while parent is not None and FORKSERVER in parent.command and not parent.torch:
            parent = by_pid.get(parent.stat.parent)
        if parent is None or not parent.torch:
            return False
        forked = each.command == parent.command
        return forked or SPAWNED in each.command or FORKSERVER in each.command

    @staticmethod
    def _owner(each: Process, by_pid: dict[int, Process]) -> int:
        pid = each.stat.parent
        while pid in by_pid and FORKSERVER in by_pid[pid].command:
            pid = by_pid[pid].stat.parent
        return pid

    def worker_ticks(self) -> int:
        """Return the CPU time of the workers that are there."""
        return sum(each.stat.ticks for each in self.now if each.worker)

    def ranks(self) -> list[Process]:
        """Return the training processes: those with workers, else those that are told a rank."""
        everyone = self.seen_values()
        owners = [each for each in everyone if each.workers and not each.worker]
        if not owners:
            told = [each for each in everyone if each.rank is not None]
            pids = {each.stat.pid for each in told}
            owners = [each for each in told if each.stat.parent not in pids]
        return sorted(owners, key=lambda each: (each.rank is None, each.rank or 0, each.stat.pid))


# ---------------------------------------------------------------- what the job prints


SIGNS: tuple[tuple[str, bytes], ...] = (
    (
        "shm_exhausted",
        (
            rb"unable to allocate shared memory\(shm\)|unable to write to file </torch_"
            rb"|insufficient shared memory \(shm\)|killed by signal: Bus error"
            rb"|OSError: \[Errno 28\][^\n]*(?:/dev/shm|/torch_|/psm_)"
        ),
    ),
    (
        "shm_exhausted_nccl",
        rb"failed to extend /dev/shm/nccl|creating shared memory segment .{0,20}nccl",
    ),
    (
        "fd_limit",
        rb"Too many open files|received 0 items of ancdata|ValueError: too many fds",
    ),
    ("map_count_limit", rb"unable to mmap \d+ bytes from file .{0,200}Cannot allocate memory"),
    ("worker_killed", rb"killed by signal: Killed"),
    ("dataloader_timeout", rb"DataLoader timed out after"),
    ("no_space", rb"No space left on device"),
)
"""What messages mean, the ids as the calculator's own; the first that fits counts."""

_FEED = rb"queues\.py\", line \d+, in _feed"
_ENDING = re.compile(rb"(?:^|[\s\]:])[A-Za-z_][\w.]*(?:Error|Exception)\b")


class Scanner:
    """Reads a copy of what the job prints, line by line, in bounded memory."""

    LONGEST = 8192
    TRACEBACK = 80
    """Lines within which a traceback's last line comes; several may be mixed."""

    def __init__(self) -> None:
        self.found: dict[str, list[Any]] = {}
        self.lost: list[tuple[str, str]] = []
        self.lost_batches = 0
        self._rest = b""
        self._feeding = 0
        self._signs = [(name, re.compile(pattern)) for name, pattern in SIGNS]
        alternatives = [pattern for _, pattern in SIGNS] + [_FEED]
        self._any = re.compile(b"|".join(b"(?:%s)" % each for each in alternatives))
        self._feed = re.compile(_FEED)

    def feed(self, chunk: bytes) -> None:
        """Take the next piece; it may end anywhere."""
        whole, newline, rest = (self._rest + chunk).rpartition(b"\n")
        self._rest = rest[-self.LONGEST :]
        if newline and (self._feeding or self._any.search(whole)):
            for line in whole.split(b"\n"):
                self._line(line)

    def end(self) -> None:
        """Take what has no end of line."""
        self.feed(b"\n")

    def _line(self, line: bytes) -> None:
        name = next((name for name, sign in self._signs if sign.search(line)), "")
        if name:
            row = self.found.setdefault(name, [0, _shown(line)])
            row[0] += 1
        if self._feed.search(line):
            self._feeding = self.TRACEBACK
        elif self._feeding:
            self._feeding -= 1
            if _ENDING.search(line):
                self._feeding = 0
                self.lost_batches += 1
                cause = "shm_exhausted" if name == "no_space" else name
                if len(self.lost) < 8:
                    self.lost.append((cause or "other", _shown(line)))


def _shown(line: bytes) -> str:
    return line[-300:].decode("utf-8", "replace").strip()


class Outlet(threading.Thread):
    """Writes what it is given, in order; who gives it never waits, however slowly it is read.

    Args:
        target: where to; nothing is written where it is not open.
    """

    PIECE = 65536
    GLANCE = 0.1
    """Seconds after which a full pipe is looked at again, and whether we shall stop."""

    def __init__(self, target: int) -> None:
        super().__init__(daemon=True)
        self.target = own_way(target)
        self.unread = not is_open(target)
        free = self.target != target or is_file(target)
        self._piece = self.PIECE if free else select.PIPE_BUF  # fits where poll sees room
        self._waiting = bytearray()
        self._changed = threading.Condition()
        self._stopped = False
        self._at_line_start = True

    def put(self, data: bytes, *, fresh_line: bool = False) -> None:
        """Take bytes to be written, on a line of their own where asked."""
        with self._changed:
            if self.unread or not data:
                return
            if fresh_line and not self._at_line_start:
                self._waiting += b"\n"
            self._waiting += data
            self._at_line_start = data.endswith(b"\n")
            self._changed.notify_all()

    def empty(self, patience: float | None = None) -> bool:
        """Wait until all is written, or we stop, or patience ends; say whether all is."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting or self._stopped, patience)
            return not self._waiting

    def stop(self) -> bytes:
        """End; return what is not written."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        if self.ident is not None:
            self.join(5 * self.GLANCE)  # in vain where another writer took a pipe's last room
        return bytes(self._waiting)

    def run(self) -> None:
        """Write until told to stop."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._stopped)
                if self._stopped:
                    return
                piece = bytes(self._waiting[: self._piece])
            done, unread = written(self.target, piece, self.GLANCE)
            with self._changed:
                self.unread = unread
                del self._waiting[: len(self._waiting) if unread else done]
                self._changed.notify_all()


def own_way(target: int) -> int:
    """Return a descriptor of the same pipe or terminal with which writing never blocks.

    That it does not is a property of the open file, which others share, so it is opened again.
    """
    try:
        if stat.S_ISFIFO(os.fstat(target).st_mode) or os.isatty(target):
            flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
            return above_streams(os.open(f"/proc/self/fd/{target}", flags))
    except OSError:
        pass
    return target


def written(target: int, piece: bytes, patience: float | None) -> tuple[int, bool]:
    """Write some of it where there is room; return how much is done with, and if nobody reads.

    What cannot be written, as on a full disk, is done with too: the job's lines are lost then
    as they would be without us, and the job lives.
    """
    waiting = select.poll()
    waiting.register(target, select.POLLOUT)
    if not waiting.poll(None if patience is None else patience * 1000):
        return 0, False
    try:
        return os.write(target, piece), False
    except BlockingIOError:
        return 0, False
    except OSError as error:
        return len(piece), error.errno in {errno.EPIPE, errno.ECONNRESET}


def above_streams(descriptor: int) -> int:
    """Move a descriptor out of the place of a standard stream that is closed."""
    if descriptor > 2:
        return descriptor
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(descriptor)
    return moved


def pipe() -> tuple[int, int]:
    """Return a pipe's two ends, none of them a standard stream."""
    source, target = os.pipe()
    return above_streams(source), above_streams(target)


class Passing(threading.Thread):
    """Hands the job's output on, byte for byte as it comes, and lets a scanner see a copy."""

    PIECE = 65536

    def __init__(self, source: int, outlet: Outlet, scanner: Scanner) -> None:
        super().__init__(daemon=True)
        self._source, self._outlet, self._scanner = source, outlet, scanner
        self._asked, self._ask = pipe()
        self.ended = False

    def run(self) -> None:
        """Copy until the last writer has closed its end, or until asked to stop."""
        ready = select.poll()
        ready.register(self._source, select.POLLIN)
        ready.register(self._asked, select.POLLIN)
        while not any(each == self._asked for each, _ in ready.poll()):
            if not self._take() or not self._given():
                return

    def _take(self) -> int:
        """Take the next piece; return its length, 0 where there will be none any more."""
        chunk = os.read(self._source, self.PIECE)
        self._outlet.put(chunk)
        self._scanner.feed(chunk)
        self.ended = not chunk
        return len(chunk)

    def _given(self) -> bool:
        """Wait until all is written: a reader that is slow makes the job slow, as without us."""
        while not self._outlet.empty(Outlet.GLANCE) and not readable(self._asked):
            pass
        if self._outlet.unread:
            os.close(self._source)  # the job shall know, as without us
            self.ended = True
        return not self.ended

    def finish(self, patience: float = 0.5) -> int:
        """Take what the job has written; return where what it left behind still writes, or -1."""
        self.join(patience)
        os.write(self._ask, b".")
        self.join()
        left = 0 if self.ended else readable(self._source)
        while left > 0 and not self.ended:
            left -= self._take()
        self._scanner.end()
        return -1 if self.ended else self._source


def readable(source: int) -> int:
    """Return how many bytes lie in a pipe."""
    count = array.array("i", [0])
    fcntl.ioctl(source, termios.FIONREAD, count)
    return count[0]


def leave_copier(source: int, target: int, rest: bytes) -> None:
    """Leave a process that writes what is not read yet, and what still comes from a daemon."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a thread may be left; the copier needs nothing of it
        if os.fork():
            return
    status = 1
    try:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        close_all_but({source, target})
        unread = False
        while not unread and (rest or source >= 0):
            rest = rest or os.read(source, Passing.PIECE)
            if not rest:
                break
            done, unread = written(target, rest[: select.PIPE_BUF], None)
            rest = rest[done:]
        status = 0
    finally:
        os._exit(status)


def close_all_but(kept: set[int]) -> None:
    """Close what a reader may wait for the end of."""
    with contextlib.suppress(OSError):
        for descriptor in map(int, os.listdir("/proc/self/fd")):
            if descriptor not in kept:
                with contextlib.suppress(OSError):
                    os.close(descriptor)


def is_open(descriptor: int) -> bool:
    """Say whether a descriptor can be used."""
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def is_file(descriptor: int) -> bool:
    """Say whether a descriptor is of a file on a disk, where writing waits for no reader."""
    return is_open(descriptor) and stat.S_ISREG(os.fstat(descriptor).st_mode)


# ---------------------------------------------------------------- the command


class Ending(NamedTuple):
    """How the command ended: its exit status, or the signal that ended it."""

    code: int | None
    signal: int | None


PASSED_ON = [
    getattr(signal, name)
    for name in (
        "SIGHUP",
        "SIGINT",
        "SIGQUIT",
        "SIGTERM",
        "SIGUSR1",
        "SIGUSR2",
        "SIGCONT",
        "SIGTSTP",
        "SIGWINCH",
        "SIGALRM",
    )
    if hasattr(signal, name)
]
BY_KERNEL = 0x80
"""si_code of a signal that the terminal sent: the whole group has it already."""


class Signals:
    """Signals as events: blocked while we run, taken one by one; the job gets its own mask."""

    def __init__(self, wanted: Iterable[signal.Signals]) -> None:
        ignored = {each for each in wanted if signal.getsignal(each) is signal.SIG_IGN}
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self.taken = {*wanted, signal.SIGCHLD} - ignored
        self.mask = signal.pthread_sigmask(signal.SIG_BLOCK, self.taken)

    def wait(self, seconds: float) -> Any:
        """Sleep; return the signal that ended the sleep, or None."""
        return signal.sigtimedwait(self.taken, max(seconds, 0.0))

    def restore(self) -> None:
        """Give the job the mask that we were given; called in the new process."""
        signal.pthread_sigmask(signal.SIG_SETMASK, self.mask)


class Command:
    """The wrapped command: started, told the signals that we get, waited for."""

    def __init__(self, words: list[str], signals: Signals, streams: dict[str, int]) -> None:
        self._popen = subprocess.Popen(
            words,
            preexec_fn=signals.restore,  # noqa: PLW1509 - no thread runs yet
            close_fds=False,
            **streams,  # type: ignore[call-overload]
        )
        self.pid: int = self._popen.pid
        self._told_to_stop = self._stopped = False
        self.ending: Ending | None = None

    def told(self, event: Any) -> None:
        """Pass a signal on; one from the terminal has reached the job without us."""
        if event.si_signo == signal.SIGCHLD:
            self.reap()
            return
        if not (event.si_code == BY_KERNEL and self._same_group()):
            with contextlib.suppress(OSError):
                os.kill(self.pid, event.si_signo)
        if event.si_signo in {signal.SIGTSTP, signal.SIGCONT}:
            self._told_to_stop = event.si_signo == signal.SIGTSTP
            self.reap()  # of two pending signals the lower number comes first, not the older
            self._stop_too()

    def _same_group(self) -> bool:
        try:
            return os.getpgid(self.pid) == os.getpgrp()
        except OSError:
            return False

    def reap(self) -> None:
        """See whether it has ended; as the first process of a container, also bury orphans."""
        while self.ending is None or os.getpid() == 1:
            try:
                whose = -1 if os.getpid() == 1 else self.pid
                pid, status = os.waitpid(whose, os.WNOHANG | os.WUNTRACED | os.WCONTINUED)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.pid:
                self._changed(status)

    def _changed(self, status: int) -> None:
        if os.WIFSTOPPED(status):
            self._stopped = True
            by_itself = os.WSTOPSIG(status) != signal.SIGSTOP and in_foreground()
            self._told_to_stop = self._told_to_stop or by_itself
            self._stop_too()
        elif os.WIFCONTINUED(status):
            self._stopped = False
        elif os.WIFSIGNALED(status):
            self.ending = Ending(None, os.WTERMSIG(status))
            self._popen.returncode = -os.WTERMSIG(status)
        else:
            self.ending = Ending(os.WEXITSTATUS(status), None)
            self._popen.returncode = os.WEXITSTATUS(status)

    def _stop_too(self) -> None:
        """Stop with the job: a shell waits for that when it is Ctrl-Z."""
        if self._told_to_stop and self._stopped and os.getpid() != 1:
            self._told_to_stop = self._stopped = False  # so it is when we go on
            os.kill(os.getpid(), signal.SIGSTOP)


def in_foreground() -> bool:
    """Say whether a shell waits for us at a terminal."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def end_like(ending: Ending) -> int:
    """Return the exit status, or die of the same signal, so that a caller sees no difference."""
    if ending.signal is None:
        return ending.code or 0
    if os.getpid() != 1:  # the first process of a container cannot kill itself
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if ending.signal not in {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(ending.signal, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {ending.signal})
        os.kill(os.getpid(), ending.signal)
        time.sleep(1)
    return 128 + ending.signal


# ---------------------------------------------------------------- hang


class Stall:
    """Whether anything moves: /dev/shm, and the CPU time of the workers."""

    IDLE = 0.01

    def __init__(self) -> None:
        self._used = -1
        self._ticks = 0
        self._since = 0.0

    def seconds(self, now: float, used: int, ticks: int) -> float:
        """Return for how long nothing has moved."""
        allowed = 2 + self.IDLE * TICKS * (now - self._since)
        if used != self._used or ticks < self._ticks or ticks - self._ticks > allowed:
            self._used, self._ticks, self._since = used, ticks, now
        return now - self._since


# ---------------------------------------------------------------- watching


class Watcher:
    """Everything that is watched, and what is said while it goes on."""

    DEAR_SHARE = 0.003
    OFTEN = 0.5
    SAVE_EVERY = 10.0
    UNMEASURED = 0.5

    def __init__(
        self, options: argparse.Namespace, job: Job, cgroup: Cgroup, say: Any, *, root: str = ""
    ) -> None:
        self.options, self.job, self.say = options, job, say
        self.path: str = root + options.path
        self.begin = time.monotonic()
        self.date = time.time()
        self.cpu = time.process_time()
        self.scanner = Scanner()
        self.course, self.pace = Course(), Pace(options.interval / 1000.0)
        self.first = self.use = statvfs(self.path)
        self.files = named_files(self.path)
        self.peak, self.peak_at, self.samples = self.first.used, 0.0, 0
        self.largest = self.first.size
        self.memory = MemoryPeaks(cgroup)
        self.hang: tuple[str, float] | None = None
        self._stall = Stall()
        self._said: set[str] = set()
        self._measures = True
        self._look_at = self._save_at = self.begin
        top = str(job.top) if root else "self"
        self.mount = mount_of(options.path, read(f"{job.proc}/{top}/mountinfo"), marks_of(root))
        self.most_maps = number(read(job.proc + "/sys/vm/max_map_count"))
        self._check_room()

    def _check_room(self) -> None:
        if not os.path.isdir(self.path):
            self._once("missing", f"there is no {self.path}; only processes are watched")
        elif self.first.size == 0:
            self._once("unlimited", f"{self.path} has no limit, so its use cannot be seen")

    def beside(self, process: Process | None) -> None:
        """Take the memory of a job in a container beside ours: ours would mislead."""
        if process is not None and root_of(process.stat.pid):
            self.memory = MemoryPeaks(_cgroup_of(process.stat.pid))

    def _once(self, key: str, words: str) -> None:
        if key not in self._said:
            self._said.add(key)
            self.say(words)

    def tick(self) -> float:
        """Look at /dev/shm, now and then at the rest; return the seconds to sleep."""
        now = time.monotonic()
        self.use = use = statvfs(self.path)
        self.samples += 1
        self.course.add(now - self.begin, use.used)
        if use.used > self.peak:
            self.peak, self.peak_at = use.used, now - self.begin
        if use.size and use.used >= FIRST_MARK * use.size:
            self._marks(use)
        if now >= self._look_at:
            self.look(now)
        return self.pace.wait(use, now, time.thread_time())

    def tick_safely(self) -> float:
        """Do the same; what goes wrong is said, and the job goes on without being measured."""
        try:
            return self.tick() if self._measures else self.UNMEASURED
        except Exception as error:  # noqa: BLE001 - whatever it is, it is not the job's
            self._measures = False
            self.say(f"cannot measure any more: {error!r}")
            return self.UNMEASURED

    def _marks(self, use: Use) -> None:
        for mark in (FIRST_MARK, SECOND_MARK):
            if use.used >= mark * use.size:
                after = time.monotonic() - self.begin
                room = f"{size(use.used)} of {size(use.size)}"
                self._once(
                    f"shm{mark}", f"{self.path} is {mark:.0%} full: {room}, {after:.1f} s in"
                )

    def look(self, now: float) -> None:
        """Look at what is dear: processes, the cgroup; and whether anything moves."""
        spent = time.thread_time()
        self.job.look()
        if self.memory.look() > 0:
            self._once("oom", "the kernel killed a process: the memory limit of the cgroup was hit")
        for each in self.job.now:
            self._limits(each)
        self._watch_stall(now)
        if self.options.json and now >= self._save_at + self.SAVE_EVERY:
            self._save_at = now
            save(self.options.json, record(self, None, partial=True), self.say)
        cost = time.thread_time() - spent
        self._look_at = now + max(self.OFTEN, cost / self.DEAR_SHARE)

    def _limits(self, each: Process) -> None:
        for name, value, limit in (
            ("file descriptors", each.fds, each.fd_limit),
            ("memory mappings", each.maps, self.most_maps),
        ):
            for mark in (FIRST_MARK, SECOND_MARK):
                if limit and value >= mark * limit:
                    self._once(
                        f"{name}{mark}",
                        f"process {each.stat.pid} ({each.stat.comm}) has {value} of {limit} {name}",
                    )

    def _watch_stall(self, now: float) -> None:
        still = self._stall.seconds(now, self.use.used, self.job.worker_ticks())
        if self.hang is not None or still < self.options.hang:
            return
        full = self.use.size and self.peak >= FIRST_MARK * self.use.size and self.job.most_workers
        if self.scanner.lost:
            cause, line = self.scanner.lost[0]
            self.hang = (cause, still)
            self.say(
                f"THE JOB HANGS. A worker could not hand over a batch ({line}), the batch is lost,"
                f" and for {still:.0f} s nothing has moved. It will wait for ever: end it."
                f" {HELP[cause]}"
            )
        elif full and still >= 4 * self.options.hang and not self.use.used >= self.use.size:
            self._once(
                "stalled",
                f"nothing has moved for {still:.0f} s, and {self.path} was full before: if a worker"
                " lost a batch, the job waits for ever. Look for a traceback with `_feed` in its"
                " output",
            )


HELP = {
    "shm_exhausted": "Give /dev/shm more room, and set DataLoader(timeout=...), which turns"
    " such a hang into an error.",
    "fd_limit": "Raise the limit of open files (ulimit -n), and set DataLoader(timeout=...).",
    "map_count_limit": "Raise vm.max_map_count, or send fewer and larger tensors.",
    "other": "See the traceback, and set DataLoader(timeout=...).",
}
for _other in ("shm_exhausted_nccl", "worker_killed", "dataloader_timeout", "no_space"):
    HELP[_other] = HELP["other"]


# ---------------------------------------------------------------- what it means


class Finding(NamedTuple):
    """A cause by its id, in words, with what helps and what shows it."""

    id: str
    title: str
    helps: str
    shown: str


def meaning(ending: Ending | None) -> str:
    """Say what an exit status is: a shell in between makes 128 + N of a signal N."""
    if ending is None:
        return "not known: it was only watched"
    died_of, by_shell = ending.signal, ""
    if died_of is None and ending.code is not None and 128 < ending.code <= 128 + 64:
        died_of, by_shell = ending.code - 128, f" (exit status {ending.code} = 128 + signal)"
    if died_of is None:
        return f"exit status {ending.code}" + ("" if ending.code else ": success")
    try:
        name = signal.Signals(died_of).name
    except ValueError:
        name = f"signal {died_of}"
    return name + by_shell + (": " + SIGNALS[name] if name in SIGNALS else "")


SIGNALS = {
    "SIGBUS": "touched memory with nothing behind it, as when /dev/shm is full",
    "SIGKILL": "killed from outside, by the kernel (out of memory) or by somebody",
    "SIGSEGV": "a native library used memory that is not its own",
    "SIGABRT": "a native library gave up",
    "SIGTERM": "asked to end, as schedulers and `docker stop` do",
    "SIGINT": "interrupted with Ctrl-C",
}


def _died_of(ending: Ending | None, which: int) -> bool:
    return ending is not None and (ending.signal == which or ending.code == 128 + which)


FULL = "/dev/shm was full."
MORE_ROOM = "Give /dev/shm more room: the peak is cut off by its size."


def findings(watcher: Watcher, ending: Ending | None) -> list[Finding]:
    """Name what went wrong, the surest first; empty where nothing did."""
    failed = ending is None or ending.code != 0
    found = [*_hang(watcher, failed=failed), *_out_of_memory(watcher)]
    found += [*_no_room(watcher, ending), *_no_more(watcher, failed=failed)]
    if _died_of(ending, signal.SIGKILL) and watcher.memory.kills <= 0:
        title = "Killed from outside; this cgroup's count of out-of-memory kills did not rise."
        helps = "A scheduler, a person, or the host's own lack of memory."
        found.append(Finding("killed", title, helps, "SIGKILL"))
    return found


def _hang(watcher: Watcher, *, failed: bool) -> Iterator[Finding]:
    """A lost batch makes the job wait for ever, so how it ended says nothing about the cause."""
    if watcher.scanner.lost and (failed or watcher.hang is not None):
        cause, line = watcher.scanner.lost[0]
        title = "Silent hang: a worker lost a batch, and the job waited for it."
        yield Finding("silent_hang", title, HELP[cause], line)


def _out_of_memory(watcher: Watcher) -> Iterator[Finding]:
    memory = watcher.memory
    if memory.kills > 0:
        limit = size(memory.last.limit if memory.last else None)
        title = f"Out of memory: the kernel killed processes at the limit of {limit}."
        helps = (
            "Raise the memory limit, not /dev/shm: what lies in /dev/shm counts as memory"
            f" (at most {size(memory.shmem)} here)."
        )
        yield Finding("oom_killed", title, helps, f"{memory.kills} kills, peak {size(memory.peak)}")


def _no_room(watcher: Watcher, ending: Ending | None) -> Iterator[Finding]:
    """Say that /dev/shm was full: by a message, or by its level where the end is no other's."""
    printed = watcher.scanner.found
    full = watcher.largest > 0 and watcher.peak >= SECOND_MARK * watcher.largest
    said = [line for cause, line in watcher.scanner.lost if cause == "shm_exhausted"]
    for sign in ("shm_exhausted", "shm_exhausted_nccl", *(["no_space"] if full else [])):
        said += [printed[sign][1]] if sign in printed else []
    bus = _died_of(ending, signal.SIGBUS)
    if (said or (bus and full)) and (ending is None or ending.code != 0):
        yield Finding("shm_exhausted", FULL, MORE_ROOM, said[0] if said else "SIGBUS")
    elif bus:
        title = (
            "A bus error, and /dev/shm was not seen full: it filled at once, or it is another file."
        )
        helps = "See `df` of the file systems whose files the job maps."
        yield Finding("bus_error_unattributed", title, helps, "SIGBUS")


def _no_more(watcher: Watcher, *, failed: bool) -> Iterator[Finding]:
    """Say which count of a process ran out."""
    printed = watcher.scanner.found
    most = max(watcher.job.seen_values(), key=_filled, default=None)
    if "fd_limit" in printed and failed:
        title = "No file descriptor was left (limit of open files)."
        yield Finding("fd_limit", title, HELP["fd_limit"], printed["fd_limit"][1])
    elif most is not None and _filled(most) >= SECOND_MARK:
        shown = f"process {most.stat.pid} had {most.fds} of {most.fd_limit}"
        yield Finding("fd_limit", "File descriptors nearly ran out.", HELP["fd_limit"], shown)
    if "map_count_limit" in printed and failed:
        title = "A process has too many memory mappings (vm.max_map_count)."
        shown = printed["map_count_limit"][1]
        yield Finding("map_count_limit", title, HELP["map_count_limit"], shown)


def _filled(each: Process) -> float:
    return each.fds / each.fd_limit if each.fd_limit else 0.0


# ---------------------------------------------------------------- the end: table and JSON


def record(watcher: Watcher, ending: Ending | None, *, partial: bool = False) -> dict[str, Any]:
    """Return everything measured; bytes and seconds throughout."""
    seconds = time.monotonic() - watcher.begin
    cpu = time.process_time() - watcher.cpu
    last = watcher.memory.last
    return {
        "version": VERSION,
        "mode": watcher.options.mode,
        "partial": partial,
        "date": int(watcher.date),
        "seconds": round(seconds, 2),
        "shm": _shm(watcher),
        "job": _job(watcher),
        "memory": None
        if last is None
        else {
            "cgroup": last.version,
            "limit": last.limit,
            "peak": watcher.memory.peak,
            "shmem_peak": watcher.memory.shmem,
            "oom_kills": watcher.memory.kills,
            "kills_all": last.kills_all,
        },
        "exit": {
            "code": ending.code if ending else None,
            "signal": ending.signal if ending else None,
            "means": meaning(ending),
        },
        "lost_batches": watcher.scanner.lost_batches,
        "found": [each._asdict() for each in findings(watcher, ending)][:8],
        "probe": {
            "samples": watcher.samples,
            "cpu_seconds": round(cpu, 3),
            "share": round(cpu / seconds, 5) if seconds else 0.0,
        },
    }


def _shm(watcher: Watcher) -> dict[str, Any]:
    now = named_files(watcher.path)
    new = {name: count for name, count in now.items() if name not in watcher.files}

    def alive(pid: int) -> bool:
        return os.path.isdir(f"{watcher.job.proc}/{pid}")

    return {
        "path": watcher.options.path,
        "size": watcher.largest,
        "start": watcher.first.used,
        "peak": watcher.peak,
        "peak_at": round(watcher.peak_at, 2),
        "end": watcher.use.used,
        "mount": watcher.mount._asdict() if watcher.mount else None,
        "course": {"step": watcher.course.step, "bytes": watcher.course.highest},
        "files_before": [each._asdict() for each in leftovers(watcher.files, alive)],
        "files_left": [each._asdict() for each in leftovers(new, alive)],
    }


def _job(watcher: Watcher) -> dict[str, Any]:
    job = watcher.job
    ranks = job.ranks()
    everyone = list(job.seen_values())
    versions = {each.torch for each in everyone if each.torch}
    pythons = {each.python for each in everyone if each.python}
    return {
        "processes": len(everyone),
        "workers": job.most_workers,
        "owners": job.most_owners,
        "torch": sorted(versions)[:4],
        "python": sorted(pythons)[:4],
        "max_map_count": watcher.most_maps,
        "ranks": [
            {
                "rank": each.rank,
                "local_rank": each.local_rank,
                "world": each.world,
                "pid": each.stat.pid,
                "workers": each.workers,
                "pin_thread": each.pins,
                **_highest([each]),
            }
            for each in ranks
        ][:64],
        "workers_highest": _highest([each for each in everyone if each.worker]),
        "highest": _highest(everyone),
    }


def _highest(those: list[Process]) -> dict[str, int | None]:
    limits = [each.fd_limit for each in those if each.fd_limit is not None]
    return {
        "fds": max((each.fds for each in those), default=0),
        "fd_limit": min(limits) if limits else None,
        "maps": max((each.maps for each in those), default=0),
        "resident": max((each.resident for each in those), default=0),
        "private": max((each.private for each in those), default=0),
        "shared": max((each.shared for each in those), default=0),
    }


def line_of(found: dict[str, Any]) -> str:
    """Return the line of JSON, thinned out where it would be too long."""
    text = MARK + " " + json.dumps(found, separators=(",", ":"))
    while len(text) > LONGEST_JSON:
        course, ranks = found["shm"]["course"], found["job"]["ranks"]
        if len(course["bytes"]) > 16:
            pairs = range(0, len(course["bytes"]), 2)
            course["bytes"] = [max(course["bytes"][first : first + 2]) for first in pairs]
            course["step"] *= 2
        elif ranks:
            del ranks[len(ranks) // 2 :]
        else:
            break
        text = MARK + " " + json.dumps(found, separators=(",", ":"))
    return text


def table(found: dict[str, Any]) -> str:
    """Return the record for people."""
    rows = [*_room_rows(found["shm"]), *_job_rows(found["job"]), *_end_rows(found)]
    return "\n".join(f"  {name:22} {words}" for name, words in rows)


def _room_rows(shm: dict[str, Any]) -> Iterator[tuple[str, str]]:
    share = f" ({shm['peak'] / shm['size']:.0%} of {size(shm['size'])})" if shm["size"] else ""
    peak = f"{size(shm['peak'])}{share} after {shm['peak_at']:.1f} s: {shm['peak']} bytes"
    yield "peak of " + shm["path"], peak
    yield "at the start, the end", f"{size(shm['start'])}, {size(shm['end'])}"
    if shm["mount"]:
        option = shm["mount"]["size_option"]
        yield "mounted by", f"{shm['mount']['by']} ({'size=' + option if option else 'no size'})"
    for name, key in (("files before", "files_before"), ("files left by the job", "files_left")):
        for row in shm[key]:
            dead = f", of {row['dead']} the maker is gone" if row["dead"] else ""
            yield name, f"{row['files']} {row['kind']}, {size(row['bytes'])}{dead}"


def _job_rows(job: dict[str, Any]) -> Iterator[tuple[str, str]]:
    yield "training processes", f"{len(job['ranks'])} with {job['workers']} DataLoader workers"
    for each in job["ranks"][:16]:
        rank = each["rank"]
        name = f"process {each['pid']}" if rank is None else f"rank {rank}"
        pins = ", pinning thread" if each["pin_thread"] else ""
        yield "  " + name, f"{each['workers']} workers, {_used(each, job)}{pins}"
    if job["workers"]:
        yield "  highest of a worker", _used(job["workers_highest"], job)
    elif not job["ranks"]:
        yield "  highest of a process", _used(job["highest"], job)


def _end_rows(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    memory, probe = found["memory"], found["probe"]
    if memory:
        limit = "of " + size(memory["limit"]) if memory["limit"] else "(no limit)"
        shared = f"in shared memory at most {size(memory['shmem_peak'])}"
        words = f"peak {size(memory['peak'])} {limit}, {shared}, {memory['oom_kills']} killed"
        yield f"memory cgroup v{memory['cgroup']}", words
    yield "ended", found["exit"]["means"]
    for each in found["found"]:
        yield "FOUND", f"{each['title']} {each['helps']} [{each['shown']}]"
    cpu = f"{probe['cpu_seconds']:.2f} s of CPU time, {probe['share']:.2%} of a core"
    looks = f"{probe['samples']} samples, {cpu}"
    yield "measured", f"{found['seconds']:.0f} s, {looks}"


def _used(row: dict[str, Any], job: dict[str, Any]) -> str:
    counts = f"{row['fds']} of {row['fd_limit'] or '?'} descriptors"
    counts += f", {row['maps']} of {job['max_map_count'] or '?'} mappings"
    return f"{counts}, {size(row['private'])} private, {size(row['shared'])} shared"


def save(path: str, found: dict[str, Any], say: Callable[[str], None]) -> None:
    """Write the line into a file in one go; where that fails, only say so."""
    beside = path + ".new"
    try:
        Path(beside).write_text(line_of(found) + "\n", encoding="utf-8")
        os.replace(beside, path)
    except OSError as error:
        say(f"could not write {path}: {error.strerror}")


# ---------------------------------------------------------------- the whole


class Voice:
    """Says things on standard error, at the start of a line, and never waits for a reader."""

    PATIENCE = 0.5
    AS_FIRST = 5.0
    """Seconds to be read within at the end; the first process of a container leaves nobody
    who could write the rest later."""

    def __init__(self) -> None:
        self.outlet = Outlet(2)

    def __call__(self, words: str) -> None:
        """Say one thing."""
        self.raw(f"shm-probe: {words}")

    def raw(self, text: str) -> None:
        """Write lines as they are."""
        self.outlet.put((text + "\n").encode("utf-8", "replace"), fresh_line=True)

    def end(self, source: int = -1) -> None:
        """See that all is written, if need be by a process that we leave behind.

        Args:
            source: what a daemon still writes to, to be copied; -1 where there is none.
        """
        if self.outlet.ident is None:
            self.outlet.start()
        first = os.getpid() == 1
        self.outlet.empty(self.AS_FIRST if first else self.PATIENCE)
        rest = self.outlet.stop()
        if not first and not self.outlet.unread and (rest or source >= 0):
            leave_copier(source, self.outlet.target, rest)


def same_file(one: int, two: int) -> bool:
    """Say whether two descriptors lead to the same place."""
    try:
        first, second = os.fstat(one), os.fstat(two)
    except OSError:
        return False
    return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)


def wrap(options: argparse.Namespace) -> int:
    """Run the command and watch it."""
    voice = Voice()
    job = Job("/proc", None)
    try:
        watcher = Watcher(options, job, Cgroup(), voice)  # before the job: what was there already
    except Exception as error:  # noqa: BLE001 - whatever it is, it is not the job's
        voice(f"cannot measure: {error!r}")
        voice.end()
        os.execvp(options.command[0], options.command)  # noqa: S606
    signals = Signals(PASSED_ON)
    streams, source = _streams(options)
    try:
        command = Command(options.command, signals, streams)
    except OSError as error:
        voice(f"cannot run {options.command[0]}: {error.strerror}")
        voice.end()
        return 127 if error.errno == errno.ENOENT else 126
    job.top = command.pid
    voice.outlet.start()
    passing: Passing | None = None
    if streams:
        os.close(streams["stderr"])
        passing = Passing(source, voice.outlet, watcher.scanner)
        passing.start()
    ending = _wait(command, signals, watcher)
    left = passing.finish() if passing is not None else -1
    watcher.tick_safely()
    try:
        watcher.memory.look()
        finish(watcher, ending, voice)
    except Exception as error:  # noqa: BLE001 - the job's own end is what counts
        voice(f"cannot say what was measured: {error!r}")
    voice.end(left)
    return end_like(ending)


def _streams(options: argparse.Namespace) -> tuple[dict[str, int], int]:
    """Return what the command's streams are, where not ours, and where they can be read."""
    scans = options.scan == "always" or (options.scan == "auto" and not os.isatty(2))
    if not scans or not is_open(2):
        return {}, -1
    source, inner = pipe()
    return {"stderr": inner, **({"stdout": inner} if same_file(1, 2) else {})}, source


def _wait(command: Command, signals: Signals, watcher: Watcher) -> Ending:
    """Wait for the command's end, and watch it meanwhile."""
    checked = watcher.begin
    while command.ending is None:
        event = signals.wait(watcher.tick_safely())
        if event is not None:
            command.told(event)
        elif time.monotonic() > checked + 1:
            checked = time.monotonic()
            command.reap()
    return command.ending


def watch(options: argparse.Namespace) -> int:
    """Watch what runs already, until it ends or we are told to."""
    voice = Voice()
    top: int | None = options.pid
    first = stat_of("/proc", top) if top is not None else None
    if top is not None and first is None:
        voice(f"there is no process {top}")
        voice.end()
        return 2
    ends = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
    signals = Signals(ends)
    root = root_of(top)
    watcher = Watcher(options, Job("/proc", top), _cgroup_of(top), voice, root=root)
    voice.outlet.start()
    job_seen = False
    while not options.seconds or time.monotonic() - watcher.begin < options.seconds:
        event = signals.wait(watcher.tick())
        if event is not None and event.si_signo in ends:
            break
        training = trained_by(watcher.job.now)
        if not job_seen and top is None:
            watcher.beside(training)
        if first is not None:
            now = stat_of("/proc", first.pid)
            if now is None or now.start != first.start or now.state in "ZX":
                break
        if first is None and job_seen and training is None:
            break
        job_seen = job_seen or training is not None
    finish(watcher, None, voice)
    voice.end()
    return 0


def trained_by(processes: Iterable[Process]) -> Process | None:
    """Return the first process that trains; its workers may be seen before its PyTorch is."""
    return next((each for each in processes if each.torch or each.workers), None)


def root_of(pid: int | None) -> str:
    """Return where a process's file system begins, seen from here; "" where it is ours too."""
    if pid is None:
        return ""
    try:
        ours = os.readlink("/proc/self/ns/mnt") == os.readlink(f"/proc/{pid}/ns/mnt")
    except OSError:  # another user's: what can be seen then is ours
        return ""
    return "" if ours else f"/proc/{pid}/root"


def _cgroup_of(pid: int | None) -> Cgroup:
    """Return a process's cgroup; ours is another one's where it runs in another container."""
    root = root_of(pid)
    return Cgroup(str(pid), root=root) if root else Cgroup()


def finish(watcher: Watcher, ending: Ending | None, voice: Voice) -> None:
    """Say what was measured."""
    found = record(watcher, ending)
    line = line_of(found)
    if not watcher.options.quiet:
        voice("what was measured")
        voice.raw(table(found))
    voice.raw(line)
    if watcher.options.json:
        save(watcher.options.json, found, voice)


def between(least: float, most: float) -> Callable[[str], float]:
    """Return what reads a number within bounds; nan and inf are none."""

    def read_number(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            message = f"{text!r} is no number from {least:g} to {most:g}"
            raise argparse.ArgumentTypeError(message)
        return value

    return read_number


def parser(program: str) -> argparse.ArgumentParser:
    """Return what reads the options."""
    made = argparse.ArgumentParser(
        prog=program,
        description="Measure what a job uses of /dev/shm.",
        usage="%(prog)s [options] -- COMMAND ... | --pid N | --watch",
    )
    made.add_argument("--pid", type=int, help="watch this process and what it started")
    made.add_argument("--watch", action="store_true", help="watch everything in the container")
    made.add_argument(
        "--for",
        dest="seconds",
        type=between(0.001, 1e9),
        metavar="SECONDS",
        help="watch no longer",
    )
    made.add_argument(
        "--json", metavar="FILE", help="also write the line of JSON there, and every 10 s meanwhile"
    )
    made.add_argument("--path", default=SHM, help="the file system (default: %(default)s)")
    made.add_argument(
        "--interval",
        type=between(1, 60000),
        default=20,
        metavar="MS",
        help="between looks (default: %(default)s)",
    )
    made.add_argument(
        "--hang",
        type=between(0.001, 1e9),
        default=30,
        metavar="SECONDS",
        help="without progress after a lost batch (default: %(default)s)",
    )
    made.add_argument(
        "--scan",
        choices=("auto", "always", "never"),
        default="auto",
        help="read a copy of standard error; auto: not a terminal",
    )
    made.add_argument("--quiet", action="store_true", help="no table, only the line of JSON")
    return made


def main(words: list[str] | None = None, program: str = "shm_probe.py") -> int:
    """Run; return the exit status, which is the command's own."""
    words = sys.argv[1:] if words is None else words
    cut = words.index("--") if "--" in words else len(words)
    reader = parser(program)
    options = reader.parse_args(words[:cut])
    options.command = words[cut + 1 :]
    chosen = [bool(options.command), options.pid is not None, options.watch]
    if sum(chosen) != 1:
        reader.error("give one of: a command after --, --pid N, --watch")
    if options.command and options.seconds:
        reader.error("--for goes with --pid and --watch; a wrapped command runs to its end")
    if not options.command and options.scan == "always":
        reader.error("--scan always goes with a wrapped command: only its output can be read")
    options.mode = ("wrap", "pid", "watch")[chosen.index(True)]
    return wrap(options) if options.command else watch(options)


if __name__ == "__main__":
    sys.exit(main())
