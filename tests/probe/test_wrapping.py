"""The probe around real processes: it measures them, and they do not notice."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.components import component, root, run
from tests.support.probing import FILE, command, probed, python, record_in, with_tmpfs, wrap

MIB = 2**20

# ---------------------------------------------------------------- how it ends


@pytest.mark.parametrize("status", [0, 1, 3, 137, 255])
def test_its_exit_status_is_the_commands_own(status) -> None:
    probed = wrap(["sh", "-c", f"exit {status}"])
    assert probed.status == status
    assert probed.record["exit"]["code"] == status


@pytest.mark.parametrize(
    "number", [signal.SIGBUS, signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGINT]
)
def test_a_command_that_a_signal_ended_ends_the_probe_with_the_same_signal(number) -> None:
    probed = wrap(["sh", "-c", f"kill -{number:d} $$"])
    assert probed.status == -number
    assert probed.record["exit"] == {
        "code": None,
        "signal": number,
        "means": probed.record["exit"]["means"],
    }
    assert number.name in probed.record["exit"]["means"]


@pytest.mark.parametrize(("word", "status"), [("no-such-program", 127), ("/etc/passwd", 126)])
def test_a_command_that_cannot_be_run_ends_as_in_a_shell(word, status) -> None:
    done = run(command([word]))
    assert done.returncode == status
    assert "cannot run" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [[], ["--pid", "1", "--watch"], ["--watch", "--", "true"]])
def test_it_must_be_told_exactly_one_thing_to_watch(words) -> None:
    done = run([sys.executable, FILE, *words])
    assert done.returncode == 2
    assert "one of" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--interval", "nan"], "--interval: 'nan' is no number from 1 to 60000"),
        (["--interval", "inf"], "--interval: 'inf' is no number"),
        (["--interval", "1e30"], "--interval: '1e30' is no number"),
        (["--interval", "0"], "--interval: '0' is no number"),
        (["--interval", "-5"], "--interval: '-5' is no number"),
        (["--interval", "x"], "--interval: 'x' is no number"),
        (["--hang", "nan"], "--hang: 'nan' is no number"),
        (["--hang", "0"], "--hang: '0' is no number"),
        (["--for", "1"], "--for goes with --pid and --watch"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_option_that_cannot_be_meant_is_refused_before_the_job_starts(options, said) -> None:
    done = run(command(["echo", "started"], *options))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("options", [["--for", "nan"], ["--for", "0"], ["--scan", "always"]])
def test_what_watching_cannot_mean_is_refused(options) -> None:
    done = run([sys.executable, FILE, "--watch", *options], timeout=20)
    assert done.returncode == 2
    assert options[0] in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "0<&- 1>&-", "0<&- 1>&- 2>&-"])
def test_with_streams_closed_it_ends_as_the_job_does(closed) -> None:
    words = command(["sh", "-c", "kill -TERM $$"])
    done = run(["sh", "-c", f'exec "$@" {closed}', "sh", *words])
    assert done.returncode == -signal.SIGTERM
    assert "Traceback" not in done.stderr


BROKEN = """
import sys
sys.path.insert(0, sys.argv[1])
import shm_probe
def fail(*_):
    raise MemoryError("no more")
setattr(shm_probe.{owner}, "{name}", fail)
sys.exit(shm_probe.main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("owner", "name", "said"),
    [
        ("Watcher", "look", "cannot measure any more"),
        ("Course", "add", "cannot measure any more"),
        ("MemoryPeaks", "look", "cannot measure: "),
    ],
)
def test_whatever_goes_wrong_in_the_probe_the_job_goes_on_to_its_own_end(owner, name, said) -> None:
    job = ["sh", "-c", "echo one; sleep 1; echo two >&2; echo three; exit 5"]
    done = run([*python(BROKEN.format(owner=owner, name=name)), FILE.parent, "--", *job])
    assert (done.returncode, done.stdout) == (5, "one\nthree\n")
    assert "two\n" in done.stderr
    assert said in done.stderr


# ---------------------------------------------------------------- signals


def started(code: str, *options: str) -> subprocess.Popen[str]:
    """Start the probe around Python code, and wait until that has said "ready"."""
    probe = subprocess.Popen(
        command(python(code), *options),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,  # in an orphaned group nothing can be stopped
    )
    assert probe.stdout is not None
    assert probe.stdout.readline() == "ready\n"
    return probe


HANDLING = """
import signal, sys, time
caught = []
def note(number, frame):
    caught.append(signal.Signals(number).name)
    if number == signal.SIGTERM:
        print(*caught, flush=True)
        sys.exit(5)
for name in ("HUP", "INT", "TERM", "USR1", "USR2"):
    signal.signal(getattr(signal, "SIG" + name), note)
print("ready", flush=True)
while True:
    time.sleep(0.05)
"""


def test_signals_are_passed_on_each_once_and_in_order() -> None:
    probe = started(HANDLING)
    for number in (signal.SIGUSR1, signal.SIGHUP, signal.SIGINT, signal.SIGUSR2, signal.SIGTERM):
        probe.send_signal(number)
        time.sleep(0.3)
    out, err = probe.communicate(timeout=20)
    assert out == "SIGUSR1 SIGHUP SIGINT SIGUSR2 SIGTERM\n"
    assert probe.returncode == 5
    assert record_in(err)["exit"]["code"] == 5


def test_stopping_the_probe_stops_the_job_and_continuing_continues_it() -> None:
    probe = started(HANDLING)
    (child,) = children(probe.pid)
    probe.send_signal(signal.SIGTSTP)
    assert within(5, lambda: state(probe.pid) == state(child) == "T")
    probe.send_signal(signal.SIGCONT)
    assert within(5, lambda: state(probe.pid) != "T" and state(child) != "T")
    probe.send_signal(signal.SIGTERM)
    probe.communicate(timeout=20)
    assert probe.returncode == 5


@pytest.mark.parametrize("job", ["sleep 300", "sh -c 'sleep 300; true'"])
def test_ctrl_z_gives_the_shell_its_terminal_back_each_time(job) -> None:
    """Which of two pending signals comes first, the job's stop or ours, is not ours to choose."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe("bash", ["bash", "--norc", "-i"], {**os.environ, "PS1": "PROMPT$ "})  # noqa: S606
    try:
        assert b"PROMPT$" in typed(terminal, "", b"PROMPT$")
        typed(terminal, f"{sys.executable} {FILE} --quiet -- {job}\n", b"never", 1.5)
        for _ in range(10):
            assert b"Stopped" in typed(terminal, "\x1a", b"PROMPT$")
            typed(terminal, "fg\n", b"never", 0.4)
        assert b"SHM-PROBE" in typed(terminal, "\x03", b"PROMPT$")
        assert b"alive" in typed(terminal, "echo al''ive\n", b"alive")
    finally:
        os.close(terminal)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def typed(terminal: int, keys: str, until: bytes, seconds: float = 8) -> bytes:
    """Type at a terminal; return what it shows until it shows something, or for some time."""
    os.write(terminal, keys.encode())
    shown, end = b"", time.monotonic() + seconds
    while until not in shown and (left := end - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            shown += os.read(terminal, 65536)
    return shown


def test_a_job_that_is_stopped_and_continued_on_its_own_leaves_the_probe_running() -> None:
    probe = started(HANDLING)
    (child,) = children(probe.pid)
    for number in (signal.SIGSTOP, signal.SIGTSTP):
        os.kill(child, number)
        assert within(5, lambda: state(child) == "T")
        time.sleep(0.3)
        assert state(probe.pid) != "T"
        os.kill(child, signal.SIGCONT)
    probe.send_signal(signal.SIGTERM)
    probe.communicate(timeout=20)
    assert probe.returncode == 5


def test_a_signal_that_was_ignored_stays_ignored_as_nohup_wants_it() -> None:
    code = "import signal; print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN)"
    done = run([component("nohup"), *command(python(code))])
    assert done.stdout == "True\n"


def test_the_job_gets_no_signal_blocked_by_us() -> None:
    code = "import signal; print(signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    assert wrap(python(code)).out == "set()\n"


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def within(seconds: float, happens) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if happens():
            return True
        time.sleep(0.02)
    return False


# ---------------------------------------------------------------- what it prints

NOISE = "import os, sys; sys.stderr.buffer.write(bytes(range(256)) * 5000 + b'no end of line')"


def test_standard_error_goes_through_byte_for_byte(tmp_path) -> None:
    with (tmp_path / "err").open("wb") as err:
        subprocess.run(command(python(NOISE), "--quiet"), stderr=err, check=True, timeout=60)
    job, mark, _ = (tmp_path / "err").read_bytes().partition(b"SHM-PROBE {")
    assert mark
    assert job.rstrip(b"\n") == bytes(range(256)) * 5000 + b"no end of line"


def test_standard_output_and_input_are_the_jobs_own() -> None:
    code = "import os, sys; print(os.fstat(1).st_ino, os.fstat(0).st_ino, sys.stdin.read())"
    read, write = os.pipe()
    subprocess.run(
        command(python(code)),
        stdin=subprocess.DEVNULL,
        stdout=write,
        stderr=subprocess.PIPE,
        check=True,
        timeout=60,
    )
    words = os.read(read, 1000).split()
    assert int(words[0]) == os.fstat(write).st_ino
    os.close(read)
    os.close(write)
    assert int(words[1]) == Path("/dev/null").stat().st_ino


BOTH = """
import os
for number in range(2000):
    os.write(1 + number % 2, b"%d\\n" % number)
"""


def test_where_both_go_to_the_same_place_their_order_stays(tmp_path) -> None:
    with (tmp_path / "both").open("wb") as both:
        words = command(python(BOTH), "--quiet")
        subprocess.run(words, stdout=both, stderr=both, check=True, timeout=60)
    lines = (tmp_path / "both").read_text().splitlines()
    assert lines[:2000] == [str(number) for number in range(2000)]


def test_a_line_of_standard_error_is_there_as_soon_as_it_is_written() -> None:
    code = "import sys, time; print('now', file=sys.stderr, flush=True); time.sleep(3)"
    probe = subprocess.Popen(command(python(code)), stderr=subprocess.PIPE, text=True)
    assert probe.stderr is not None
    begin = time.monotonic()
    assert probe.stderr.readline() == "now\n"
    assert time.monotonic() - begin < 2.5
    probe.communicate(timeout=20)


def test_a_terminal_stays_a_terminal() -> None:
    code = "import sys; print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stderr.isatty())"
    words = " ".join(f"'{word}'" for word in command(python(code), "--quiet"))
    done = run([component("script"), "-q", "-e", "-c", words, "/dev/null"], given="")
    assert "True True True" in done.stdout
    assert "SHM-PROBE {" in done.stdout


def test_with_standard_error_closed_the_job_still_runs() -> None:
    words = command(python("print('fine')"))
    done = run(["sh", "-c", 'exec "$@" 2>&-', "sh", *words])
    assert (done.returncode, done.stdout) == (0, "fine\n")


def test_a_daemon_that_the_job_leaves_behind_can_still_write(tmp_path) -> None:
    """Where the probe ended with the pipe, the daemon would die of SIGPIPE."""
    code = (
        "import os, sys, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid(); time.sleep(2)\n"
        "    sys.stderr.write('late\\n'); sys.stderr.flush()\n"
    )
    with (tmp_path / "err").open("wb") as err:
        begin = time.monotonic()
        subprocess.run(command(python(code)), stderr=err, check=True, timeout=60)
        assert time.monotonic() - begin < 1.9
    assert within(10, lambda: b"late\n" in (tmp_path / "err").read_bytes())


# ---------------------------------------------------------------- when nobody reads it

FLOOD = """
import sys
print("ready", flush=True)
while True:
    sys.stderr.write("x" * 1000 + chr(10))
"""


def unread(code: str, *options: str) -> tuple[subprocess.Popen[bytes], int]:
    """Start the probe around code that prints "ready"; its standard error is a full pipe soon."""
    read, write = os.pipe()
    words = command(python(code), "--quiet", *options)
    probe = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=write)
    os.close(write)
    assert probe.stdout is not None
    assert probe.stdout.readline() == b"ready\n"
    return probe, read


def ended(probe: subprocess.Popen[bytes], seconds: float) -> int:
    """Return the status once the probe has ended and nobody holds its standard output."""
    probe.communicate(timeout=seconds)
    return probe.returncode


def called(mark: str) -> list[int]:
    """Return who has this in its command."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found += [int(file.parent.name)] if mark.encode() in file.read_bytes() else []
    return found


def all_of(source: int) -> bytes:
    with os.fdopen(source, "rb") as file:
        return file.read()


def test_it_ends_with_a_job_whose_standard_error_nobody_reads() -> None:
    probe, read = unread(FLOOD)
    time.sleep(1.5)
    probe.send_signal(signal.SIGTERM)
    assert ended(probe, 4) == -signal.SIGTERM
    os.close(read)


def test_what_was_not_read_when_it_ended_can_be_read_later() -> None:
    code = (
        "import os\nprint('ready', flush=True)\nfor n in range(40000): os.write(2, b'%05d\\n' % n)"
    )
    probe, read = unread(code)
    assert os.read(read, 6) == b"00000\n"
    time.sleep(2)
    assert probe.poll() is None, "the job's 240 kB fit into pipes: nothing is tested"
    taken = 0
    while taken < 120000:  # now the job can end, and its probe has much left
        taken += len(os.read(read, 6))
    assert ended(probe, 6) == 0
    rest = all_of(read)
    job, mark, _ = rest.partition(b"SHM-PROBE {")
    lines = job.decode().splitlines()
    assert mark
    assert lines[-1] == "39999"
    assert lines == [f"{number:05d}" for number in range(20001, 40000)]


def test_what_stays_for_an_unread_pipe_holds_nothing_else_open_and_can_be_ended() -> None:
    mark = f"# {time.time_ns()}"
    probe, read = unread(FLOOD + mark)
    time.sleep(1)
    probe.send_signal(signal.SIGTERM)
    assert ended(probe, 4) == -signal.SIGTERM
    (copier,) = called(mark)
    os.kill(copier, signal.SIGTERM)
    assert within(5, lambda: not called(mark))
    os.close(read)


def test_a_remark_waits_for_no_reader_and_signals_reach_the_job() -> None:
    filling = "open('/dev/shm/a', 'wb').write(bytes(7500000)); time.sleep(300)"
    flooding = (
        "threading.Thread(target=lambda: [sys.stderr.write('x' * 1000) for _ in iter(int, 1)]"
    )
    code = (
        "import sys, threading, time; print('ready', flush=True)\n"
        f"{flooding}, daemon=True).start(); time.sleep(1); {filling}"
    )
    read, write = os.pipe()
    words = with_tmpfs("size=8m", command(python(code), "--quiet"))
    probe = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=write)
    os.close(write)
    time.sleep(3.5)
    probe.send_signal(signal.SIGTERM)
    assert ended(probe, 4) == -signal.SIGTERM
    assert b"is 80% full" in all_of(read)


@pytest.mark.parametrize("words", [["--watch"], ["--scan", "never", "--", "sleep", "300"]])
def test_a_full_pipe_keeps_no_signal_from_a_probe_that_only_talks(words) -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    while fits(write):
        pass
    os.set_blocking(write, True)
    talks = [sys.executable, FILE, "--path", "/nowhere", *words]  # says at once that it is missing
    probe = subprocess.Popen(talks, stderr=write)
    os.close(write)
    time.sleep(1.5)
    probe.send_signal(signal.SIGTERM)
    assert ended(probe, 4) in {0, -signal.SIGTERM}
    assert b"there is no /nowhere" in all_of(read)


def fits(target: int) -> bool:
    try:
        return os.write(target, b"." * 4096) > 0
    except BlockingIOError:
        return False


def test_a_daemon_that_writes_faster_than_is_read_does_not_keep_the_probe() -> None:
    code = "import os, sys\nif os.fork():\n print('ready', flush=True); os._exit(4)\n"
    code += "os.setsid(); os.close(1)\n"
    probe, read = unread(code + "while True: os.write(2, b'x' * 999 + b'\\n')")
    end = time.monotonic() + 4
    while probe.poll() is None and time.monotonic() < end:
        os.read(read, 8192)
        time.sleep(0.01)
    assert ended(probe, 1) == 4
    os.close(read)  # ends the copier, and with it the daemon


def test_as_the_first_process_it_ends_too_where_nobody_reads() -> None:
    root("a process namespace")
    namespace = [component("unshare"), "--pid", "--fork", "--mount-proc"]
    read, write = os.pipe()
    words = command(["timeout", "1", *python(FLOOD)], "--quiet")
    probe = subprocess.Popen([*namespace, *words], stdout=subprocess.DEVNULL, stderr=write)
    os.close(write)
    assert ended(probe, 12) == 124
    os.close(read)


def test_on_a_full_disk_lines_are_lost_and_the_job_lives() -> None:
    code = "for n in 1 2 3; do echo $n >&2; sleep .2; done; echo done; exit 3"
    words = command(["sh", "-c", code])
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=full, check=False, timeout=30)
    assert (done.returncode, done.stdout) == (3, b"done\n")


def test_a_log_that_may_not_grow_takes_what_fits_and_the_job_lives(tmp_path) -> None:
    code = "for n in 1 2 3; do head -c 3000 /dev/zero >&2; sleep .2; done; echo done; exit 3"
    limited = 'ulimit -f 8; exec "$@" 2>"$0"'
    words = ["bash", "-c", limited, str(tmp_path / "log"), *command(["sh", "-c", code])]
    done = run(words)
    assert (done.returncode, done.stdout) == (3, "done\n")
    assert (tmp_path / "log").stat().st_size == 8192


def test_a_reader_that_goes_away_is_noticed_by_the_job_as_without_us() -> None:
    probe, read = unread(FLOOD)
    os.close(read)
    assert ended(probe, 10) == 1  # Python's BrokenPipeError


# ---------------------------------------------------------------- what it measures

FILL = """
import os, sys, time
with open("/dev/shm/torch_%d_1_0" % os.getpid(), "wb") as file:
    file.write(bytes({size}))
    file.flush()
    time.sleep({seconds})
{after}
"""


def fill(size: int, seconds: float = 0.5, after: str = "os.unlink(file.name)") -> list[str]:
    return python(FILL.format(size=size, seconds=seconds, after=after))


def test_the_peak_is_to_the_byte_what_lay_there() -> None:
    inside = command(fill(5 * MIB + 1))
    found = probed(run(with_tmpfs("size=64m", inside))).record["shm"]
    assert (found["size"], found["start"], found["end"]) == (64 * MIB, 0, 0)
    assert found["peak"] == 5 * MIB + 4096
    assert max(found["course"]["bytes"]) == found["peak"]


def test_files_that_are_left_are_counted_and_their_maker_is_known_to_be_gone() -> None:
    inside = command(fill(8192, after=""))
    found = probed(run(with_tmpfs("size=64m", inside))).record["shm"]
    assert found["files_before"] == []
    assert found["files_left"] == [
        {"kind": "torch", "files": 1, "bytes": 8192, "dead": 1, "dead_bytes": 8192}
    ]


@pytest.mark.parametrize(
    ("mebibytes", "said"), [(7, []), (8.5, ["80%"]), (9.8, ["80%", "95%"])], ids=str
)
def test_80_and_95_percent_are_said_once_each_while_the_job_runs(mebibytes, said) -> None:
    inside = command(fill(int(mebibytes * MIB)))
    done = probed(run(with_tmpfs("size=10m", inside)))
    lines = [line for line in done.err.splitlines() if "full:" in line]
    assert [line.split("is ")[1].split(" full")[0] for line in lines] == said


BUS = """
import mmap, os
file = os.open("/dev/shm/psm_x", os.O_CREAT | os.O_RDWR)
os.ftruncate(file, 32 << 20)
memory = mmap.mmap(file, 32 << 20)
for offset in range(0, 32 << 20, 4096):
    memory[offset] = 1
"""


def test_a_process_that_dies_of_a_full_shm_is_named_so() -> None:
    done = probed(run(with_tmpfs("size=16m", command(python(BUS)))))
    assert done.found == ["shm_exhausted"]
    assert done.record["exit"]["signal"] == signal.SIGBUS


def test_a_bus_error_with_an_empty_shm_is_not_blamed_on_it() -> None:
    done = wrap(["sh", "-c", "kill -BUS $$"])
    assert done.found == ["bus_error_unattributed"]


def test_a_kill_from_outside_is_not_called_out_of_memory() -> None:
    assert wrap(["sh", "-c", "kill -KILL $$"]).found == ["killed"]


WORKERS = """
import os, sys, time
for number in range({workers}):
    if os.fork() == 0:
        open("/proc/self/comm", "w").write("pt_data_worker")
        time.sleep(2)
        os._exit(0)
for number in range({workers}):
    os.wait()
"""


RANKS = """
import os, subprocess, sys
jobs = [
    subprocess.Popen(
        [sys.executable, "-c", sys.argv[1]],
        env={**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2"},
    )
    for rank in range(2)
]
for job in jobs:
    job.wait()
"""


def test_workers_are_recognised_by_their_name_and_ranks_by_their_environment() -> None:
    done = wrap([*python(RANKS), WORKERS.format(workers=3)])
    job = done.record["job"]
    assert (job["workers"], job["owners"], job["processes"]) == (6, 2, 9)
    assert [(each["rank"], each["workers"], each["world"]) for each in job["ranks"]] == [
        (0, 3, 2),
        (1, 3, 2),
    ]


OPEN = """
import resource, time
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
held = [open("/dev/null") for number in range(95)]
time.sleep(1.5)
"""


def test_descriptors_that_nearly_ran_out_are_said_and_named() -> None:
    done = wrap(python(OPEN))
    assert done.record["job"]["highest"]["fds"] >= 98
    assert "of 100 file descriptors" in done.err
    assert done.found == ["fd_limit"]


def test_a_hang_after_a_lost_batch_is_named_while_the_job_still_waits() -> None:
    """What PyTorch prints, word for word; the real one is in test_torch.py."""
    from tests.probe.test_parts import ERRNOS, FEEDER  # noqa: PLC0415

    text = (FEEDER % ERRNOS[0]).decode()
    code = f"import sys, time; sys.stderr.write({text!r}); sys.stderr.flush(); time.sleep(60)"
    probe = subprocess.Popen(
        command(python(code), "--hang", "2"), stderr=subprocess.PIPE, text=True
    )
    assert probe.stderr is not None
    said = next(line for line in probe.stderr if line.startswith("shm-probe: THE JOB HANGS"))
    assert "unable to allocate shared memory(shm)" in said
    assert "timeout=" in said
    assert probe.poll() is None
    probe.send_signal(signal.SIGTERM)
    _, err = probe.communicate(timeout=20)
    found = record_in(err)["found"]
    assert [each["id"] for each in found] == ["silent_hang", "shm_exhausted"]


# ---------------------------------------------------------------- odd places


def test_without_dev_shm_processes_are_still_watched(tmp_path) -> None:
    done = wrap(["true"], "--path", str(tmp_path / "none"))
    assert done.status == 0
    assert "there is no" in done.err
    assert done.record["shm"]["peak"] == 0


def test_a_tmpfs_without_a_limit_is_said_to_hide_its_use() -> None:
    done = probed(run(with_tmpfs("size=0", command(["true"]))))
    assert "no limit" in done.err


def test_on_a_read_only_file_system_only_the_file_of_json_is_missing() -> None:
    root("mounting")
    inside = command(["sh", "-c", "echo fine"], "--json", "/etc/shm-probe.json")
    script = 'mount --bind / / && mount -o remount,bind,ro / && exec "$@"'
    private = [component("unshare"), "--mount", "--propagation", "private"]
    done = probed(run([*private, "sh", "-c", script, "sh", *inside]))
    assert (done.status, done.out) == (0, "fine\n")
    assert "could not write" in done.err


def test_without_proc_it_measures_shm_alone() -> None:
    root("mounting")
    script = 'mount -t tmpfs none /proc && exec "$@"'
    private = [component("unshare"), "--mount", "--propagation", "private"]
    done = probed(run([*private, "sh", "-c", script, "sh", *command(fill(4 * MIB))]))
    assert done.status == 0
    assert done.record["shm"]["peak"] - done.record["shm"]["start"] >= 4 * MIB
    assert done.record["job"]["processes"] == 0
    assert done.record["memory"] is None


def test_a_user_without_rights_can_use_it() -> None:
    root("changing the user")
    program = next(path for path in ("/usr/bin/python3", sys.executable) if Path(path).exists())
    copy = Path("/tmp") / f"probe-{os.getpid()}.py"  # noqa: S108 - where every user may read
    copy.write_bytes(FILE.read_bytes())
    copy.chmod(0o644)
    try:
        nobody = [component("setpriv"), "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        done = probed(run([*nobody, program, copy, "--", "sleep", "0.3"]))
    finally:
        copy.unlink()
    assert done.status == 0
    assert done.record["job"]["processes"] == 1


ORPHANS = """
import os, sys, time
for number in range(20):
    if os.fork() == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.wait()
time.sleep(0.7)
states = [open("/proc/%s/stat" % name).read().rpartition(")")[2].split()[0]
          for name in os.listdir("/proc") if name.isdigit()]
print(os.getppid(), states.count("Z"))
sys.exit({status})
"""


@pytest.mark.parametrize("status", [0, 4])
def test_as_the_first_process_of_a_container_it_buries_orphans(status) -> None:
    root("a process namespace")
    namespace = [component("unshare"), "--pid", "--fork", "--mount-proc"]
    done = probed(run([*namespace, *command(python(ORPHANS.format(status=status)))]))
    assert (done.status, done.out) == (status, "1 0\n")


def test_as_the_first_process_a_signals_death_becomes_128_and_its_number() -> None:
    root("a process namespace")
    namespace = [component("unshare"), "--pid", "--fork", "--mount-proc"]
    done = probed(run([*namespace, *command(["sh", "-c", "kill -BUS $$"])]))
    assert done.status == 128 + signal.SIGBUS


# ---------------------------------------------------------------- watching what runs


def test_a_running_process_is_watched_until_it_ends() -> None:
    job = subprocess.Popen(fill(MIB, seconds=2))
    try:
        done = probed(run([sys.executable, FILE, "--pid", str(job.pid)], timeout=30))
    finally:
        assert job.wait(timeout=20) == 0
    assert done.status == 0
    assert done.record["mode"] == "pid"
    assert done.record["shm"]["peak"] >= MIB
    assert done.record["exit"]["code"] is None


def test_a_process_that_is_not_there_is_said_so() -> None:
    done = run([sys.executable, FILE, "--pid", "4194304"])
    assert done.returncode == 2
    assert "there is no process 4194304" in done.stderr


def test_everything_is_watched_until_the_workers_have_gone() -> None:
    root("a process namespace")
    namespace = [component("unshare"), "--pid", "--fork", "--mount-proc"]
    script = f'"$@" & exec {sys.executable} {FILE} --watch --for 30'
    inside = python(WORKERS.format(workers=2))
    begin = time.monotonic()
    done = probed(run([*namespace, "sh", "-c", script, "sh", *inside]))
    assert time.monotonic() - begin < 25
    assert done.record["job"]["workers"] == 2


def test_watching_ends_after_the_time_it_was_given_and_with_ctrl_c() -> None:
    begin = time.monotonic()
    done = probed(run([sys.executable, FILE, "--watch", "--for", "1"]))
    assert done.status == 0
    assert 1 <= done.record["seconds"] < 8
    watching = subprocess.Popen(
        [sys.executable, FILE, "--watch"], stderr=subprocess.PIPE, text=True
    )
    time.sleep(1.5)
    watching.send_signal(signal.SIGINT)
    _, err = watching.communicate(timeout=20)
    assert watching.returncode == 0
    assert record_in(err)["mode"] == "watch"
    assert time.monotonic() - begin < 40


def test_it_runs_from_standard_input_as_kubectl_exec_hands_it_over() -> None:
    done = run([sys.executable, "-", "--", "sh", "-c", "exit 6"], given=FILE.read_text())
    assert done.returncode == 6


# ---------------------------------------------------------------- the record


def test_the_file_of_json_holds_the_same_line_and_is_there_while_the_job_runs(tmp_path) -> None:
    file = tmp_path / "probe.json"
    done = wrap(["true"], "--json", str(file))
    line = file.read_text().strip()
    assert json.loads(line.removeprefix("SHM-PROBE ")) == done.record
    assert done.record["partial"] is False
    assert list(tmp_path.iterdir()) == [file]


def test_the_table_names_what_was_measured_for_people() -> None:
    done = wrap(["true"])
    for words in ("peak of /dev/shm", "mounted by", "ended", "success", "of a core"):
        assert words in done.err
