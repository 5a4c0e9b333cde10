"""The inverse: what fits, and that one step more does not."""

from __future__ import annotations

from typing import Any

import pytest

from calculator import presets
from calculator.fit import Fit, Option, fit
from calculator.inputs import gather
from calculator.sizing import size_job
from calculator.summary import summarize
from calculator.units import GIB, MIB
from calculator.workload import parse

HAVE = [64 * MIB, 2 * GIB, int(5.9 * GIB)]


def best(found: Fit, kind: str) -> Option:
    return next(option for option in found.options if option.kind == kind)


def need_after(data: Any, option: Option) -> int:
    return size_job(gather(None, data, option.set)).need_bytes


@pytest.mark.parametrize("shm", HAVE)
@pytest.mark.parametrize("preset", presets.preset_ids())
def test_every_option_fits_when_it_is_applied(preset, shm) -> None:
    workload = presets.load(preset).workload
    found = fit(workload, shm)
    assert found.fits == (size_job(workload).need_bytes <= shm)
    for option in found.options:
        assert need_after(workload.model_dump(mode="json"), option) == option.need_bytes <= shm
        assert option.next_bytes is None or option.next_bytes > shm
        assert option.label
        assert option.costs


def test_the_most_workers_for_a_gibibyte() -> None:
    # 21 batches of 48 MiB are in 1 GiB, less the semaphores: 9 workers x 2 + 2 are 20.
    data = {"ranks": 1, "loaders": [{"batch_size": 16, "fields": [{"shape": [3, 512, 512]}]}]}
    option = best(fit(parse(data), GIB), "num_workers")
    assert option.set == {"loaders.0.num_workers": 9}
    assert option.need_bytes == 20 * 48 * MIB + 35 * 4096
    assert option.next_bytes == 22 * 48 * MIB + 38 * 4096


def test_one_knob_at_a_time_and_two_together() -> None:
    found = fit(presets.load("images-8gpu").workload, 2 * GIB)
    assert best(found, "num_workers").set == {"loaders.0.num_workers": 2}
    assert best(found, "batch_size").set == {"loaders.0.batch_size": 21}
    assert best(found, "combination").set == {
        "loaders.0.num_workers": 4,
        "loaders.0.prefetch_factor": 1,
    }


def test_narrower_and_smaller_samples() -> None:
    found = fit(presets.load("images-8gpu").workload, 2 * GIB)
    assert best(found, "dtype").set == {"loaders.0.fields.0.dtype": "uint8"}
    crop = best(found, "crop")
    assert crop.set == {"loaders.0.fields.0.shape": [3, 128, 128]}
    assert crop.label == "Crop to 128 in the worker"
    # 16 pixels more: 18 batches of 64 such images, 32 pages, and NCCL, for each of 8 processes
    assert crop.next_bytes == 8 * (18 * 64 * 3 * 144 * 144 * 4 + 32 * 4096 + 33_030_528)


def lacking_a_byte(field: dict[str, Any]) -> Fit:
    """What fits into a byte less than a batch of 16, queued once and held twice, needs."""
    loader = {"batch_size": 16, "num_workers": 1, "prefetch_factor": 1, "fields": [field]}
    workload = parse({"ranks": 1, "loaders": [loader]})
    return fit(workload, size_job(workload).need_bytes - 1)


@pytest.mark.parametrize(
    ("dtype", "narrower"),
    [
        ("float64", ["float32", "float16", "uint8"]),
        ("float32", ["float16", "uint8"]),
        ("float16", ["uint8"]),
        ("bfloat16", ["uint8"]),  # as narrow as float16, and made for another range
        ("int64", []),
        ("bool", []),
    ],
)
def test_only_numbers_with_a_point_are_sent_narrower(dtype, narrower) -> None:
    options = [o for o in lacking_a_byte({"dtype": dtype}).options if o.kind == "dtype"]
    assert [option.set for option in options] == [
        {"loaders.0.fields.0.dtype": name} for name in narrower
    ]
    assert [option.label for option in options] == [f"Send {name}" for name in narrower]


@pytest.mark.parametrize(
    ("shape", "cropped"),
    [
        ([3, 64, 64], [3, 48, 48]),
        ([8, 3, 64, 64], [8, 3, 48, 48]),  # a clip: frames and channels stay
        ([1, 64, 64, 64], [1, 48, 48, 48]),  # a volume: its depth is cropped too
        ([1, 32, 64, 64], [1, 32, 32, 32]),  # at most the shortest side
        ([1, 31, 64, 64], [1, 31, 48, 48]),  # too thin to be one: channels
        ([3, 16, 64], [3, 16, 16]),
        ([3, 15, 64], None),  # less than the smallest crop
        ([64, 64], None),  # no image, or one without channels
    ],
)
def test_what_is_space_is_cropped(shape, cropped) -> None:
    found = lacking_a_byte({"shape": shape, "dtype": "uint8"})
    sets = [option.set for option in found.options if option.kind == "crop"]
    assert sets == ([{"loaders.0.fields.0.shape": cropped}] if cropped else [])


def test_a_volume_is_cropped_in_depth_too() -> None:
    found = fit(presets.load("medical-3d").workload, 2 * GIB)
    (shape,) = best(found, "crop").set.values()
    assert shape[0] == 1
    assert shape[1] == shape[2] == shape[3] < 256


def test_validation_in_turn_is_offered() -> None:
    data = {"ranks": 1, "loaders": [{}, {}], "schedule": "interleaved"}
    shm = size_job(parse({**data, "schedule": "sequential"})).need_bytes
    assert best(fit(parse(data), shm), "schedule").set == {"schedule": "sequential"}


def test_what_cannot_fit_has_no_options() -> None:
    found = fit(parse({"other_shm_bytes": "8g"}), GIB)
    assert not found.fits
    assert found.options == ()


def test_where_there_is_room_it_says_how_much() -> None:
    found = fit(parse({"ranks": 1}), 4 * GIB)
    assert found.fits
    assert best(found, "num_workers").set["loaders.0.num_workers"] > 8


def test_a_job_without_workers_fits_anything() -> None:
    assert fit(parse({"ranks": 1, "loaders": [{"num_workers": 0}]}), MIB).fits


def test_a_knob_that_leads_beyond_every_machine_just_does_not_fit() -> None:
    volume = {"batch_size": 1, "num_workers": 16, "fields": [{"shape": [1, 512, 512, 1024]}]}
    found = fit(parse({"loaders": [volume]}), 300 * GIB)
    assert best(found, "batch_size").need_bytes <= 300 * GIB


def test_where_nothing_helps_it_is_said_why() -> None:
    found = fit(parse({}), 64 * 1024 * 1024)
    assert not found.fits
    assert found.options == ()
    assert found.others_bytes == 8 * 33_030_528
    words = summarize("fit", fit=found)
    assert "what else uses /dev/shm needs 252 MiB" in words
