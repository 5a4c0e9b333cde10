#!/usr/bin/env python3
"""Build, serve or test the page. Needs Python 3.11 and nothing else.

    python3 build.py                 make dist/
    python3 build.py serve           make dist/ and serve it on this machine
    python3 build.py test [ARGS...]  every check there is; ARGS go to pytest

This file only makes the environment that the build runs in, .build/venv, from requirements.lock,
and starts itself in it again. The work is in web/make/, one step a file.
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
VENV = ROOT / ".build" / "venv"
OLDEST = (3, 11)
PORTS = 65536


def main() -> int:
    """Run the command, in the build's own environment."""
    if sys.version_info < OLDEST:
        stop("this is Python {}.{}; the build needs 3.11 or newer".format(*sys.version_info[:2]))
    options = parse(sys.argv[1:])
    if Path(sys.prefix).resolve() != VENV.resolve():
        make_environment()
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
    if not arguments or arguments[0].startswith("--base-url"):
        arguments = ["build", *arguments]
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "test":
        parser.error("unknown argument: {}".format(" ".join(rest)))
    options.rest = rest
    return options


def port(text: str) -> int:
    """Read a port number."""
    if not text.isascii() or not text.isdecimal() or not 0 <= int(text[:9]) < PORTS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: a number below {PORTS}")
    return int(text)


def make_environment() -> None:
    """Create .build/venv with exactly what the lock says, unless it already holds that."""
    python = environment_python()
    stamp = VENV / "made-from"
    content = f"{VENV} {sys.version} {hashlib.sha256(LOCK.read_bytes()).hexdigest()}"
    if stamp.is_file() and stamp.read_text("utf-8") == content and python.exists():
        return
    say("environment: .build/venv, from requirements.lock")
    made = quiet([sys.executable, "-m", "venv", "--clear", str(VENV)])
    if made.returncode:
        stop(
            "Python's venv module does not work here; "
            "on Debian and Ubuntu: apt-get install python3-venv",
            made,
        )
    install = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    done = quiet([*install, "--require-hashes", "--requirement", str(LOCK)])
    if done.returncode:
        stop("could not install what requirements.lock lists", done)
    stamp.write_text(content, "utf-8")


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
