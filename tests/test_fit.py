"""The inverse: what fits, and that one step more does not."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import pytest

from calculator import api, presets
from calculator.fit import Fit, Option, fit
from calculator.fit.panel import panel
from calculator.fit.search import revised
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


# ---------------------------------------------------------------- the cheap search


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_a_revised_job_is_the_parsed_one(preset) -> None:
    workload = presets.load(preset).workload
    for option in fit(workload, 2 * GIB).options:
        parsed = size_job(workload).what_if(option.set).workload
        assert revised(workload, option.set) == parsed


@pytest.mark.parametrize("shm", HAVE)
@pytest.mark.parametrize("preset", presets.preset_ids())
def test_what_does_not_fit_is_never_turned_up(preset, shm) -> None:
    workload = presets.load(preset).workload
    found = fit(workload, shm)
    if found.fits:
        return
    for option in found.options:
        assert option.need_bytes < found.need_bytes
        for path, value in option.set.items():
            if path.endswith(("num_workers", "batch_size", "prefetch_factor")):
                _, position, key = path.split(".")
                assert value <= (getattr(workload.loaders[int(position)], key) or 2)


def test_no_option_is_offered_twice() -> None:
    found = fit(presets.load("yolo-train-val").workload, 2 * GIB)
    sets = [option.set for option in found.options]
    assert all(one != other for one, other in combinations(sets, 2))


@pytest.mark.parametrize("shm", [512 * MIB, GIB, 2 * GIB, 16 * GIB])
@pytest.mark.parametrize("preset", ["images-8gpu", "vision-language-8gpu", "yolo-train-val"])
def test_the_door_confirms_what_is_promised(preset, shm) -> None:
    """Each option, applied to the job as the page does it, from scratch."""
    workload = presets.load(preset).workload
    for option in fit(workload, shm).options:
        request = {
            "workload": workload.model_dump(mode="json"),
            "set": option.set,
            "parts": [],
            "targets": [],
        }
        report = json.loads(api.answer(json.dumps(request)))["report"]
        assert report["shm"]["need_bytes"] == option.need_bytes
        assert option.spare_bytes == shm - option.need_bytes


# ---------------------------------------------------------------- habits

VALIDATED = [{"name": "train", "num_workers": 2}, {"name": "val", "num_workers": 2}]


@pytest.mark.parametrize(
    ("data", "kind", "changes"),
    [
        (  # validation holds its own batches and the last one of training
            {"ranks": 1, "loaders": VALIDATED},
            "last_batch_held",
            {"last_batch_held": False},
        ),
        (  # an iterator left early keeps its queue while its workers live
            {
                "ranks": 1,
                "loaders": [
                    {**VALIDATED[0], "persistent_workers": True, "early_breaks": 1},
                    VALIDATED[1],
                ],
            },
            "persistent_workers",
            {"loaders.0.persistent_workers": False},
        ),
        ({"ranks": 1, "loaders": [{"held_batches": 1}]}, "held_batches", {"held": 0}),
        ({"ranks": 1, "loaders": [{"held_batches": 9}]}, "held_batches", {"held": 1}),
        (
            {"ranks": 1, "sharing_strategy": "file_system", "loaders": [{"early_breaks": 3}]},
            "sharing_strategy",
            {"sharing_strategy": "file_descriptor"},
        ),
        (
            {"ranks": 1, "start_method": "spawn", "dataset_tensor_bytes": "1g"},
            "dataset_tensor_bytes",
            {"dataset_tensor_bytes": 0},
        ),
        ({"ranks": 1}, "pin_memory", {"loaders.0.pin_memory": True}),
    ],
)
def test_a_habit_that_is_given_up_saves_what_it_cost(data, kind, changes) -> None:
    workload = parse(data)
    found = fit(workload, size_job(workload).need_bytes - 1)
    if "held" in changes:
        changes = {"loaders.0.held_batches": changes["held"]}
    assert best(found, kind).set == changes


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({"loaders": [{}]}, "last_batch_held"),
        ({"loaders": [{}]}, "persistent_workers"),
        ({"loaders": [{"held_batches": 0}]}, "held_batches"),
        ({"accelerator": False}, "pin_memory"),
        ({}, "sharing_strategy"),
        ({"dataset_tensor_bytes": "1g"}, "dataset_tensor_bytes"),
    ],
)
def test_what_one_does_not_do_cannot_be_given_up(data, kind) -> None:
    workload = parse({"ranks": 1, **data})
    found = fit(workload, size_job(workload).need_bytes - 1)
    assert kind not in {option.kind for option in found.options}


# ---------------------------------------------------------------- several changes at once

BATCH = 64 * 3 * 224 * 224
"""Bytes of a batch of the default job as uint8: a whole number of pages."""


def sets_of(found: Fit) -> list[Option]:
    return [option for option in found.options if option.kind == "set"]


def test_two_gibibytes_for_eight_gpus_are_enough_with_one_change() -> None:
    found = fit(presets.load("images-8gpu").workload, 2 * GIB)
    assert sets_of(found) == []
    assert best(found, "dtype").need_bytes == 8 * (18 * BATCH + 32 * 4096 + 33_030_528)


def test_one_gibibyte_for_eight_gpus_takes_two_changes() -> None:
    found = fit(presets.load("images-8gpu").workload, GIB)
    first = sets_of(found)[0]
    assert first.set == {"loaders.0.fields.0.dtype": "uint8", "loaders.0.prefetch_factor": 1}
    assert first.need_bytes == 8 * (10 * BATCH + 32 * 4096 + 33_030_528) <= GIB
    assert found.options[0] == first  # before anything drastic


def test_half_a_gibibyte_takes_three() -> None:
    found = fit(presets.load("images-8gpu").workload, 512 * MIB)
    assert [len(option.set) for option in sets_of(found)] == [3]


def test_no_change_of_a_set_can_be_left_out() -> None:
    workload = presets.load("vision-language-8gpu").workload
    found = fit(workload, 2 * GIB)
    assert sets_of(found)
    for option in sets_of(found):
        for path in option.set:
            others = {p: value for p, value in option.set.items() if p != path}
            assert size_job(workload).what_if(others).need_bytes > 2 * GIB


def test_where_not_even_everything_together_fits_there_is_no_set() -> None:
    assert sets_of(fit(parse({}), 260 * MIB)) == []


# ---------------------------------------------------------------- as the page shows it


def sizes(data: dict[str, Any]) -> list[tuple[str, int, bool]]:
    return [(each.what, each.bytes, each.chosen) for each in panel(parse(data)).sizes]


def test_the_sizes_one_may_have() -> None:
    assert sizes({}) == [
        ("docker", 64 * MIB, True),
        ("", GIB, False),
        ("", 2 * GIB, False),
        ("", 8 * GIB, False),
    ]
    assert sizes({"machine_memory": "12g", "current_shm": "6g"})[-1] == ("half", 6 * GIB, True)


def test_the_best_of_each_group_is_seen_and_the_rest_folded() -> None:
    data = presets.workload_data("yolo-train-val")
    shown = panel(parse({**data, "current_shm": "2g"}))
    assert sum(len(ways.best) + len(ways.more) for ways in shown.ways) == len(shown.fit.options)
    (flight,) = [ways for ways in shown.ways if ways.group == "flight"]
    assert len(flight.best) == 3
    assert len({row.option.kind for row in flight.best}) == 3


def test_what_a_job_does_already_is_no_change() -> None:
    """The most workers that fit are those it has."""
    workload = parse({"ranks": 1})
    shown = panel(parse({"ranks": 1, "current_shm": size_job(workload).need_bytes}))
    rows = {row.option.kind: row for ways in shown.ways for row in (*ways.best, *ways.more)}
    assert rows["num_workers"].option.set == {"loaders.0.num_workers": 8}
    assert rows["num_workers"].standing
