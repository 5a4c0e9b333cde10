"""The range of the need, where samples differ in size."""

from __future__ import annotations

from typing import Any

import pytest

from calculator import report
from calculator.sizing import size_job
from calculator.spread import Spread, spread
from calculator.workload import parse

PAGE = 4096
SEMAPHORES = (8 + 3 * 2) * PAGE
BATCHES = 2 * 2 + 1 + 1  # workers x prefetch, held, handed over


def found(field: dict[str, Any], batch: int | None = 4, **loader: Any) -> Spread | None:
    one = {"batch_size": batch, "num_workers": 2, "fields": [{"dtype": "uint8", **field}], **loader}
    return spread(size_job(parse({"ranks": 1, "loaders": [one]})))


def need(batch_bytes: int) -> int:
    return BATCHES * batch_bytes + SEMAPHORES


def test_what_does_not_vary_has_no_range() -> None:
    assert found({"shape": [9, PAGE]}) is None
    assert report.build(parse({}), targets=[]).shm.range is None


@pytest.mark.parametrize(
    ("sizes", "least", "most"),
    [
        # padded to the largest of four samples: the four smallest are padded to 4, the largest to 9
        ([1, 2, 3, 4, 9, 9], 4 * 4, 4 * 9),
        # all four samples are known: every batch is padded to 9
        ([1, 2, 3, 9], 4 * 9, 4 * 9),
        # only two are known: a batch may be four of the one or hold the other
        ([2, 7], 4 * 2, 4 * 7),
    ],
)
def test_a_padded_batch(sizes, least, most) -> None:
    given = found({"shape": [9, PAGE], "sizes": sizes})
    if least == most:
        assert given is None
        return
    assert given is not None
    assert (given.least_bytes, given.most_bytes) == (need(least * PAGE), need(most * PAGE))


@pytest.mark.parametrize(
    ("sizes", "least", "most"),
    [
        ([1, 2, 3, 4, 9, 9], 1 + 2 + 3 + 4, 9 + 9 + 4 + 3),
        ([2, 7], 4 * 2, 7 + 7 + 7 + 2),
    ],
)
def test_a_list_of_tensors(sizes, least, most) -> None:
    given = found({"shape": [9, PAGE], "sizes": sizes}, collate="list")
    assert given is not None
    assert (given.least_bytes, given.most_bytes) == (need(least * PAGE), need(most * PAGE))
    assert "which samples" in given.why
    assert "dataset" not in given.why


def test_single_samples() -> None:
    given = found({"shape": [9, PAGE], "sizes": [3, 5]}, batch=None)
    assert given is not None
    assert (given.least_bytes, given.most_bytes) == (need(3 * PAGE), need(5 * PAGE))


def test_tensors_of_a_dataset_known_by_their_sum() -> None:
    base = {"ranks": 1, "start_method": "spawn", "dataset_tensor_bytes": 10 * PAGE}
    assert spread(size_job(parse(base))) is None
    given = spread(size_job(parse({**base, "dataset_tensors": 5})))
    assert given is not None
    assert given.most_bytes - given.least_bytes == 4 * PAGE  # 14 pages at most, 10 at least
    assert given.why == (
        "depends on how the dataset's bytes divide among its tensors; "
        "the size to provide holds the most"
    )
    two = spread(size_job(parse({**base, "dataset_tensors": 2})))
    assert two is not None
    assert two.most_bytes - two.least_bytes == PAGE


def test_all_that_is_open_is_said() -> None:
    loader = {"batch_size": 1, "fields": [{"shape": [9, PAGE], "sizes": [3, 5]}]}
    dataset = {"start_method": "spawn", "dataset_tensor_bytes": 10 * PAGE, "dataset_tensors": 5}
    given = spread(size_job(parse({"loaders": [loader], **dataset})))
    assert given is not None
    assert given.why == (
        "depends on which samples are in flight together and how the dataset's bytes divide "
        "among its tensors; the size to provide holds the most"
    )


def test_many_small_tensors_take_a_page_each_at_least() -> None:
    """A thousand tensors of a thousand bytes together: a page each, or nearly two."""
    small = {"dataset_tensor_bytes": 1_000_000, "dataset_tensors": 1000}
    given = spread(size_job(parse({"ranks": 1, "start_method": "spawn", **small})))
    assert given is not None
    most = 245 * PAGE + 999 * PAGE
    assert given.most_bytes - given.least_bytes == most - 1000 * PAGE


def test_nothing_is_open_about_tensors_that_are_not_shared() -> None:
    base = {"ranks": 1, "dataset_tensor_bytes": 10 * PAGE, "dataset_tensors": 5}
    assert spread(size_job(parse({**base, "start_method": "fork"}))) is None


def test_the_most_is_what_is_provided_for() -> None:
    field = {"shape": [9, PAGE], "sizes": [1, 9]}
    shm = report.build(parse({"loaders": [{"fields": [field]}]}), targets=[]).shm
    assert shm.range is not None
    assert shm.range.most_bytes == shm.need_bytes == sum(term.bytes for term in shm.terms)
