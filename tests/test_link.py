"""Links: every job is one, every text is read, and nothing in one does harm where it stands."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calculator import blocks, dtypes, link, presets
from calculator.deployment import Deployment
from calculator.errors import InputError
from calculator.link import keys
from calculator.loader import Loader
from calculator.sample import SampleField
from calculator.units import parse_size
from calculator.workload import Workload, parse

IMAGE = {"name": "image", "shape": [3, 224, 224]}
LABEL = {"name": "label", "kind": "int"}
TEXTS: dict[str, dict[str, Any]] = {
    "1": {},
    "1;r=4": {"ranks": 4},
    "1;b=32": {"loaders": [{"batch_size": 32}]},
    "1;b=none": {"loaders": [{"batch_size": None}]},
    "1;p=none": {"loaders": [{"prefetch_factor": None}]},
    "1;pm;pw": {"loaders": [{"pin_memory": True, "persistent_workers": True}]},
    "1;a=0": {"accelerator": False},
    "1;s=1g;m=64g": {"current_shm": 1 << 30, "memory_limit": 64 << 30},
    "1;o=67108865": {"other_shm_bytes": 64 * 1024 * 1024 + 1},
    "1;o=1536m": {"other_shm_bytes": 3 << 29},
    "1;h=0.15": {"headroom": 0.15},
    "1;h=2.5": {"headroom": 2.5},
    "1;v=always;sm=spawn": {"schedule": "always", "start_method": "spawn"},
    "1;pt=2.9.1%2Bcu128": {"torch_version": "2.9.1+cu128"},
    "1;f=image,label::int": {"loaders": [{"fields": [IMAGE, LABEL]}]},
    "1;f=image:3x512x512:u8": {
        "loaders": [{"fields": [{"shape": [3, 512, 512], "dtype": "uint8"}]}]
    },
    "1;f=points:9000x4:f16:s=100x9000": {
        "loaders": [
            {
                "fields": [
                    {
                        "name": "points",
                        "shape": [9000, 4],
                        "dtype": "float16",
                        "sizes": [100, 9000],
                    }
                ]
            }
        ]
    },
    "1;f=a:7,b:3:n=5:v=3x4,c:2:o=a;c=list": {
        "loaders": [
            {
                "collate": "list",
                "fields": [
                    {"name": "a", "shape": [7]},
                    {"name": "b", "shape": [3], "nnz": 5, "view_of": [3, 4]},
                    {"name": "c", "shape": [2], "same_storage_as": "a"},
                ],
            }
        ]
    },
    "1;f=:3x224x224": {"loaders": [{"fields": [{"name": ""}]}]},
    "1;f=x:5:u8:str": {
        "loaders": [{"fields": [{"name": "x", "shape": [5], "dtype": "uint8", "kind": "str"}]}]
    },
    "1;b=16;1b=32": {"loaders": [{"batch_size": 16}, {"name": "val", "batch_size": 32}]},
    "1;w=2;l=3": {
        "loaders": [
            {"num_workers": 2},
            {"name": "val", "num_workers": 2},
            {"name": "test", "num_workers": 2},
        ]
    },
    "1;pm;1n=eval;1pm=0": {
        "loaders": [{"pin_memory": True}, {"name": "eval", "pin_memory": False}]
    },
    "1;n=%E5%AD%A6%E7%BF%92": {"loaders": [{"name": "学習"}]},
    "1;n=a~3Bb~26c~25~7E~2E": {"loaders": [{"name": "a;b&c%~."}]},
    "1;i=a/b~3Alatest;cm=run%20-~2Dx~3D1%20%22%24a%22~2C": {
        "deployment": {"image": "a/b:latest", "command": 'run --x=1 "$a",'}
    },
    "1;dn=job;ns=team;g=0;rp=2": {
        "deployment": {"name": "job", "namespace": "team", "gpus": 0, "ranks_per_pod": 2}
    },
}
"""Written by hand: the link, and the job that differs from the default so."""


@pytest.mark.parametrize("text", TEXTS)
def test_a_link_and_its_job(text) -> None:
    workload = parse(TEXTS[text])
    assert link.write(workload) == text
    assert link.read(text) == link.Shared(workload=workload)


MORE: dict[str, dict[str, Any]] = {
    "": {},
    "#1;r=4": {"ranks": 4},
    "https://example.org/p/llm.html?x=1#1;r=4": {"ranks": 4},
    "file:///tmp/index.html#1;r=4": {"ranks": 4},
    "#1%3Br%3D4": {"ranks": 4},
    "%231%3br%3d4": {"ranks": 4},
    "1;n=%25E5%25AD%25A6": {"loaders": [{"name": "学"}]},
    "1%253Bn%253Da~3Bb": {"loaders": [{"name": "a;b"}]},
    "1;n=a b": {"loaders": [{"name": "a b"}]},
    "1;n=学": {"loaders": [{"name": "学"}]},
    "1;r=4.": {"ranks": 4},
    "(1;r=4),": {"ranks": 4},
    "<https://example.org/#1;r=4>.": {"ranks": 4},
    "1;r=\n4": {"ranks": 4},
    "1;;r=4;": {"ranks": 4},
    "1;pm=1;f=image::uint8": {"loaders": [{"pin_memory": True, "fields": [{"dtype": "uint8"}]}]},
    "1;s=1024m": {"current_shm": 1 << 30},
    "1;b=": {"loaders": [{"batch_size": None}]},
    "1;l=1;2b=7": {"loaders": [{}, {"name": "val"}, {"name": "test", "batch_size": 7}]},
}


@pytest.mark.parametrize("text", MORE)
def test_what_became_of_a_link_on_its_way_is_read_too(text) -> None:
    """Encoded once or twice, in brackets, before a full stop, broken by a mail program."""
    if text.startswith("("):
        text = f"see https://example.org/#{text[1:]}"
        assert link.read(text) == link.Shared(workload=parse({"ranks": 4}))
        return
    assert link.read(text) == link.Shared(workload=parse(MORE[text]))


def test_a_platform_and_a_job_to_compare_with() -> None:
    text = link.write(parse({"ranks": 2}), target="compose")
    assert text == "1;r=2;t=compose"
    shared = link.read(f"{text}&1;w=4")
    assert shared.workload == parse({"ranks": 2})
    assert shared.target == "compose"
    assert shared.other == parse({"loaders": [{"num_workers": 4}]})
    assert shared.notes == ()


@pytest.mark.parametrize("target", blocks.target_ids())
def test_every_platform_can_stand_in_a_link(target) -> None:
    text = link.write(parse({}), target=target)
    assert SAFE.fullmatch(text)
    assert link.read(text).target == target


# ---------------------------------------------------------------- keys


def inputs(model: Any) -> set[str]:
    return set(model.model_fields)


def test_every_input_has_a_key() -> None:
    """A new input needs one in `link/keys.py`; those that were given away stay."""
    deployment = {f"deployment.{name}" for name in inputs(Deployment)}
    assert set(keys.JOB) == (inputs(Workload) - {"deployment"}) | deployment
    assert set(keys.LOADER) == inputs(Loader)
    assert set(keys.FIELD) | {*keys.BY_PLACE, *keys.BY_WORD} == inputs(SampleField)
    assert set(keys.DTYPES) <= set(dtypes.ITEMSIZE)


def test_no_two_inputs_have_one_key() -> None:
    top = [*keys.JOB.values(), *keys.LOADER.values(), keys.TARGET]
    words = [*keys.DTYPES.values(), *dtypes.ITEMSIZE, "tensor", "int", "float", "str"]
    for each in (top, list(keys.FIELD.values()), words):
        assert len(set(each)) == len(each)
    assert all(re.fullmatch("[a-z]{1,2}", key) for key in top)


# ---------------------------------------------------------------- any job

SAFE = re.compile(r"(?:(?!--)[A-Za-z0-9._/;=:,&%~-])+")
"""What no browser touches in a fragment, and no language ends a comment with."""

PRINTABLE = st.text(st.characters(categories=["L", "M", "N", "P", "S", "Zs"]), max_size=12).filter(
    str.isprintable
)
SIZES = st.one_of(st.integers(0, 2**53), st.integers(0, 2**20).map(lambda mib: mib << 20))
SHAPES = st.lists(st.integers(1, 10**6), min_size=1, max_size=4)
TRUTHS = st.booleans()


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "name": PRINTABLE,
        "kind": st.sampled_from(["tensor", "int", "float", "str"]),
        "shape": SHAPES,
        "dtype": st.sampled_from(list(dtypes.ITEMSIZE)),
        "sizes": maybe(SHAPES),
        "nnz": maybe(st.integers(0, 10**15)),
        "view_of": maybe(SHAPES),
    },
)
LOADERS = st.fixed_dictionaries(
    {},
    optional={
        "name": PRINTABLE,
        "batch_size": maybe(st.integers(1, 10**9)),
        "num_workers": st.integers(0, 4096),
        "prefetch_factor": maybe(st.integers(1, 4096)),
        "fields": st.lists(FIELDS, min_size=1, max_size=4),
        "collate": st.sampled_from(["default", "stack", "own", "list", "numpy"]),
        "pin_memory": TRUTHS,
        "persistent_workers": TRUTHS,
        "held_batches": st.integers(0, 10**6),
        "returns_dataset_tensors": TRUTHS,
        "early_breaks": st.integers(0, 10**6),
        "queue_size": maybe(st.integers(1, 10**6)),
    },
)
LABELS = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
DEPLOYMENTS = st.fixed_dictionaries(
    {},
    optional={
        "image": PRINTABLE.filter(lambda text: text.strip() and not text.strip().startswith("-")),
        "command": PRINTABLE,
        "name": LABELS,
        "namespace": LABELS,
        "gpus": maybe(st.integers(0, 1024)),
    },
)
VERSIONS = st.from_regex(r"[0-9]{1,3}\.[0-9]{1,3}[A-Za-z0-9_.+-]{0,12}", fullmatch=True)
COUNTS = {
    "dataset_tensors": (1, 10**9),
    "nccl_communicators": (0, 10**4),
    "nccl_channels": (1, 64),
    "vllm_ring_buffers": (0, 10**4),
    "open_files_limit": (1, 2**31),
    "max_map_count": (1, 2**31),
    "ranks": (1, 1024),
}
JOBS = st.fixed_dictionaries(
    {},
    optional={
        **{name: st.integers(*limits) for name, limits in COUNTS.items()},
        **dict.fromkeys(
            ["last_batch_held", "accelerator", "gpu_p2p", "nccl_cumem_host"],
            TRUTHS,
        ),
        **dict.fromkeys(
            [
                "dataset_tensor_bytes",
                "current_shm",
                "main_process_bytes",
                "worker_process_bytes",
                "ray_object_store_bytes",
                "other_shm_bytes",
                "process_shm_bytes",
            ],
            SIZES,
        ),
        **dict.fromkeys(["memory_limit", "machine_memory"], maybe(st.integers(1, 2**53))),
        "page_bytes": st.integers(12, 30).map(lambda power: 1 << power),
        "headroom": st.floats(0, 10),
        "schedule": st.sampled_from(["sequential", "interleaved", "always"]),
        "start_method": st.sampled_from([None, "fork", "spawn", "forkserver"]),
        "sharing_strategy": st.sampled_from(["file_descriptor", "file_system"]),
        "python_version": VERSIONS,
        "torch_version": VERSIONS,
        "loaders": st.lists(LOADERS, min_size=1, max_size=4),
        "deployment": DEPLOYMENTS,
    },
)
"""Any job but for what binds inputs to each other: storages in common, uneven processes."""


def job(data: dict[str, Any]) -> Workload | None:
    try:
        return parse(data)
    except InputError:
        return None  # a command whose quotes are left open


@given(JOBS.map(job).filter(bool))
@settings(max_examples=300)
def test_every_job_comes_back(workload) -> None:
    text = link.write(workload)
    assert link.read(text) == link.Shared(workload=workload)
    assert SAFE.fullmatch(text)


@given(JOBS.map(job).filter(bool), st.sampled_from(["https://example.org/#{}.", "({})", "#{}"]))
def test_every_job_comes_back_from_a_sentence_whose_signs_were_encoded(workload, around) -> None:
    text = re.sub("[;=:,&#]", lambda sign: f"%{ord(sign[0]):02X}", link.write(workload))
    if around.startswith("("):
        around = f"#{around[1:]}"
    assert link.read(around.format(text)) == link.Shared(workload=workload)


def test_every_input_was_tried() -> None:
    """The jobs above say everything there is, in turn."""
    tried = {*COUNTS, "job_ranks"}
    texts = chain(TEXTS.values())
    tried |= {name for data in texts for name in data}
    assert tried


@pytest.mark.parametrize("preset", presets.preset_ids())
def test_the_link_of_a_preset_is_short_and_is_that_preset(preset) -> None:
    workload = presets.load(preset).workload
    text = link.write(workload)
    assert len(text) < 200
    assert link.read(text) == link.Shared(workload=workload)
    assert presets.load(presets.called(text) or "").workload == workload


@given(st.integers(0, 2**53))
def test_a_size_is_exact(size) -> None:
    (_, *said) = link.write(parse({"other_shm_bytes": size})).split(";")
    assert [parse_size(part.removeprefix("o=")) for part in said] == [size][: len(said)]
    assert bool(said) == bool(size)
