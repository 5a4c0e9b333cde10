"""The ready-made workloads and their right numbers."""

from __future__ import annotations

import pytest

from calculator import presets, report
from calculator.errors import InputError
from calculator.inputs import gather
from calculator.units import GIB
from calculator.workload import parse

SIZES_GIB = {
    "images-8gpu": 8,
    "resnet50-imagenet": 2,
    "vision-language-8gpu": 16,
    "medical-3d": 8,
    "video-diffusion": 16,
    "llm-tokens": 1,
}
PEAKS = {
    "images-8gpu": 5_550_112_768,
    "resnet50-imagenet": 1_387_397_120,
    "vision-language-8gpu": 8 * (18 * 77_070_336 + 32 * 4096),
    "medical-3d": 5_369_036_800,
    "video-diffusion": 8 * (14 * 100_663_296 + 26 * 4096),
    "llm-tokens": 8 * 5_324_800,
}


def test_the_first_presets_are_there_and_the_default_leads() -> None:
    assert set(SIZES_GIB) <= set(presets.preset_ids())
    assert presets.preset_ids()[0] == presets.DEFAULT_PRESET == "images-8gpu"


@pytest.mark.parametrize("preset", SIZES_GIB)
def test_right_numbers(preset) -> None:
    found = report.build(presets.load(preset).workload, targets=[]).shm
    assert found.recommended_bytes == SIZES_GIB[preset] * GIB
    assert found.peak_bytes == PEAKS[preset]


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_every_preset_is_complete(preset) -> None:
    found = presets.load(preset)
    assert found.title
    assert found.summary
    assert found.group
    assert found.published is None or found.published.why


def test_the_default_preset_is_the_default_workload() -> None:
    assert presets.load(presets.DEFAULT_PRESET).workload == parse({})


def test_an_unknown_preset_is_named_with_those_there_are() -> None:
    with pytest.raises(InputError, match=r"no preset 'resnet'; there are: images-8gpu, resnet50"):
        gather("resnet", None, {})


def test_values_win_over_the_file_and_the_file_over_the_preset() -> None:
    given = {"ranks": 2, "loaders": [{"batch_size": 32}]}
    found = gather("resnet50-imagenet", given, {"ranks": "4", "loaders.0.num_workers": "1"})
    assert found.ranks == 4
    loader = found.loaders[0]
    assert (loader.batch_size, loader.num_workers, loader.fields[0].shape) == (32, 1, (3, 224, 224))
