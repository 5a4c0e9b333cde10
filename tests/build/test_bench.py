"""The benchmark: its arithmetic on made-up runs, its line, and short runs of the real thing."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

from web.bench import hands, line, run, stage, summary, table, targets, variants, visits
from web.bench.hands import Edit, Sitting
from web.bench.visits import Task, Visit, Visitor
from web.make.failure import BuildError
from web.make.places import Places
from web.make.stamps import sha256


def visit(live: float, sent: int = 0, tasks: tuple[Task, ...] = (), *again: str) -> Visit:
    return Visit(live, live / 10, sent, tasks, (), again, "{}")


# Medians: usual 4000, bare_stock 2500, bare_pruned 1000, direct 900, resumed 800.
MADE_UP = {
    "usual": [visit(4000, 9), visit(9000, 9), visit(3000, 9)],
    "bare_stock": [visit(2500), visit(2400), visit(2600)],
    "bare_pruned": [visit(1000)],
    "direct": [visit(800, 6_700_000), visit(900, 6_800_000), visit(1000, 6_700_000)],
    "resumed": [visit(800, 9_500_001)],
    "first_visit": [visit(700)],
    "second_visit": [visit(490)],
    "slow_line.usual": [visit(10_000)],
    "slow_line.direct": [visit(5500), visit(5500)],
    "slow_line.resumed": [visit(5600)],
}


def edits(*times: tuple[float, float]) -> tuple[Edit, ...]:
    return tuple(Edit(f"input {n}", *each, each[1] + 10) for n, each in enumerate(times))


def made_up(**sittings: Sitting) -> dict[str, Any]:
    return summary.summarise(summary.Runs(dict(MADE_UP), sittings))


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        ([7.0], 95, 7.0),
        ([4.0, 1.0, 3.0, 2.0], 50, 2.0),
        ([float(n) for n in range(1, 101)], 95, 95.0),
        ([float(n) for n in range(1, 101)], 50, 50.0),
        ([*[1.0] * 19, 100.0], 95, 1.0),
        ([*[1.0] * 18, 100.0, 100.0], 95, 100.0),
    ],
)
def test_percentiles_are_values_that_occurred(values, percent, expected) -> None:
    assert summary.percentile(values, percent) == expected


def test_times_are_medians_held_against_the_usual_way_over_the_same_line() -> None:
    found = made_up()["variants"]
    assert found["usual"] == {
        "median_ms": 4000,
        "runs_ms": [4000, 9000, 3000],
        "ratio_to_usual": 1.0,
    }
    assert found["direct"]["median_ms"] == 900
    assert found["direct"]["ratio_to_usual"] == 0.225
    assert found["slow_line"]["direct"]["ratio_to_usual"] == 0.55
    assert set(found["slow_line"]) == {"usual", "direct", "resumed"}


def test_bytes_are_those_of_the_largest_visit() -> None:
    assert made_up()["bytes"]["direct"] == 6_800_000


def test_without_the_usual_way_there_is_no_ratio() -> None:
    runs = summary.Runs({"direct": [visit(900)]})
    assert summary.summarise(runs)["variants"]["direct"]["ratio_to_usual"] is None


def test_long_tasks_are_counted_for_the_site_and_not_for_what_it_is_compared_with() -> None:
    runs = summary.Runs(
        {
            "usual": [visit(1, 0, (Task(0, 900),))],
            "slow_line.bare_stock": [visit(1, 0, (Task(0, 800),))],
            "direct": [visit(1, 0, (Task(2, 60), Task(100, 70)))],
            "slow_line.second_visit": [visit(1, 0, (Task(5, 51),))],
        },
        {"edits": Sitting((), (Task(1, 99),))},
    )
    assert summary.summarise(runs)["long_tasks"] == {
        "start": {"count": 3, "longest_ms": 70, "longest_at_ms": 100},
        "edits": {"count": 1, "longest_ms": 99, "longest_at_ms": 1},
    }


def test_an_edit_is_what_the_engine_takes_and_what_the_page_adds() -> None:
    found = made_up(edits=Sitting(edits((5, 8), (6, 20), (7, 8)), ()))["edits"]["edits"]
    assert found["engine_ms"] == {"p50": 6, "p95": 7, "max": 7}
    assert found["changed_ms"] == {"p50": 8, "p95": 20, "max": 20}
    assert found["beyond_engine_ms"] == {"p50": 3, "p95": 14, "max": 14}
    assert found["painted_ms"]["max"] == 30
    assert (found["count"], found["inputs"]) == (3, 3)
    assert list(found["slowest"].items()) == [("input 2", 7), ("input 1", 6), ("input 0", 5)]


EXPECTED_TARGETS = {
    # resumed 800 of 4000, of 2500, of 1000
    "live, of the usual way": (0.25, 0.2, True),
    "live, of bare Pyodide as it comes": (0.4, 0.32, True),
    "live, of bare Pyodide pruned and compiled": (0.85, 0.8, True),
    "second visit, of the first": (0.7, 0.7, True),
    "slow line: direct, of the usual way": (0.55, 0.55, True),
    "slow line: resumed, of the usual way": (0.55, 0.56, False),
    "MB to the first answer: direct": (6.8, 6.8, True),
    "MB to the first answer: resumed": (9.5, 9.500001, False),
    "files fetched twice": (0, 0, True),
    "edit: engine's call, ms, 95 %": (10, 10.1, False),
    "edit: the page beyond it, ms, 95 %": (16.7, 3, True),
    "longest task over 50 ms during the start": (50, 0, True),
    "longest task over 50 ms during edits": (50, 0, True),
    "longest task over 50 ms during reading 50 MB": (50, 51, False),
}


def test_each_limit_is_held_against_what_was_measured() -> None:
    found = made_up(edits=Sitting(edits((10.1, 13.1)), ()), paste=Sitting((), (Task(0, 51),), 1000))
    judged = {t.name: (t.limit, t.value, t.met) for t in targets.judge(found)}
    assert judged == EXPECTED_TARGETS


def test_without_a_snapshot_the_direct_start_is_held_against_the_limits() -> None:
    seen = {name: each for name, each in MADE_UP.items() if "resumed" not in name}
    judged = targets.judge(summary.summarise(summary.Runs(seen)))
    assert [t.value for t in judged[:3]] == [0.225, 0.36, 0.9]
    assert [t.name for t in judged if not t.met] == ["live, of bare Pyodide pruned and compiled"]


def test_what_was_not_measured_is_not_judged() -> None:
    runs = summary.Runs({"bare_stock": [visit(900)]})
    names = [target.name for target in targets.judge(summary.summarise(runs))]
    assert not [name for name in names if name.startswith(("live", "second", "slow", "edit", "MB"))]


def test_a_file_that_was_fetched_twice_is_a_limit_missed() -> None:
    runs = summary.Runs({"direct": [visit(9, 1, (), "/a.wasm"), visit(9, 1, (), "/a.wasm", "/b")]})
    found = summary.summarise(runs)
    assert found["fetched_twice"] == ["/a.wasm", "/b"]
    assert [t.met for t in targets.judge(found) if t.name == "files fetched twice"] == [False]


@pytest.mark.parametrize(("strict", "status"), [(True, 1), (False, 0)])
def test_a_limit_missed_is_an_error_where_that_is_asked_for(tmp_path, capsys, strict, status):
    """The report goes into dist/bench.json and, as a table, to whoever asked."""
    places = Places(tmp_path)
    places.dist.mkdir()
    runs = summary.Runs(dict(MADE_UP))
    about = {"machine": "two cores", "runs": 3}
    assert run.report(places, runs, about, strict=strict) == status
    written = json.loads((places.dist / "bench.json").read_text("utf-8"))
    assert {"machine", "date", "variants", "bytes", "edits", "long_tasks", "targets"} <= set(
        written
    )
    assert {"name", "limit", "value", "met"} == set(written["targets"][0])
    printed = capsys.readouterr().out
    assert "two cores; medians of 3 visits" in printed
    assert "| this page, resumed from a snapshot" in printed
    assert printed.count("MISSED") == 2


def test_the_table_puts_numbers_under_each_other() -> None:
    assert list(table.table(("what", "s"), [("first", "1.25"), ("second one", "10.00")])) == [
        "| what       |     s |",
        "| ---------- | ----: |",
        "| first      |  1.25 |",
        "| second one | 10.00 |",
    ]


def test_a_name_that_nothing_has_is_an_error_that_lists_the_names(tmp_path) -> None:
    with pytest.raises(BuildError, match=r"called quick; there are usual, .*slow_line\.direct"):
        variants.chosen(variants.all_of(Places(tmp_path)), ["direct", "quick"])


def test_a_start_is_resumed_only_where_there_is_a_snapshot(tmp_path) -> None:
    places = Places(tmp_path)
    assert "resumed" not in [each.title for each in variants.all_of(places)]
    (places.dist / "py" / "0123").mkdir(parents=True)
    (places.dist / "py" / "0123" / "snapshot.bin").write_bytes(b"memory")
    titles = [each.title for each in variants.all_of(places)]
    assert {"resumed", "slow_line.resumed"} <= set(titles)


@pytest.mark.parametrize(
    ("fetched", "is_right"), [("/py/0123/data.zip", True), ("/py/0123/start.zip", False)]
)
def test_a_start_that_fell_back_to_the_other_is_an_error(tmp_path, fetched, is_right) -> None:
    places = Places(tmp_path)
    (places.dist / "py").mkdir(parents=True)
    (places.dist / "py" / "snapshot.bin").write_bytes(b"memory")
    [resumed] = variants.chosen(variants.all_of(places), ["resumed"])
    seen = Visit(900, 90, 1, (), (fetched,), (), "{}")
    if is_right:
        run.expect(resumed, seen)
        return
    with pytest.raises(BuildError, match=r"resumed fetched start\.zip"):
        run.expect(resumed, seen)


# ---------------------------------------------------------------- the line


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "large.bin").write_bytes(b"x" * 50_000)
    (tmp_path / "small.css").write_bytes(b"y")
    return tmp_path


def fetch(server: line.Server, path: str) -> bytes:
    connection = http.client.HTTPConnection(urlsplit(server.address).netloc, timeout=30)
    connection.request("GET", path)
    content = connection.getresponse().read()
    connection.close()
    return content


def test_all_connections_share_the_line(folder: Path) -> None:
    """Two files of 0.4 Mbit need at least 0.8 s at 1 Mbit/s, one after the other or at once."""
    with line.running(folder, line.Line(1e6, 0.0)) as server:
        begin = time.monotonic()
        with ThreadPoolExecutor(2) as pool:
            both = list(pool.map(lambda _: fetch(server, "/large.bin"), range(2)))
        assert time.monotonic() - begin >= 0.8
    assert both == [b"x" * 50_000] * 2


def test_a_connection_and_a_question_take_a_round_trip_each(folder: Path) -> None:
    with line.running(folder, line.Line(float("inf"), 0.2)) as server:
        begin = time.monotonic()
        fetch(server, "/small.css")
        assert time.monotonic() - begin >= 0.4


def test_the_server_writes_down_what_it_has_sent(folder: Path) -> None:
    with line.running(folder, line.FAST) as server:
        before = time.time() * 1000
        for path in ("/large.bin?v=1", "/small.css", "/large.bin", "/large.bin", "/none", "/none"):
            fetch(server, path)
        while len(server.log.transfers) < 6:
            time.sleep(0.01)
        sent = server.log.transfers
        assert [(t.path, t.status) for t in sent] == [
            ("/large.bin?v=1", 200),
            ("/small.css", 200),
            ("/large.bin", 200),
            ("/large.bin", 200),
            ("/none", 404),
            ("/none", 404),
        ]
        assert 50_000 < sent[0].bytes < 51_000  # with its headers
        assert server.log.repeated() == ["/large.bin"]
        assert server.log.before(before) == []
        assert server.log.before(time.time() * 1000 + 1) == sent


# ---------------------------------------------------------------- the real thing


@pytest.fixture(scope="module")
def staged(places: Places, dist: Path) -> Path:
    assert dist.is_dir()
    return stage.make(places)


def test_the_usual_way_has_the_wheels_that_the_site_is_made_from(staged, places) -> None:
    lock = json.loads((places.python / "pyodide-lock.json").read_text("utf-8"))
    pinned = {entry["file_name"]: entry["sha256"] for entry in lock["packages"].values()}
    there = {path.name: sha256(path) for path in (staged / "wheels").glob("*.whl")}
    assert {name: there[name] for name in pinned} == pinned
    [other] = set(there) - set(pinned)
    assert other.startswith("micropip-")


def test_the_usual_way_gives_the_same_first_answer(staged, places, browser: Browser) -> None:
    request = json.dumps({"preset": "images-8gpu", "parts": ["answer"], "targets": []})
    stage.ask(places, staged, request)
    with line.running(staged, line.FAST) as server:
        page = browser.new_page()
        visits.open_live(page, server.address + "usual.html")
        assert "8 GiB" in (page.locator("#answer").text_content() or "")
        page.close()
        paths = {transfer.path for transfer in server.log.transfers}
    assert "/stock/python_stdlib.zip" in paths
    assert len([path for path in paths if path.endswith(".whl")]) >= 8


def test_edits_are_timed_while_a_log_is_read(dist: Path, browser: Browser) -> None:
    sitting = hands.paste(Visitor(browser), dist, size=2_000_000)
    assert "shared memory" in sitting.said
    assert len({edit.name for edit in sitting.edits}) > 1
    assert all(0 < edit.engine_ms < edit.changed_ms < edit.painted_ms for edit in sitting.edits)


@pytest.mark.parametrize("count", ["0", "-1", "many", "1001"])
def test_a_count_of_visits_that_is_none_is_named_before_anything_is_done(places, count) -> None:
    command = [sys.executable, str(places.root / "build.py"), "bench", "--runs", count]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert f"'{count}' is not a number from 1 to 1000" in done.stderr


def test_one_visit_from_the_command_line(places: Places) -> None:
    """The command measures, writes dist/bench.json and prints the table."""
    command = [sys.executable, str(places.root / "build.py"), "bench", "--runs", "1"]
    done = subprocess.run(
        [*command, "--only", "direct"], check=False, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    written = json.loads((places.dist / "bench.json").read_text("utf-8"))
    (places.dist / "bench.json").unlink()  # the site is as it was for the tests after this one
    [live] = written["variants"]["direct"]["runs_ms"]
    assert live > 100  # no machine starts Python that fast
    # the page, its engine's runtime and its library at the least, however well they are packed
    assert written["bytes"]["direct"] > 3_000_000
    assert 0 < written["first_paint_ms"]["direct"] < live
    assert "this page, direct start" in done.stdout
