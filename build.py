#!/usr/bin/env python3
"""Build, serve or test the page. Needs Python 3.11 and nothing else.

    python3 build.py                 make dist/
    python3 build.py serve           make dist/ and serve it on this machine
    python3 build.py test [ARGS...]  every check there is; ARGS go to pytest
    python3 build.py bench           measure how fast the page is, in a browser
    python3 build.py prove           hold our sizes against PyTorch in real containers
    python3 build.py lab             measure real DataLoaders, in any PyTorch and Python
    python3 build.py mutate          see whether the tests notice changes to the memory model

This file only makes the environment that the build runs in, .build/venv, from requirements.lock
(for the checks also requirements-check.lock), and starts itself in it again. The work is in
web/make/, one step a file.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
LOCK = ROOT / "requirements.lock"
CHECK_LOCK = ROOT / "requirements-check.lock"
VENV = ROOT / ".build" / "venv"
OLDEST = (3, 11)
PORTS = 65536
MOST_RUNS = 1000


def main() -> int:
    """Run the command, in the build's own environment."""
    if sys.version_info < OLDEST:
        stop("this is Python {}.{}; the build needs 3.11 or newer".format(*sys.version_info[:2]))
    options = parse(sys.argv[1:])
    if Path(sys.prefix).resolve() != VENV.resolve():
        builds_only = options.command in {"build", "serve"}
        make_environment([LOCK] if builds_only else [LOCK, CHECK_LOCK])
        return start_again()
    sys.path.insert(0, str(ROOT))
    from web.make import commands  # noqa: PLC0415  only here do its dependencies exist

    return commands.run(ROOT, options)


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line; a mistake in it ends here, before anything is installed."""
    parser = argparse.ArgumentParser(
        prog="build.py",
        description="Build, serve or test the page.",
        epilog="Everything that is made or fetched lies in .build/ and dist/.",
    )
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--base-url",
        default="",
        metavar="URL",
        help="where the page will live, which then names it as its address (default: not said)",
    )
    command = parser.add_subparsers(dest="command", metavar="COMMAND")
    command.add_parser("build", parents=[shared], help="make dist/ (what happens with no command)")
    serve = command.add_parser("serve", parents=[shared], help="make dist/ and serve it")
    serve.add_argument(
        "--port",
        type=port,
        default=8000,
        metavar="N",
        help="first port to try (default: 8000)",
    )
    command.add_parser(
        "test", parents=[shared], help="lint, types and tests; what follows goes to pytest"
    )
    measure(
        command.add_parser(
            "bench", parents=[shared], help="measure how fast the page is, in a browser"
        )
    )
    command.add_parser("prove", help="hold our sizes against PyTorch in real containers")
    laboratory(
        command.add_parser("lab", help="measure real DataLoaders, in any PyTorch and Python")
    )
    command.add_parser("mutate", help="see whether the tests notice changes to the memory model")
    if not arguments or arguments[0].startswith("--base-url"):
        arguments = ["build", *arguments]
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "test":
        parser.error("unknown argument: {}".format(" ".join(rest)))
    options.rest = rest
    return options


def measure(bench: argparse.ArgumentParser) -> None:
    """Add what the benchmark can be told."""
    bench.add_argument(
        "--runs", type=runs, default=5, metavar="N", help="visits of each variant (default: 5)"
    )
    bench.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="measure this alone, such as direct, slow_line.direct, edits, paste; may be repeated",
    )
    bench.add_argument(
        "--check", action="store_true", help="end with status 1 if a limit is not kept"
    )


def laboratory(lab: argparse.ArgumentParser) -> None:
    """Add what the lab can be told."""
    for name, what in (
        ("torch", "version of PyTorch (default: the one that prove runs)"),
        ("python", "version of Python, such as 3.13 (default: this one)"),
    ):
        lab.add_argument(
            f"--{name}", type=version, action="append", default=[], metavar="VERSION", help=what
        )
    lab.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="CASE",
        help="measure this case alone, by its name in tests/lab/cases.toml; may be repeated",
    )
    lab.add_argument("--quick", action="store_true", help="the peak alone, not the smallest size")
    lab.add_argument("--missing", action="store_true", help="only what the results lack")


def version(text: str) -> str:
    """Read a version number."""
    parts = text.split(".")
    if len(parts) < 2 or not all(part.isascii() and part.isdecimal() for part in parts):  # noqa: PLR2004
        raise argparse.ArgumentTypeError(f"{text!r} is not a version such as 2.13.0 or 3.13")
    return text


def port(text: str) -> int:
    """Read a port number."""
    if not text.isascii() or not text.isdecimal() or not 0 <= int(text[:9]) < PORTS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a number below {PORTS}")
    return int(text)


def runs(text: str) -> int:
    """Read how often to measure."""
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text[:9]) <= MOST_RUNS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {MOST_RUNS}")
    return int(text)


def make_environment(locks: list[Path]) -> None:
    """Make .build/venv hold what these locks list; what it holds already is not installed again.

    The first lock is what the environment is made from, the others add to it. When one of them
    has changed since, everything is made anew, so that nothing is left that no lock lists.
    """
    if all(map(holds, locks)):
        return
    if not holds(locks[0]) or any(stamp(lock).is_file() and not holds(lock) for lock in locks):
        create_environment()
    for number, lock in enumerate(locks, start=1):
        if not holds(lock):
            install(locks[:number])


def create_environment() -> None:
    """Create an empty .build/venv, whatever is there."""
    done = quiet([sys.executable, "-m", "venv", "--clear", str(VENV)])
    if done.returncode:
        stop(
            "Python's venv module does not work here; "
            "on Debian and Ubuntu: apt-get install python3-venv",
            done,
        )


def install(locks: list[Path]) -> None:
    """Install what the last of the locks lists, beside the others' packages, and note it."""
    say(f"environment: .build/venv, from {locks[-1].name}")
    command = [str(environment_python()), "-m", "pip", "install", "--disable-pip-version-check"]
    files = [word for lock in locks for word in ("--requirement", str(lock))]
    done = quiet([*command, "--quiet", "--require-hashes", *files])
    if done.returncode:
        stop(f"could not install what {locks[-1].name} lists", done)
    stamp(locks[-1]).write_text(content(locks[-1]), "utf-8")


def holds(lock: Path) -> bool:
    """Tell whether the environment is there and notes that it holds what this lock lists."""
    file = stamp(lock)
    return (
        environment_python().exists()
        and file.is_file()
        and file.read_text("utf-8") == content(lock)
    )


def stamp(lock: Path) -> Path:
    """Return the file in which the environment notes that it holds what this lock lists."""
    return VENV / f"made-from-{lock.name}"


def content(lock: Path) -> str:
    """Return what an environment that holds this lock's packages notes."""
    return f"{VENV} {sys.version} {hashlib.sha256(lock.read_bytes()).hexdigest()}"


def start_again() -> int:
    """Run this command again under the environment's Python."""
    command = [str(environment_python()), str(Path(__file__).resolve()), *sys.argv[1:]]
    if os.name == "posix":
        os.execv(command[0], command)  # noqa: S606  no shell is wanted
    try:
        return subprocess.call(command)
    except KeyboardInterrupt:
        return 130


def environment_python() -> Path:
    """Return the path of the environment's interpreter on this system."""
    return VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def quiet(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command, keeping what it prints."""
    return subprocess.run(
        command, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def say(text: str) -> None:
    """Print one line of progress."""
    print(f"build: {text}", file=sys.stderr, flush=True)


def stop(text: str, failed: subprocess.CompletedProcess[str] | None = None) -> None:
    """End with one line that says what is wrong, after the last line of the failed command."""
    lines = failed.stdout.strip().splitlines() if failed else []
    reason = next((line.strip() for line in reversed(lines) if "error" in line.lower()), "")
    say(f"{text} ({reason})" if reason else text)
    raise SystemExit(1)


if __name__ == "__main__":
    raise SystemExit(main())
