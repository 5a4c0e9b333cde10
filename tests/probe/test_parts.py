"""The probe's parts, each on what a kernel, a runtime or PyTorch really writes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from calculator.probe import shm_probe as probe

SHM = "/dev/shm"  # noqa: S108

# ---------------------------------------------------------------- who mounted it

DOCKER = """\
1570 1568 0:165 / /dev rw,nosuid - tmpfs tmpfs rw,size=65536k,mode=755
1576 1570 0:174 / /dev/shm rw,nosuid,nodev,noexec,relatime - tmpfs shm rw,size=65536k
"""
CONTAINERD = """\
760 757 0:99 / /dev rw,nosuid - tmpfs tmpfs rw,seclabel,size=65536k,mode=755
778 760 0:100 / /dev/shm rw,nosuid,nodev,noexec,relatime - tmpfs shm rw,seclabel,size=65536k
"""
EMPTY_DIR = """\
760 757 0:99 / /dev rw,nosuid - tmpfs tmpfs rw,size=65536k,mode=755
778 760 0:100 / /dev/shm rw,nosuid,nodev,noexec,relatime - tmpfs shm rw,size=65536k
779 760 0:101 / /dev/shm rw,relatime - tmpfs tmpfs rw,size=16777216k,noswap
"""
HOST_IPC = """\
760 757 0:99 / /dev rw,nosuid - tmpfs tmpfs rw,size=65536k,mode=755
779 760 0:23 / /dev/shm rw,nosuid,nodev - tmpfs tmpfs rw,inode64
"""
NONE = "760 757 0:99 / /dev rw,nosuid - tmpfs tmpfs rw,size=65536k,mode=755\n"


@pytest.mark.parametrize(
    ("mountinfo", "marks", "by", "size"),
    [
        pytest.param(DOCKER, {".dockerenv"}, "Docker", "65536k", id="docker"),
        pytest.param(DOCKER, {".containerenv"}, "Podman", "65536k", id="podman"),
        pytest.param(DOCKER, set(), "a container runtime", "65536k", id="unknown runtime"),
        pytest.param(CONTAINERD, {"kubernetes.io"}, "runtime of a Kubernetes", "65536k", id="pod"),
        pytest.param(EMPTY_DIR, {"kubernetes.io"}, "kubelet", "16777216k", id="volume on top"),
        pytest.param(HOST_IPC, {"kubernetes.io"}, "the node", "", id="hostIPC"),
        pytest.param(HOST_IPC, {".dockerenv"}, "the host, or an option", "", id="ipc=host"),
        pytest.param(HOST_IPC, set(), "the host", "", id="bare metal"),
        pytest.param(NONE, {".dockerenv"}, "nobody", "65536k", id="no mount of its own"),
    ],
)
def test_it_says_who_mounted_it_and_the_size_that_was_asked_for(mountinfo, marks, by, size) -> None:
    found = probe.mount_of(SHM, mountinfo, marks)
    assert found is not None
    assert by in found.by
    assert found.size_option == size


def test_a_mount_point_with_a_space_is_read_as_the_kernel_writes_it() -> None:
    line = "7 1 0:9 / /mnt/my\\040shm rw - tmpfs tmpfs rw,size=1g\n"
    found = probe.mount_of("/mnt/my shm", line, set())
    assert found is not None
    assert found.size_option == "1g"


def test_without_mountinfo_nothing_is_claimed() -> None:
    assert probe.mount_of(SHM, "", set()) is None


# ---------------------------------------------------------------- cgroups, recorded

V1_STAT = "cache 1000\nshmem 100\nhierarchical_memory_limit 1073741824\ntotal_shmem 209715200\n"
V2_STAT = "anon 4096\nfile 209719296\nshmem 209715200\npgfault 12\n"


def recorded_v1(root: Path, *, container: str) -> probe.Cgroup:
    """Version 1 as a container sees it: its own group is mounted at the top, its path is not."""
    proc = root / "proc" / "self"
    proc.mkdir(parents=True)
    (proc / "cgroup").write_text(f"11:pids:{container}\n4:memory:{container}\n0::/\n")
    (proc / "mountinfo").write_text(
        f"41 30 0:35 {container} /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
        f"42 30 0:36 {container} /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids\n"
    )
    folder = root / "sys/fs/cgroup/memory"
    folder.mkdir(parents=True)
    (folder / "memory.stat").write_text(V1_STAT)
    (folder / "memory.limit_in_bytes").write_text("1073741824\n")
    (folder / "memory.usage_in_bytes").write_text("500000000\n")
    (folder / "memory.max_usage_in_bytes").write_text("900000000\n")
    (folder / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 2\n")
    return probe.Cgroup(proc=str(root / "proc"), root=str(root))


def recorded_v2(root: Path, *, files: dict[str, str], path: str = "/") -> probe.Cgroup:
    proc = root / "proc" / "self"
    proc.mkdir(parents=True)
    (proc / "cgroup").write_text(f"0::{path}\n")
    (proc / "mountinfo").write_text(
        "31 24 0:27 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate\n"
    )
    for name, text in files.items():
        file = root / "sys/fs/cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return probe.Cgroup(proc=str(root / "proc"), root=str(root))


EVENTS = "low 0\nhigh 0\nmax 31\noom 1\noom_kill 3\noom_group_kill 1\n"


def test_version_1_in_a_container(tmp_path) -> None:
    found = recorded_v1(tmp_path, container="/docker/0123abc").read()
    assert found == probe.Memory(1, 1073741824, 500000000, 900000000, 209715200, 2, False)


def test_version_1_writes_a_huge_number_where_there_is_no_limit(tmp_path) -> None:
    group = recorded_v1(tmp_path, container="/docker/0123abc")
    limit = tmp_path / "sys/fs/cgroup/memory/memory.limit_in_bytes"
    limit.write_text("9223372036854771712\n")
    memory = group.read()
    assert memory is not None
    assert memory.limit is None


def test_version_2_in_a_namespace_of_its_own(tmp_path) -> None:
    files = {
        "memory.stat": V2_STAT,
        "memory.max": "1073741824\n",
        "memory.current": "500000000\n",
        "memory.peak": "900000000\n",
        "memory.events": EVENTS,
        "memory.oom.group": "1\n",
    }
    found = recorded_v2(tmp_path, files=files).read()
    assert found == probe.Memory(2, 1073741824, 500000000, 900000000, 209715200, 3, True)


def test_version_2_before_linux_5_19_has_no_peak_of_its_own_and_max_means_no_limit(
    tmp_path,
) -> None:
    files = {"memory.stat": V2_STAT, "memory.max": "max\n", "memory.current": "7\n"}
    found = recorded_v2(tmp_path, files=files).read()
    assert found == probe.Memory(2, None, 7, None, 209715200, None, False)


def test_version_2_the_limit_of_a_group_above_counts_too(tmp_path) -> None:
    pod = "kubepods.slice/pod1"
    files = {
        f"{pod}/memory.max": "1000\n",
        f"{pod}/job/memory.max": "max\n",
        f"{pod}/job/memory.stat": V2_STAT,
        f"{pod}/job/memory.current": "10\n",
    }
    found = recorded_v2(tmp_path, files=files, path=f"/{pod}/job").read()
    assert found is not None
    assert (found.limit, found.now) == (1000, 10)


def test_without_any_cgroup_there_is_nothing_to_say(tmp_path) -> None:
    assert probe.Cgroup(proc=str(tmp_path), root=str(tmp_path)).read() is None


def test_only_what_happens_during_the_run_counts(tmp_path) -> None:
    files = {
        "memory.stat": V2_STAT,
        "memory.current": "500\n",
        "memory.peak": "90000\n",
        "memory.events": EVENTS,
    }
    peaks = probe.MemoryPeaks(recorded_v2(tmp_path, files=files))
    assert (peaks.peak, peaks.kills) == (500, 0)  # the peak is older, the kills too
    top = tmp_path / "sys/fs/cgroup"
    (top / "memory.peak").write_text("90001\n")
    (top / "memory.events").write_text(EVENTS.replace("oom_kill 3", "oom_kill 5"))
    assert peaks.look() == 2
    assert (peaks.peak, peaks.kills) == (90001, 2)


# ---------------------------------------------------------------- files left over


def test_files_are_sorted_by_whose_they_are_and_whether_the_maker_lives() -> None:
    files = {"torch_7_99_0": 4096, "torch_8_99_1": 8192, "sem.mp-x": 4096, "nccl-Ab12": 100, "a": 1}
    rows = probe.leftovers(files, alive=lambda pid: pid == 7)
    assert rows == [
        probe.Leftovers("torch", 2, 12288, 1, 8192),
        probe.Leftovers("semaphore", 1, 4096, 0, 0),
        probe.Leftovers("nccl", 1, 100, 0, 0),
        probe.Leftovers("other", 1, 1, 0, 0),
    ]


# ---------------------------------------------------------------- when to look


def test_a_level_that_rises_to_the_limit_is_looked_at_every_millisecond() -> None:
    pace = probe.Pace()
    waits = [pace.wait(probe.Use(100, level), level / 1000, 0.0) for level in range(70, 100)]
    assert waits[-15:] == [0.001] * 15


def test_a_level_that_stands_still_is_looked_at_less_often_than_usual() -> None:
    pace = probe.Pace()
    waits = [pace.wait(probe.Use(100, 99), 0.02 * step, 0.0) for step in range(200)]
    assert waits[-1] == 0.04


def test_looking_takes_no_more_of_a_core_than_it_may_however_long_a_level_keeps_moving() -> None:
    pace = probe.Pace(share=0.004)
    now = spent = 0.0
    for step in range(100_000):
        cost = 50e-6  # of CPU time for one look: dear
        spent += cost
        now += cost + pace.wait(probe.Use(1000, 990 + step % 2), now, spent)
    assert now > 60
    assert spent / now < 0.0055


def test_the_course_is_bounded_and_keeps_the_highest_value_at_its_time() -> None:
    course = probe.Course()
    for step in range(100_000):
        course.add(step * 0.02, 7 if step == 61_803 else 1)
    assert len(course.highest) <= 120
    assert course.step * len(course.highest) >= 2000
    assert course.highest.index(7) == int(61_803 * 0.02 / course.step)
    assert sorted(set(course.highest)) == [1, 7]


def test_a_step_that_nothing_fell_into_has_the_level_before_it() -> None:
    course = probe.Course(step=1.0)
    course.add(0.5, 3)
    course.add(0.6, 2)
    course.add(4.1, 9)
    assert course.highest == [3, 2, 2, 2, 9]


# ---------------------------------------------------------------- what the job prints

FEEDER = b"""\
Traceback (most recent call last):
  File "/usr/lib/python3.11/multiprocessing/queues.py", line 244, in _feed
    obj = _ForkingPickler.dumps(obj)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/usr/lib/python3/torch/multiprocessing/reductions.py", line 619, in reduce_storage
    fd, size = storage._share_fd_cpu_()
               ^^^^^^^^^^^^^^^^^^^^^^^^
RuntimeError: unable to allocate shared memory(shm) for file </torch_11_270_2>: %s
"""
WORKER = b"""\
RuntimeError: Caught RuntimeError in DataLoader worker process 0.
RuntimeError: unable to allocate shared memory(shm) for file </torch_11_270_2>: %s
"""
ERRNOS = [b"No space left on device (28)", b"Resource temporarily unavailable (11)", b"Success (0)"]


def scanned(text: bytes, *, size: int = 1000) -> probe.Scanner:
    scanner = probe.Scanner()
    for start in range(0, len(text), size):
        scanner.feed(text[start : start + size])
    scanner.end()
    return scanner


@pytest.mark.parametrize("size", [1, 7, 64, 100_000])
@pytest.mark.parametrize("errno", ERRNOS)
def test_a_batch_that_a_feeder_thread_lost_is_recognised_however_the_text_is_cut(
    errno, size
) -> None:
    scanner = scanned(b"epoch 1\n" + FEEDER % errno + b"more\n", size=size)
    assert scanner.lost_batches == 1
    ((cause, line),) = scanner.lost
    assert cause == "shm_exhausted"
    assert line.endswith(errno.decode())


def test_the_same_error_in_the_worker_itself_is_no_lost_batch() -> None:
    scanner = scanned(WORKER % ERRNOS[0])
    assert scanner.lost_batches == 0
    assert scanner.found["shm_exhausted"][0] == 1


def test_tracebacks_with_a_launchers_prefix_and_two_workers_mixed_are_read() -> None:
    lines = [b"[default0]:[rank0]: " + line for line in (FEEDER % ERRNOS[0]).splitlines()]
    mixed = [line for pair in zip(lines, lines, strict=True) for line in pair]
    scanner = scanned(b"\n".join(mixed) + b"\n")
    assert scanner.lost_batches >= 1
    assert scanner.lost[0][0] == "shm_exhausted"


@pytest.mark.parametrize(
    ("line", "sign"),
    [
        (
            (
                b"ERROR: Unexpected bus error encountered in worker. This might be caused by"
                b" insufficient shared memory (shm)."
            ),
            "shm_exhausted",
        ),
        (
            b"RuntimeError: unable to write to file </torch_9_1_2>: No space left on device (28)",
            "shm_exhausted",
        ),
        (
            (
                b"RuntimeError: unable to open shared memory object </torch_7726_16_26> in"
                b" read-write mode: Too many open files (24)"
            ),
            "fd_limit",
        ),
        (b"RuntimeError: received 0 items of ancdata", "fd_limit"),
        (
            (
                b"RuntimeError: unable to mmap 64 bytes from file </torch_1_2_3>: Cannot allocate"
                b" memory (12)"
            ),
            "map_count_limit",
        ),
        (
            (
                b"NCCL WARN Error: failed to extend /dev/shm/nccl-AbCdEf to 9637892 bytes, error:"
                b" No space left on device (28)"
            ),
            "shm_exhausted_nccl",
        ),
        (b"RuntimeError: DataLoader timed out after 10 seconds", "dataloader_timeout"),
        (b"OSError: [Errno 28] No space left on device: '/data/out.pt'", "no_space"),
    ],
)
def test_messages_are_known_by_their_words(line, sign) -> None:
    assert list(scanned(line + b"\n").found) == [sign]


def test_ordinary_output_means_nothing_and_a_line_without_end_is_held_in_bounds() -> None:
    scanner = scanned(b"\r  3%|#   | 12/400 loss=0.1" * 100_000, size=65536)
    assert scanner.found == {}
    assert len(scanner._rest) <= probe.Scanner.LONGEST


# ---------------------------------------------------------------- how it ended


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (probe.Ending(0, None), "success"),
        (probe.Ending(3, None), "exit status 3"),
        (probe.Ending(None, 7), "SIGBUS"),
        (probe.Ending(135, None), "SIGBUS (exit status 135 = 128 + signal)"),
        (probe.Ending(137, None), "SIGKILL (exit status 137 = 128 + signal)"),
        (probe.Ending(None, 11), "SIGSEGV"),
        (probe.Ending(255, None), "exit status 255"),
        (None, "only watched"),
    ],
)
def test_an_exit_status_is_put_into_words(ending, words) -> None:
    assert words in probe.meaning(ending)


def test_nothing_moves_until_shm_or_a_workers_clock_does() -> None:
    stall = probe.Stall()
    assert stall.seconds(0, 4096, 100) == 0
    assert stall.seconds(10, 4096, 101) == 10  # a worker that waits wakes now and then
    assert stall.seconds(20, 8192, 101) == 0
    assert stall.seconds(30, 8192, 101 + 2 * probe.TICKS) == 0


def test_the_line_of_json_is_bounded_and_the_course_keeps_its_length() -> None:
    rank = {f"key{number}": 10**9 for number in range(20)}
    found = {
        "shm": {"course": {"step": 1.0, "bytes": [10**12] * 120}},
        "job": {"ranks": [dict(rank) for _ in range(64)]},
    }
    line = probe.line_of(found)
    assert len(line) <= probe.LONGEST_JSON
    read = json.loads(line.removeprefix("SHM-PROBE "))
    assert read["shm"]["course"]["step"] * len(read["shm"]["course"]["bytes"]) == 120
    assert 0 < len(read["job"]["ranks"]) < 64


# ---------------------------------------------------------------- whose memory counts


def test_a_process_with_workers_trains_even_before_its_pytorch_is_seen() -> None:
    """Mappings are read now and then: workers may be there first, and it is another container."""
    stat = probe.stat_of("/proc", os.getpid())
    assert stat is not None
    shell, owner, other = (probe.Process("/proc", stat) for _ in range(3))
    assert probe.trained_by([shell, other]) is None
    owner.workers = 2
    assert probe.trained_by([shell, owner, other]) is owner
    other.torch = "2.13.0"
    assert probe.trained_by([shell, other]) is other


# ---------------------------------------------------------------- who is a worker

TRAIN = "python\0train.py\0"
SERVER = "python\0-c\0from multiprocessing.forkserver import main; main(5, 6)\0"
LIBRARY = "7f0000000000-7f0000001000 r-xp 00000000 08:01 1 /nowhere/torch/lib/libtorch_cpu.so\n"


def process(proc: Path, pid: int, parent: int, comm: str, command: str, maps: str = "") -> None:
    """Write what the kernel says of a process."""
    folder = proc / str(pid)
    folder.mkdir(parents=True, exist_ok=True)
    fields = ["S", str(parent), *["0"] * 9, "1", "1", *["0"] * 6, str(1000 + pid), *["0"] * 20]
    (folder / "stat").write_text(f"{pid} ({comm}) {' '.join(fields)}\n")
    (folder / "cmdline").write_text(command)
    (folder / "maps").write_text(maps)
    for name in ("environ", "status", "limits"):
        (folder / name).write_text("")


@pytest.mark.parametrize("name", [probe.WORKER_NAME, "python"])
def test_a_forkserver_is_no_worker_even_before_it_has_forked_one(tmp_path: Path, name: str) -> None:
    """With a PyTorch that names its workers, and with one that does not."""
    job = probe.Job(str(tmp_path), 100)
    process(tmp_path, 100, 1, "python", TRAIN, LIBRARY)
    for _ in range(job.DEAR_EVERY + 1):  # until it has seen the library
        job.look()
    process(tmp_path, 101, 100, "python", SERVER)
    job.look()
    assert job.most_workers == 0
    for pid in (102, 103):
        process(tmp_path, pid, 101, name, SERVER)
    job.look()
    assert job.most_workers == 2


def test_what_only_looks_like_a_worker_is_none_once_workers_are_named(tmp_path: Path) -> None:
    """A process that was forked for something else, before the loader has begun."""
    job = probe.Job(str(tmp_path), 100)
    process(tmp_path, 100, 1, "python", TRAIN, LIBRARY)
    process(tmp_path, 101, 100, "python", TRAIN)
    for _ in range(job.DEAR_EVERY + 1):
        job.look()
    for pid in (102, 103, 104):
        process(tmp_path, pid, 100, probe.WORKER_NAME, TRAIN)
    job.look()
    assert job.most_workers == 3
    assert [each.workers for each in job.now if each.stat.pid == 100] == [3]
