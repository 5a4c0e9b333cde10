"""Links: every job is one, every text is read, and nothing in one does harm where it stands."""

from __future__ import annotations

import json
import re
import time
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
    "1;r=2;j=6": {"ranks": 2, "job_ranks": 6},
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
    "(https://example.org/#1;r=4),": {"ranks": 4},
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


FIELD: dict[str, st.SearchStrategy[Any]] = {
    "name": PRINTABLE,
    "kind": st.sampled_from(["tensor", "int", "float", "str"]),
    "shape": SHAPES,
    "dtype": st.sampled_from(list(dtypes.ITEMSIZE)),
    "sizes": maybe(SHAPES),
    "nnz": maybe(st.integers(0, 10**15)),
    "view_of": maybe(SHAPES),
}
FIELDS = st.fixed_dictionaries({}, optional=FIELD)
LOADER: dict[str, st.SearchStrategy[Any]] = {
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
}
LOADERS = st.fixed_dictionaries({}, optional=LOADER)
LABELS = st.from_regex(r"[a-z]([a-z0-9-]{0,8}[a-z0-9])?", fullmatch=True)
DEPLOYMENT: dict[str, st.SearchStrategy[Any]] = {
    "image": PRINTABLE.filter(lambda text: text.strip() and not text.strip().startswith("-")),
    "command": PRINTABLE,
    "name": LABELS,
    "namespace": LABELS,
    "gpus": maybe(st.integers(0, 1024)),
}
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
JOB: dict[str, st.SearchStrategy[Any]] = {
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
    "deployment": st.fixed_dictionaries({}, optional=DEPLOYMENT),
}
JOBS = st.fixed_dictionaries({}, optional=JOB)
"""Any job but for the inputs that bind others: those stand in the table by hand."""

BINDING = {"job_ranks", "ranks_per_pod", "same_storage_as"}


def test_every_input_is_tried() -> None:
    assert inputs(Workload) == {*JOB} | BINDING & inputs(Workload)
    assert inputs(Deployment) == {*DEPLOYMENT} | BINDING & inputs(Deployment)
    assert inputs(Loader) == {*LOADER}
    assert inputs(SampleField) == {*FIELD} | BINDING & inputs(SampleField)
    assert all(f'"{name}"' in json.dumps(list(TEXTS.values())) for name in BINDING)


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


@given(
    JOBS.map(job).filter(bool),
    st.sampled_from(["#{}", "https://e.org/#{}.", "(https://e.org/#{})"]),
)
def test_every_job_comes_back_from_a_sentence_whose_signs_were_encoded(workload, around) -> None:
    text = re.sub("[;=:,&#]", lambda sign: f"%{ord(sign[0]):02X}", link.write(workload))
    assert link.read(around.format(text)) == link.Shared(workload=workload)


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


# ---------------------------------------------------------------- damage

UNKNOWN = "This link says more than this page understands ({}); that was left out."
WRONG = "This link has values that cannot be used ({}); the usual ones stand there."
PLATFORM = "This link names a platform that is not here ({}); that was left out."
NEWER = "This link was made by a newer version of this page; it was left out."
DAMAGED = "This link is damaged; it was left out."
TOO_LONG = "This link is too long to be read; it was left out."

NOW = "/dev/shm now"  # noqa: S108 - a label

BROKEN: dict[str, tuple[dict[str, Any], list[str]]] = {
    "2;r=4;w=1": ({}, [NEWER]),
    "12;r=4": ({}, [NEWER]),
    "x": ({}, [DAMAGED]),
    "r=4": ({}, [DAMAGED]),
    "https://example.org/": ({}, [DAMAGED]),
    "\u0661;r=4": ({}, [DAMAGED]),
    "1;zz=4;r=2": ({"ranks": 2}, [UNKNOWN.format("zz")]),
    "1;r": ({}, [UNKNOWN.format("r")]),
    "1;w;r=2": ({"ranks": 2}, [UNKNOWN.format("w")]),
    "1;A=B;c2=3;01b=3;16b=3;5r=1": ({}, [UNKNOWN.format("A, c2, 01b, ...")]),
    "1;<b>=4": ({}, [UNKNOWN.format("<b>")]),
    "1;%0A%1b[31m=4": ({}, [UNKNOWN.format("\\n\\x1b[31m")]),
    f"1;{'a' * 99}=4": ({}, [UNKNOWN.format("a" * 40 + "...")]),
    "1;r=0;w=2": ({"loaders": [{"num_workers": 2}]}, [WRONG.format("Processes (GPUs)")]),
    "1;r=1025": ({}, [WRONG.format("Processes (GPUs)")]),
    f"1;r={'9' * 9000};w=3": (
        {"loaders": [{"num_workers": 3}]},
        [WRONG.format("Processes (GPUs)")],
    ),
    "1;r=\u0663": ({}, [WRONG.format("Processes (GPUs)")]),
    "1;h=nan;s=1e9;m=0": ({}, [WRONG.format(f"{NOW}, Memory limit, Headroom")]),
    "1;h=11": ({}, [WRONG.format("Headroom")]),
    "1;l=0": ({}, [WRONG.format("Loaders")]),
    "1;l=17": ({}, [WRONG.format("Loaders")]),
    "1;j=9": ({}, [WRONG.format("Processes of the whole job")]),
    "1;n=%FF;b=2": ({"loaders": [{"batch_size": 2}]}, [WRONG.format("Name")]),
    "1;n=%ED%A0%80": ({}, [WRONG.format("Name")]),
    "1;cm='open": ({}, [WRONG.format("Command")]),
    "1;i=-v": ({}, [WRONG.format("Image")]),
    "1;f=a:3x0:u8,b:4": (
        {"loaders": [{"fields": [{"name": "a", "dtype": "uint8"}, {"name": "b", "shape": [4]}]}]},
        [WRONG.format("Shape")],
    ),
    "1;f=a:5:u9": (
        {"loaders": [{"fields": [{"name": "a", "shape": [5]}]}]},
        [UNKNOWN.format("u9")],
    ),
    "1;f=a:5:o=gone;b=3": (
        {"loaders": [{"batch_size": 3, "fields": [{"name": "a", "shape": [5]}]}]},
        [WRONG.format("Same storage as")],
    ),
    "1;f=a:5:o=gone;1b=3": (
        {
            "loaders": [
                {"fields": [{"name": "a", "shape": [5]}]},
                {"name": "val", "batch_size": 3, "fields": [{"name": "a", "shape": [5]}]},
            ]
        },
        [WRONG.format("Same storage as")],
    ),
    f"1;b=3;f={'a,' * 1001}": ({"loaders": [{"batch_size": 3}]}, [WRONG.format("One sample")]),
    "1;w=0;1w=-1": (
        {"loaders": [{"num_workers": 0}, {"name": "val", "num_workers": 0}]},
        [WRONG.format("num_workers")],
    ),
    "1;t=nope;r=2": ({"ranks": 2}, [PLATFORM.format("nope")]),
    "1;t=_pod": ({}, [PLATFORM.format("_pod")]),
    "1;r=2&2;w=3": ({"ranks": 2}, [NEWER]),
    "1;r=2&fbclid=abc": ({"ranks": 2}, [DAMAGED]),
    "1;r=2;" + "q=1;" * 150_000: ({}, [TOO_LONG]),
}  # fmt: skip


@pytest.mark.parametrize("text", BROKEN, ids=[each[:24] for each in BROKEN])
def test_what_cannot_be_read_is_left_out_and_said(text) -> None:
    data, notes = BROKEN[text]
    shared = link.read(text)
    assert shared.workload == parse(data)
    assert shared.other is None
    assert list(shared.notes) == notes
    assert shared.readable == (not {NEWER, DAMAGED, TOO_LONG} & set(notes) or "&" in text)


DAMAGEABLE = [*list(TEXTS)[8:22], *(f"{each}&1;w=4;t=compose" for each in list(TEXTS)[22:])]
SIGNS = ";=&,:x%~#0-a\x00\ud800é"


@pytest.mark.parametrize("text", DAMAGEABLE)
def test_no_damage_is_an_exception(text) -> None:
    """Cut off, a sign lost, a sign become another: each is read, and what was read is a link."""
    damaged = {text[:end] for end in range(len(text))}
    damaged |= {text[:at] + text[at + 1 :] for at in range(len(text))}
    damaged |= {text[:at] + SIGNS[at % len(SIGNS)] + text[at + 1 :] for at in range(len(text))}
    for each in damaged:
        shared = link.read(each)
        assert link.read(link.write(shared.workload)).workload == shared.workload
        assert all(note.isprintable() for note in shared.notes)


@given(st.text() | st.text(alphabet="1;&=,:x%~#0-abflmnrstw24").map("1;{}".format))
@settings(max_examples=400)
def test_any_text_is_read(text) -> None:
    assert isinstance(link.read(text).workload, Workload)


def test_the_largest_link_is_read_in_a_moment() -> None:
    """Sixteen loaders, each with the thousand fields of the first, all of them wrong."""
    text = f"1;15b=0;f={','.join(['a:0'] * 999)}"
    start = time.process_time()
    assert len(link.read(text).workload.loaders) == 16
    assert time.process_time() - start < 5


def test_the_longest_link_that_a_form_gives_is_read() -> None:
    sizes = ", ".join(map(str, range(1000, 101_000)))
    workload = parse({"loaders": [{"fields": [{"shape": [3], "sizes": sizes}]}]})
    assert link.read(link.write(workload)).workload == workload
