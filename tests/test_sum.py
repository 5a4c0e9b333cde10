"""The sum in words: whoever multiplies and adds what stands there gets the bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from html import unescape
from math import prod
from typing import Any

import pytest
from hypothesis import given

from calculator import page, presets, report, resources
from calculator.sizing import size_job
from calculator.units import ratio
from calculator.workload import Workload, parse
from tests.test_footprint_laws import JOBS
from tests.test_terms import CASES

UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


@dataclass
class Row:
    """A line of the sum: the loader it is about, what is written, and the bytes beside it."""

    loader: str
    sign: str
    words: str
    bytes: int


def plain(html: str) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", "", html).split()))


def rows(workload: Workload) -> list[Row]:
    html = page.render(["sum"], workload, report.build(workload, targets=[]))["sum"]
    found = []
    for each in re.findall(r"<tr.*?</tr>", html, re.DOTALL):
        head, figure = re.findall(r"<th.*?</th>|<td.*?</td>", each, re.DOTALL)
        loader = re.search(r"<strong>(.*?)</strong>", head, re.DOTALL)
        parts = re.search(r'"sign">(.*?)</span> <span>(.*)</span></div>', head, re.DOTALL)
        assert parts is not None
        sign, words = parts.groups()
        said = plain(re.sub(r"<strong>.*?</strong>[^ ]*", "", words, flags=re.DOTALL))
        exact = int(plain(figure).split(" ")[-2].replace(",", ""))
        found.append(Row(loader[1] if loader else "", plain(sign), said, exact))
    return found


def numbers(text: str) -> list[int]:
    return [int(each.replace(",", "")) for each in re.findall(r"(?<![\d.])\d[\d,]*", text)]


def worth(text: str) -> int:
    """Bytes of `36.75 MiB (38,535,168 bytes)`; without the bytes the size must be exact."""
    exact = re.search(r"\(([\d,]+) bytes\)", text)
    if exact:
        return int(exact[1].replace(",", ""))
    number, unit = text.split(" ")
    value = float(number.replace(",", "")) * UNITS[unit]
    assert value == int(value)
    return int(value)


def check(workload: Workload) -> None:
    """Work through the lines as a reader with a pencil would."""
    total, group = 0, 0
    for row in rows(workload):
        if "=" in row.words:
            left, right = row.words.split(" = ")
            left = left.split(": ")[-1]
            number, each = right.split(" × ")
            batches = int(number.split(" ")[0].replace(",", ""))
            assert sum(prod(numbers(summand)) for summand in left.split(" + ")) == batches
            assert batches * worth(each) == row.bytes
            total += row.bytes
        elif "semaphore pages" in row.words:
            number, each = row.words.split(": ")[-1].split(" × ")
            assert numbers(number)[0] * worth(each) == row.bytes
            total += row.bytes
        elif row.words == "one process":
            assert row.bytes == total
            group = total
        elif row.sign == "×":
            total = numbers(row.words)[0] * group
            assert row.bytes == total
        elif row.sign == "+":
            total += row.bytes
        elif row.words == "the need":
            assert row.bytes == total
    assert total == size_job(workload).need_bytes


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_the_sum_of_a_preset_adds_up(preset: str) -> None:
    check(presets.load(preset).workload)


@pytest.mark.parametrize("name", CASES)
def test_the_sum_of_an_odd_job_adds_up(name: str) -> None:
    check(parse(CASES[name]))


@given(JOBS)
def test_the_sum_of_any_job_adds_up(data: dict[str, Any]) -> None:
    check(parse(data))


IMAGE = {"batch_size": 16, "num_workers": 2}  # 16 × 3 × 224 × 224 × 4 bytes, a multiple of 4096


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        (
            {},
            [
                ("", ("8 workers × 2 prefetched + 1 held by your loop + 1 being handed over"
                 " = 18 batches × 36.75 MiB (38,535,168 bytes)"), 693_633_024),
                ("+", "32 semaphore pages × 4 KiB", 131_072),
                ("=", "one process", 693_764_096),
                ("×", "8 processes", 5_550_112_768),
                ("+", "NCCL", 264_244_224),
                ("=", "the need", 5_814_356_992),
                ("", "With 10% headroom", 6_395_792_692),
                ("", "Rounded up to the next usual size", 8 << 30),
            ],
        ),
        (
            {"ranks": 1, "loaders": [{**IMAGE, "num_workers": 1, "pin_memory": True}]},
            [
                ("", "1 worker × 2 prefetched = 2 batches × 9.19 MiB (9,633,792 bytes)",
                 19_267_584),
                ("+", "11 semaphore pages × 4 KiB", 45_056),
                ("=", "the need", 19_312_640),
                ("", "With 10% headroom", 21_243_904),
                ("", "The container runtime's default holds it: nothing to change", 64 << 20),
            ],
        ),
        (
            {"ranks": 1, "loaders": [{"num_workers": 0}]},
            [
                ("", "No loader puts anything into /dev/shm", 0),
                ("=", "the need", 0),
                ("", "With 10% headroom", 0),
                ("", "The container runtime's default holds it: nothing to change", 64 << 20),
            ],
        ),
    ],
)  # fmt: skip
def test_lines_are_said_in_the_fields_own_words(inputs: dict[str, Any], said: list[Any]) -> None:
    assert [(row.sign, row.words, row.bytes) for row in rows(parse(inputs))] == said


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"loaders": [IMAGE, {**IMAGE, "batch_size": 64}]},
         ["train", "no longer running", "1 that a variable still names = 1 batch ×"]),
        ({"loaders": [{**IMAGE, "batch_size": 64, "persistent_workers": True},
                      {**IMAGE, "persistent_workers": True}], "last_batch_held": False},
         ["val", "idle", "14 semaphore pages"]),
        ({"loaders": [IMAGE, {**IMAGE, "batch_size": 8}]},
         ["val has nothing in /dev/shm at that moment"]),
        ({"loaders": [IMAGE, {**IMAGE, "num_workers": 0}]},
         ["val has no workers"]),
        ({"ranks": 1, "loaders": [{**IMAGE, "queue_size": 3}]},
         ["2 queues × 3 in a queue + 1 held"]),
    ],
)  # fmt: skip
def test_a_loader_that_does_not_work_then_says_what_stays(inputs: Any, words: list[str]) -> None:
    workload = parse(inputs)
    text = plain(page.render(["sum"], workload, report.build(workload, targets=[]))["sum"])
    assert all(word in text for word in words), text


# ---------------------------------------------------------------- terms

SOURCES = {
    "queued": {"pytorch-dataloader-code", "batchgenerators-queue"},
    "held": {"measured"},
    "handover": {"measured"},
    "semaphores": {"measured"},
    "leftover": {"measured"},
    "stalled": {"pytorch-dataloader-code"},
    "idle": {"measured"},
    "dataset": {"measured"},
    "leak": {"measured"},
    "nccl": {"nccl-proxy-pool", "nccl-shm"},
    "ray": {"ray-store-code"},
    "vllm": {"vllm-ring-buffer"},
    "own": {"linux-shm"},
    "other": {"linux-shm"},
}


def test_every_term_has_a_source_that_is_known() -> None:
    known, seen = resources.table("facts", "sources"), set()
    for inputs in CASES.values():
        for term in size_job(parse(inputs)).terms:
            kind = term.id.partition("-")[0]
            assert term.source in SOURCES[kind]
            assert term.source in known
            seen.add(kind)
    assert seen == SOURCES.keys()


def test_terms_unfold_by_an_id_that_stays_and_show_their_share() -> None:
    workload = parse({})
    html = page.render(["why"], workload, report.build(workload, targets=[]))["why"]
    ids = re.findall(r'<details id="(term-[^"]+)">', html)
    assert ids == [
        "term-queued-train", "term-held-train", "term-handover-train",
        "term-semaphores-train", "term-nccl",
    ]  # fmt: skip
    queued = 100 * (8 * 16 * 38_535_168) / 5_814_356_992
    assert f'class="part queued" width="{queued:.3f}%"' in html
    assert html.count('class="cite" href="') == len(ids)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0", "0"),
        ("1", "1"),
        ("0.01154", "0.0115"),
        ("0.4213", "0.421"),
        ("1.35", "1.35"),
        ("86.64", "86.6"),
        ("99.96", "100"),
        ("441.1", "441"),
        ("5234", "5,230"),
    ],
)
def test_a_ratio_has_three_digits_at_most(value: str, text: str) -> None:
    assert ratio(Fraction(value)) == text
