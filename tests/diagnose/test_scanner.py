"""A log of any length, in pieces."""

import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calculator.diagnose import Scanner, diagnose
from calculator.diagnose.scanner import BLOCK, Sieve

BUS = "[rank5]: RuntimeError: DataLoader worker (pid 3055) is killed by signal: Bus error.\n"
STEP = "[rank1] step 12 loss 2.31 lr 1e-4 tokens 12345 per second\n"
LATER = "[rank0]:[E] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1)\n"


@given(st.lists(st.integers(1, 900), max_size=8))
@settings(max_examples=40, deadline=None)
def test_where_the_pieces_are_cut_makes_no_difference(sizes):
    text = STEP * 4 + BUS + LATER * 3 + "é\x1b[31mred\x1b[0m\r\n" + STEP * 3
    whole = diagnose(text)
    scanner, start = Scanner(), 0
    for size in sizes:
        scanner.feed(text[start : start + size])
        start += size
    scanner.feed(text[start:])
    assert scanner.finish() == whole


def test_a_failure_across_a_block_is_found():
    filler = STEP * (BLOCK // len(STEP) + 2)
    for shift in (0, 1, 40, len(BUS) - 1):
        text = "x" * (len(filler) - shift - BLOCK % 97) + "\n" + BUS
        assert diagnose(text).diagnosis == "shm_exhausted", shift


def test_one_line_without_end_is_read_too():
    text = "y" * (3 * BLOCK) + " " + BUS.strip() + " " + "z" * (2 * BLOCK)
    found = diagnose(text)
    assert found.diagnosis == "shm_exhausted"
    assert found.extract["pid"] == 3055
    assert all(len(each.text) < 1000 for each in found.evidence)


def test_line_numbers_are_those_of_the_paste():
    found = diagnose(STEP * 50_000 + BUS + LATER * 50_000)
    assert found.evidence[0].line == 50_001
    assert found.lines == 100_001
    assert found.secondary == ("nccl_abort_is_consequence",)


def test_context_before_a_block_is_there():
    block = STEP * 5000
    text = block + "Caught RuntimeError in DataLoader worker process 7.\n" + BUS + block
    for cut in (len(block) + 10, len(block) + 60):
        scanner = Scanner()
        scanner.feed(text[:cut])
        scanner.feed(text[cut:])
        assert scanner.finish().extract["pid"] == 3055


def test_repeats_are_counted_however_many():
    notice = "No available shared memory broadcast block found in 60 seconds.\n"
    assert diagnose(notice * 20_000).extract["repeats"] == 20_000


@pytest.mark.parametrize("line", [STEP, BUS, LATER], ids=["healthy", "all fail", "noise"])
def test_memory_stays_flat_and_time_linear(line):
    sieve = Sieve()
    chunk = line * (1_000_000 // len(line))
    tracemalloc.start()
    started = time.monotonic()
    for _ in range(6):
        sieve.feed(chunk)
    kept = sieve.finish()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert time.monotonic() - started < 20
    assert peak < 24_000_000
    assert sum(len(text) for _, text in kept) < 5_000_000


def test_the_last_run_is_seen_after_thousands_of_failures():
    first = "RuntimeError: unable to write to file </torch_55_1_2>: No space left on device (28)\n"
    last = "RuntimeError: DataLoader worker (pid 91) is killed by signal: Killed.\n"
    found = diagnose("# attempt 1\n" + first * 5000 + "# attempt 2\n" + last)
    assert (found.diagnosis, found.secondary) == ("oom_killed", ("shm_exhausted",))


def test_finishing_twice_with_something_else_given():
    scanner = Scanner()
    scanner.feed(BUS)
    assert scanner.finish().size_bytes is None
    assert scanner.finish({"need_bytes": 5086642176}).size_bytes == 8 * 2**30
