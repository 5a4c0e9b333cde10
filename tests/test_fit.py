"""The inverse: what fits, and that one step more does not."""

from __future__ import annotations

from typing import Any

import pytest

from calculator import presets
from calculator.fit import Fit, Option, fit
from calculator.inputs import gather
from calculator.sizing import size_job
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
    assert best(found, "crop").set == {"loaders.0.fields.0.shape": [3, 128, 128]}


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
