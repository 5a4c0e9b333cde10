"""The door for the shell: `python -m calculator`, also installed as `shm-sizer`.

Exit status: 0 done, 1 the answer is "no", 2 unusable input (one clear line on standard
error).
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calculator import __version__, blocks, presets, report
from calculator.errors import InputError, Problem
from calculator.fit import fit
from calculator.inputs import collect, read_shm
from calculator.reading import DoubledKeyError, read_json
from calculator.slips import slip, slips
from calculator.summary import summarize
from calculator.workload import Workload, parse


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal may know fewer characters
    arguments = _parser().parse_args(argv)
    try:
        result: Result = arguments.run(arguments)
        _say(result.hints)
        _write(result.text)
    except InputError as error:
        return _refuse(error)
    except KeyboardInterrupt:
        return 130
    return result.status


def _refuse(error: InputError) -> int:
    _say([error])
    return 2


def _say(remarks: Iterable[InputError | Problem]) -> None:
    if sys.stderr is not None:
        for remark in remarks:
            print(f"shm-sizer: {remark}", file=sys.stderr)


@dataclass(frozen=True)
class Result:
    """What a command prints, the exit status it ends with, and hints on what was given."""

    text: str
    status: int = 0
    hints: Sequence[Problem] = ()


def _write(text: str) -> None:
    """Print the answer; a reader that has seen enough is no error."""
    if sys.stdout is None:
        raise InputError.at("standard output", "is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _silence()
    except OSError as error:
        _silence()
        raise InputError.at("standard output", error.strerror or "cannot be written") from None


def _silence() -> None:
    """Nothing is left to flush at exit either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# ---------------------------------------------------------------- commands


def _size(arguments: argparse.Namespace) -> Result:
    workload, hints = _workload(arguments)
    found = report.build(workload)
    if arguments.json:
        return Result(_json(found.model_dump(mode="json")), hints=hints)
    return Result(summarize("summary", workload=workload, report=found), hints=hints)


def _config(arguments: argparse.Namespace) -> Result:
    workload, hints = _workload(arguments)
    try:
        found = report.build(workload, shm_bytes=_shm(arguments.shm), targets=[arguments.target])
    except blocks.UnknownTargetError as error:
        raise InputError.at("--target", str(error)) from None
    return Result(found.targets[0].text, hints=hints)


def _fit(arguments: argparse.Namespace) -> Result:
    shm_bytes = read_shm(arguments.shm)
    workload, hints = _workload(arguments)
    found = fit(workload, shm_bytes)
    status = 0 if found.fits else 1
    if arguments.json:
        return Result(_json(found.model_dump(mode="json")), status, hints)
    return Result(summarize("fit", fit=found), status, hints)


def _list(arguments: argparse.Namespace) -> Result:
    titles = presets.titles() if arguments.what == "presets" else blocks.titles()
    if arguments.json:
        return Result(_json([{"id": name, "title": title} for name, title in titles.items()]))
    width = max(map(len, titles))
    return Result("".join(f"{name:<{width}}  {title}\n" for name, title in titles.items()))


# ---------------------------------------------------------------- input


def _shm(text: str | None) -> int | None:
    return None if text is None else read_shm(text)


def _workload(arguments: argparse.Namespace) -> tuple[Workload, list[Problem]]:
    """Return the job, and hints on sizes that are hardly meant."""
    given = None if arguments.workload is None else _read_json(arguments.workload)
    data = collect(arguments.preset, given, dict(map(_change, arguments.set)))
    return parse(data), [*slips(data), *slip("shm", getattr(arguments, "shm", None))]


def _read_json(name: str) -> Any:
    label = "standard input" if name == "-" else name
    try:
        text = _stdin() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
        return read_json(text)
    except OSError as error:
        raise InputError.at(label, error.strerror or "cannot be read") from None
    except DoubledKeyError as error:
        raise InputError.at(label, str(error)) from None
    except (ValueError, RecursionError) as error:
        raise InputError.at(label, f"is not JSON ({error})") from None


def _stdin() -> str:
    if sys.stdin is None:
        raise InputError.at("standard input", "is closed")
    return sys.stdin.read().removeprefix("\ufeff")


def _change(text: str) -> tuple[str, Any]:
    path, equals, value = text.partition("=")
    if not equals or not path.strip():
        raise InputError.at("--set", f"{text[:80]!r} is not PATH=VALUE")
    try:
        return path.strip(), _value(value)
    except DoubledKeyError as error:
        raise InputError.at(path.strip(), str(error)) from None


def _value(text: str) -> Any:
    """Read a list or an object as JSON; everything else stays text, as on the page."""
    if text.lstrip()[:1] not in {"[", "{"}:
        return text
    try:
        return read_json(text)
    except DoubledKeyError:
        raise
    except (ValueError, RecursionError):
        return text


# ---------------------------------------------------------------- output


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="shm-sizer",
        description="How large /dev/shm must be for PyTorch DataLoader workers.",
    )
    parser.add_argument("--version", action="version", version=f"shm-sizer {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    size = commands.add_parser("size", help="the answer, as text or JSON")
    _add_inputs(size)
    size.add_argument("--json", action="store_true", help="print the whole report as JSON")
    size.set_defaults(run=_size)

    config = commands.add_parser("config", help="one configuration block")
    _add_inputs(config)
    config.add_argument("--target", required=True, metavar="ID", help="see `list targets`")
    config.add_argument("--shm", metavar="SIZE", help="render for this size, such as 8g")
    config.set_defaults(run=_config)

    inverse = commands.add_parser("fit", help="what fits into a /dev/shm that cannot be changed")
    _add_inputs(inverse)
    inverse.add_argument("--shm", required=True, metavar="SIZE", help="what there is, such as 2g")
    inverse.add_argument("--json", action="store_true")
    inverse.set_defaults(run=_fit)

    listing = commands.add_parser("list", help="what there is")
    listing.add_argument("what", choices=["presets", "targets"])
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=_list)
    return parser


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "workload",
        nargs="?",
        metavar="WORKLOAD.json",
        help="input JSON, or - for standard input",
    )
    parser.add_argument("--preset", metavar="ID", help="start from a preset; see `list presets`")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="set one input, such as loaders.0.batch_size=128; wins over file and preset",
    )


if __name__ == "__main__":
    sys.exit(main())
