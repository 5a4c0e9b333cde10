"""What people may say, and what they are told when it cannot be."""

from __future__ import annotations

import json

import pytest

from calculator.errors import InputError
from calculator.loader import Loader
from calculator.sample import SampleField
from calculator.workload import StartMethod, Workload, parse

NO_VERSION = "must be a version, such as 2.13"
NUMBER_VERSION = 'must be text, such as "2.10": as a number that would be 2.1'
NO_SHAPE = "must be whole numbers, such as 3, 224, 224"


def problems(data: object) -> dict[str, str]:
    with pytest.raises(InputError) as caught:
        parse(data)
    return {each.path: each.message for each in caught.value.problems}


def loader(**values: object) -> dict[str, object]:
    return {"loaders": [values]}


def field(**values: object) -> dict[str, object]:
    return loader(fields=[values])


def test_everything_has_the_default_that_scripts_rely_on() -> None:
    stable = {
        "ranks": 8,
        "schedule": "sequential",
        "last_batch_held": True,
        "start_method": None,
        "python_version": "3.12",
        "sharing_strategy": "file_descriptor",
        "dataset_tensor_bytes": 0,
        "accelerator": True,
        "page_bytes": 4096,
        "torch_version": "2.13",
        "current_shm": 67108864,
        "memory_limit": None,
        "headroom": 0.1,
    }
    data = json.loads(parse({}).model_dump_json())
    assert stable.items() <= data.items()
    (loader,) = data["loaders"]
    stable_loader = {
        "name": "train",
        "batch_size": 64,
        "num_workers": 8,
        "prefetch_factor": 2,
        "collate": "default",
        "pin_memory": False,
        "persistent_workers": False,
        "held_batches": 1,
    }
    assert stable_loader.items() <= loader.items()
    (field,) = loader["fields"]
    stable_field = {
        "name": "image",
        "kind": "tensor",
        "shape": [3, 224, 224],
        "dtype": "float32",
    }
    assert stable_field.items() <= field.items()


def test_an_answer_can_be_asked_again_with_its_own_workload() -> None:
    first = parse({"ranks": 3, "loaders": [{}, {"batch_size": 2}], "memory_limit": "9g"})
    assert parse(first.model_dump(mode="json")) == first


@pytest.mark.parametrize(
    ("data", "path", "message"),
    [
        ({"ranks": 0}, "ranks", "must be at least 1"),
        ({"ranks": -3}, "ranks", "must be at least 1"),
        ({"ranks": 10**9}, "ranks", "must be at most 1024"),
        ({"ranks": "many"}, "ranks", "must be a whole number"),
        ({"ranks": 1.5}, "ranks", "must be a whole number"),
        ({"ranks": None}, "ranks", "must be a whole number"),
        ({"ranks": "9" * 5000}, "ranks", "is too long a number"),
        ({"rank": 8}, "rank", "is not a known key here"),
        ({"headroom": "NaN"}, "headroom", "must be a number"),
        ({"headroom": float("nan")}, "headroom", "must be a number"),
        ({"headroom": "10"}, "headroom", "must be a share, such as 10%"),
        ({"headroom": "1e1"}, "headroom", "must be a share, such as 10%"),
        ({"headroom": "1e9999999%"}, "headroom", "must be a share, such as 10%"),
        ({"torch_version": "2.1" + "a" * 4000 + "-"}, "torch_version", NO_VERSION),
        ({"torch_version": 2.10}, "torch_version", NUMBER_VERSION),
        (loader(name="a\x1b[31m"), "loaders.0.name", "must be text without control characters"),
        ({"headroom": -0.1}, "headroom", "must be at least 0"),
        ({"headroom": "x%"}, "headroom", "must be a share, such as 10%"),
        ({"page_bytes": 5000}, "page_bytes", "must be a power of two, such as 4096"),
        ({"torch_version": "two"}, "torch_version", "must be a version, such as 2.13"),
        ({"torch_version": None}, "torch_version", "must be a version, such as 2.13"),
        ({"schedule": "never"}, "schedule", "must be 'sequential', 'interleaved' or 'always'"),
        ({"loaders": []}, "loaders", "needs at least 1 entry"),
        ({"loaders": {}}, "loaders", "must be a list"),
        ({"loaders": [3]}, "loaders.0", "must be a set of keys and values"),
        (loader(num_workers=10**9), "loaders.0.num_workers", "must be at most 4096"),
        (loader(num_workers=-1), "loaders.0.num_workers", "must be at least 0"),
        (loader(prefetch_factor=0), "loaders.0.prefetch_factor", "must be at least 1"),
        (loader(batch_size=0), "loaders.0.batch_size", "must be at least 1"),
        (loader(pin_memory="maybe"), "loaders.0.pin_memory", "must be true or false"),
        (field(shape=[]), "loaders.0.fields.0.shape", "needs at least 1 entry"),
        (field(shape=[3, 0]), "loaders.0.fields.0.shape", "must be at least 1"),
        (field(shape="3 by 4"), "loaders.0.fields.0.shape", NO_SHAPE),
        (field(shape="3, x"), "loaders.0.fields.0.shape", NO_SHAPE),
        (field(shape="3,,4"), "loaders.0.fields.0.shape", NO_SHAPE),
        (field(shape=""), "loaders.0.fields.0.shape", "needs at least 1 entry"),
        (loader(fields=[]), "loaders.0.fields", "needs at least 1 entry"),
        ([], "", "must be a set of keys and values"),
        ("text", "", "must be a set of keys and values"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_clear_message_at_its_place(data, path, message) -> None:
    assert problems(data) == {path: message}


def test_a_wrong_size_says_what_a_size_looks_like() -> None:
    assert problems({"current_shm": "plenty"}) == {
        "current_shm": "must be a size such as 64m, 8g, 8GiB or a number of bytes"
    }


def test_an_unknown_dtype_is_named() -> None:
    assert (
        "'float23' is not a PyTorch dtype"
        in problems(field(dtype="float23"))["loaders.0.fields.0.dtype"]
    )


def test_several_mistakes_are_all_reported() -> None:
    found = problems({"ranks": 0, "loaders": [{"batch_size": "x", "fields": [{"shape": "a"}]}]})
    assert list(found) == ["ranks", "loaders.0.batch_size", "loaders.0.fields.0.shape"]


@pytest.mark.parametrize(
    "shape",
    [
        "3, 224, 224",
        "3x224x224",
        "[3, 224, 224]",
        "(3,224,224)",
        "3 224 224",
        "(3, 224, 224,)",
        [3, 224, 224],
    ],
)
def test_a_shape_may_be_typed_in_many_ways(shape) -> None:
    assert parse(field(shape=shape)).loaders[0].fields[0].shape == (3, 224, 224)


@pytest.mark.parametrize(
    ("typed", "dtype"),
    [("torch.float16", "float16"), ("fp16", "float16"), ("BF16", "bfloat16"), ("long", "int64")],
)
def test_a_dtype_may_have_its_other_names(typed, dtype) -> None:
    assert parse(field(dtype=typed)).loaders[0].fields[0].dtype == dtype


@pytest.mark.parametrize(
    ("python", "given", "method"),
    [
        ("3.12", None, StartMethod.FORK),
        ("3.13", "", StartMethod.FORK),
        ("3.14", None, StartMethod.FORKSERVER),
        ("3.14", "fork", StartMethod.FORK),
        ("3.9", "spawn", StartMethod.SPAWN),
    ],
)
def test_the_start_method_follows_from_python_unless_it_is_set(python, given, method) -> None:
    data = {"python_version": python, "start_method": given}
    assert parse(data).effective_start_method is method


def test_loaders_without_a_name_are_called_by_position() -> None:
    names = [each.name for each in parse({"loaders": [{}, {"name": ""}, {}, {}]}).loaders]
    assert names == ["train", "val", "test", "loader 4"]


@pytest.mark.parametrize("text", ["10%", " 10 % ", "0.10", 0.1])
def test_headroom_may_be_a_percentage(text) -> None:
    assert parse({"headroom": text}).headroom == Workload().headroom


@pytest.mark.parametrize("model", [Workload, Loader, SampleField])
def test_every_input_has_a_label_and_help(model) -> None:
    bare = {
        name
        for name, field in model.model_fields.items()
        if not (field.title and field.description)
    }
    assert bare <= {"name", "fields", "loaders"}


def test_a_version_with_a_long_tail_is_read_in_no_time() -> None:
    assert parse({"torch_version": "2.1" + "a" * 40 + "-dirty"}).torch_version.endswith("-dirty")


def test_a_loader_added_after_one_was_removed_gets_a_free_name() -> None:
    data = {"loaders": [{"name": "train"}, {"name": "test"}, {}]}
    assert [each.name for each in parse(data).loaders] == ["train", "test", "val"]
