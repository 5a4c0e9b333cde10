"""Measure the cases in one PyTorch after the other, and keep what was found: results.json.

`python3 build.py lab` runs this, with the environments that web/make/lab.py has made.
"""

from __future__ import annotations

import datetime as dt
import fcntl
import json
import os
import sys
import tomllib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.lab import saying
from tests.lab.measure import Bench, LabError

HERE = Path(__file__).parent
RESULTS: Final = HERE / "results.json"
Row = dict[str, Any]


@dataclass(frozen=True)
class Wanted:
    """What to measure.

    Attributes:
        only: names of cases; empty for all.
        quick: the peak alone; what an earlier search of the minimum found is kept.
        missing: only what is not yet in the results.
    """

    only: Collection[str] = field(default_factory=tuple)
    quick: bool = False
    missing: bool = False


def cases() -> list[dict[str, Any]]:
    """Read the table of cases."""
    found: list[dict[str, Any]] = tomllib.loads((HERE / "cases.toml").read_text("utf-8"))["case"]
    return found


def results(path: Path = RESULTS) -> list[Row]:
    """Read what was measured."""
    if not path.exists():
        return []
    found: list[Row] = json.loads(path.read_text("utf-8"))["rows"]
    return found


def keep(new: Row, path: Path = RESULTS) -> None:
    """Write one row beside the others, in the place of an older one of the same case and versions.

    The file is sorted and has a row a line, so that a new measurement is a small change.
    Two that measure at once wait for each other here.
    """
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        _write(new, path)
    finally:
        os.close(folder)


def _write(new: Row, path: Path) -> None:
    rows = {key(row): row for row in results(path)}
    older = dict(rows.get(key(new), {}))
    for name in ("error", *(["note"] if "smallest_surviving_bytes" in new else [])):
        older.pop(name, None)
    rows[key(new)] = new if "error" in new else {**older, **new}
    lines = [json.dumps(rows[each], ensure_ascii=False) for each in sorted(rows)]
    about = json.dumps(ABOUT, ensure_ascii=False)
    text = '{"about": %s,\n"rows": [\n%s\n]}\n' % (about, ",\n".join(lines))  # noqa: UP031
    path.write_text(text, "utf-8")


ABOUT: Final = (
    "Written by build.py lab. Each row is a case of cases.toml in one PyTorch and one Python, on a "
    "/dev/shm of its own. peak_bytes: largest use seen where there is room. "
    "smallest_surviving_bytes: smallest tmpfs in whole pages on which 3 of 3 runs went through; "
    "null where it was not searched. below: what a page less made happen. storages_bytes: the "
    "segments of one batch, as the kernel's files; null where the batches differ. "
    "dataset_storages_bytes: what the main process moved there for the dataset. inspected: what "
    "the batch inspector made of the loader. load: processes that ran or wanted to, in the minute "
    "before it began. note: what else is to be known of it. error: why the case did not run there."
)


def key(row: Row) -> tuple[Any, ...]:
    """Return the order of rows: by version, then by case."""
    torch = [int(part) for part in row["torch"].partition("+")[0].split(".")]
    python = [int(part) for part in row["python"].split(".")[:2]]
    return (*torch, *python, row["case"])


def measure(bench: Bench, case: dict[str, Any], wanted: Wanted) -> Row:
    """Measure one case."""
    row: Row = {
        "case": case["name"],
        **bench.about,
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "load": round(os.getloadavg()[0], 1),
    }
    try:
        found = bench.peak(case)
    except LabError as error:
        return {**row, "error": str(error)}
    row |= {"peak_bytes": found["peak_bytes"], "batches": found["batches"]}
    row |= {name: found[name] for name in ("storages_bytes", "dataset_storages_bytes")}
    row["inspected"] = found.get("workload")
    if wanted.quick:
        return row
    row["smallest_surviving_bytes"] = None
    if case.get("minimum", True):
        smallest = bench.smallest(case, found["peak_bytes"])
        row["smallest_surviving_bytes"] = smallest.bytes
        if smallest.below:
            said = smallest.below["said"]
            row["below"] = {"kind": saying.kind(smallest.below), "said": saying.lines(said)}
    return row


def run(python: Sequence[str], packages: Path, wanted: Wanted) -> None:
    """Measure all wanted cases in one PyTorch."""
    with Bench(python, packages) as bench:
        there = {key(row) for row in results()} if wanted.missing else set()
        for case in cases():
            known = key({"case": case["name"], **bench.about}) in there
            if known or (wanted.only and case["name"] not in wanted.only):
                continue
            row = measure(bench, case, wanted)
            keep(row)
            report([row])


def report(rows: Iterable[Row]) -> None:
    """Print a line a row."""
    for row in rows:
        found = row.get("error") or f"peak {row['peak_bytes']:,}"
        smallest = row.get("smallest_surviving_bytes")
        more = f", smallest {smallest:,}" if smallest else ""
        print(f"{row['torch']:14} {row['python']:8} {row['case']:28} {found}{more}", flush=True)


def main() -> None:
    """Read the command line: packages, then the command of the Python, then options."""
    packages, python, *options = sys.argv[1:]
    only = [word.partition("=")[2] for word in options if word.startswith("--only=")]
    unknown = set(only) - {case["name"] for case in cases()}
    if unknown:
        raise SystemExit(f"no such case in cases.toml: {', '.join(sorted(unknown))}")
    wanted = Wanted(only, quick="--quick" in options, missing="--missing" in options)
    run(python.split(), Path(packages), wanted)


if __name__ == "__main__":
    main()
