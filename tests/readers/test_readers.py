"""Readers of df and of configurations: hostile, cut and changed input, and what comes back."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from calculator import readers
from calculator.errors import InputError
from calculator.readers import config, df
from calculator.readers.reading import Reading
from calculator.workload import parse
from tests.cases import config as config_cases
from tests.cases import df as df_cases

ROOT = Path(__file__).parents[1]
KINDS = ("df", "config")
SHM = "/dev/shm"  # noqa: S108 - the very subject
LIMIT_S = 2.0
SLOW_MACHINE = 4.0  # a shared machine is slower than a person's


def _cases(*names: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for name in names:
        found += json.loads((ROOT / name).read_text(encoding="utf-8"))["cases"]
    return [each for each in found if each["kind"] in KINDS]


CASES = _cases("cases.json", "cases/more_df.json", "cases/more_config.json")
TEXTS = [
    each["input"] if isinstance(each["input"], str) else json.dumps(each["input"]) for each in CASES
]
MENDED = [
    each for each in CASES
    if each.get("request") and isinstance(each["input"], str) and "patched" in each["expected"]
]  # fmt: skip


def _read(text: str, kind: str = "auto", **given_: Any) -> Reading | None:
    """Read as a person would; a refusal in one sentence is an answer too."""
    started = time.monotonic()
    try:
        found = readers.read(text, kind, given_)
    except InputError:
        found = None
    assert time.monotonic() - started < LIMIT_S * SLOW_MACHINE
    if found is not None:
        json.dumps(found.model_dump(mode="json"))
        assert found.answer or found.kind == "code" or found.errors
        if found.workload and found.estimate:
            parse(found.workload)
    return found


@pytest.mark.parametrize(
    "case", [each for each in CASES if each["id"].startswith("own-")], ids=lambda each: each["id"]
)
def test_own_cases(case):
    check = df_cases.check if case["kind"] == "df" else config_cases.check
    outcome = check(case)
    assert not outcome.hard
    assert not outcome.soft_misses


@pytest.mark.parametrize("case", CASES, ids=lambda each: each["id"])
def test_the_kind_is_found_out(case):
    text = case["input"] if isinstance(case["input"], str) else json.dumps(case["input"])
    assert readers.read(text, given=case.get("given")).kind == case["kind"]


@pytest.mark.parametrize("case", MENDED, ids=lambda each: each["id"])
def test_mending_twice_changes_nothing(case):
    given_ = {"request": case["request"]}
    first = readers.read(case["input"], "config", given_)
    assert first.text is not None
    second = readers.read(first.text, "config", given_)
    assert second.text in {None, first.text}
    assert second.patched.get("shm_bytes", first.patched["shm_bytes"]) == first.patched["shm_bytes"]


@pytest.mark.parametrize("case", MENDED, ids=lambda each: each["id"])
def test_mending_keeps_every_other_line(case):
    first = readers.read(case["input"], "config", {"request": case["request"]})
    old, new = case["input"].splitlines(), (first.text or "").splitlines()
    kept = [line for line in old if line in new]
    assert len(old) - len(kept) <= 2


@pytest.mark.parametrize("text", TEXTS)
def test_cut_anywhere_is_answered(text):
    for at in range(0, len(text), max(1, len(text) // 25)):
        _read(text[:at], request={"shm_bytes": 2**33})
        _read(text[at:])


def test_changed_anywhere_is_answered():
    chance = random.Random(7)  # noqa: S311 - a test, and the same one every time
    for text in TEXTS:
        for _ in range(12):
            chars = list(text or " ")
            for _ in range(chance.randint(1, 6)):
                chars[chance.randrange(len(chars))] = chance.choice(
                    "\0{}[]:\"'#$@%=-\n \t&*!|>9é\ud800"
                )
            _read("".join(chars), request={"shm_bytes": 2**33})


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=400), st.sampled_from(readers.KINDS))
@example("{" * 500, "config")
@example("a: &a [*a]", "config")
@example("batch_size: ${a}\na: ${batch_size}\nnum_workers: 1", "config")
@example("num_workers: " + "9" * 5000 + "\nbatch_size: 1", "config")
@example("docker run --shm-size=" + "9" * 5000 + "g img", "config")
@example("tmpfs " + "9" * 5000 + " 1 1 1% /dev/shm", "df")
@example("a: &x 1\nb: &x 2\nnum_workers: 3", "config")
@example("docker run -", "config")
@example("docker run --tmpfs", "config")
@example("!!python/object/apply:os.system ['x']", "config")
def test_any_text_is_answered(text, kind):
    _read(text, kind)


TOKENS = [
    word
    for line in (
        r"docker run --shm-size = 8g img --ipc host num_workers : batch_size 4 - { } [ ] ,",
        r"tmpfs 64M 0 100% df -h Filesystem Size Used Avail Use% Mounted on shm_size ${a} @b",
        r"ShmSize #SBATCH --mem 1G jobs container options yolo imgsz batch dict( ) \ HostConfig",
        r"runArgs a config resources cpus nnUNet_n_proc_DA device python train.py -b -j",
    )
    for word in line.split()
]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([*TOKENS, "\n", "  "]), max_size=40).map(" ".join))
def test_any_words_of_the_trade_are_answered(text):
    _read(text, request={"shm_bytes": 2**33})


def _billion_laughs() -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    return "\n".join([*lines, "num_workers: 4"])


LARGE = {
    "spaces": " " * 1_000_000,
    "one line": "x" * 1_000_000,
    "df rows": "tmpfs 65536 1 65535 1% /dev/shm\n" * 30_000,
    "open braces": "{" * 1_000_000,
    "yaml": "key: value\n" * 90_000,
    "json": json.dumps([{"batch_size": 4, "num_workers": 2}] * 20_000),
    "env": "export BATCH_SIZE=4\n" * 50_000,
    "docker": "docker run " + "--a " * 250_000,
    "continued": "docker run \\\n" * 80_000,
    "sbatch": "#SBATCH --mem=4G\n" * 60_000,
    "aliases": _billion_laughs(),
    "quotes": '"' * 1_000_000,
    "comments": "/*" * 500_000,
    "dashes": "- " * 400_000,
    "ls": "-rw------- 1 a a 1 Mar 3 10:11 torch_1_2_3\n" * 20_000,
    "prompts": "$ " * 500_000,
    "assignments": "a = 1\n" * 150_000,
    "dicts": "a = dict(b=1)\n" * 10_000,
    "units": "1K-" * 300_000,
    "hcl": "a {\n" * 200_000,
    "colours": "\x1b[" * 400_000,
    "mounts": f"{SHM} " * 110_000,
    "inspect": '"ShmSize":' * 100_000,
    "words": "sagemaker " * 100_000,
    "yolo": "yolo " * 200_000,
}


@pytest.mark.parametrize("kind", ["auto", "config", "df"])
@pytest.mark.parametrize("name", LARGE)
def test_large_input_is_answered_in_time(name, kind):
    _read(LARGE[name], kind, request={"shm_bytes": 2**33})


@pytest.mark.parametrize(
    "wrong",
    [{"need_bytes": "8g"}, {"sample_shape": "x"}, {"sample_shape": [3], "dtype": "float33"},
     {"tensors": [[1]]}, {"workload": {"ranks": 0}}, {"sample_shape": [10**9, 10**9]}],
)  # fmt: skip
def test_what_is_given_is_checked(wrong):
    kind = "df" if set(wrong) & {"need_bytes", "workload"} else "config"
    with pytest.raises(InputError):
        readers.read("num_workers: 1\nbatch_size: 2\n", kind, wrong)


def test_too_long_is_refused():
    with pytest.raises(InputError, match="longer than"):
        df.read("x" * 5_000_000)
    with pytest.raises(InputError, match="longer"):
        config.read("a: 1\n" * 40_000)


def test_an_origin_names_the_line():
    found = readers.read("data:\n  batch_size: 8\n  num_workers: 3\n")
    lines = {each.path: (each.line, each.text.strip()) for each in found.origins}
    assert lines["loaders.0.batch_size"] == (2, "batch_size: 8")
    assert lines["loaders.0.num_workers"] == (3, "num_workers: 3")


def test_what_is_only_hinted_at_goes_into_the_form_and_is_asked_for():
    found = readers.read("num_workers: 2\nbatch_size: 8\nimage_size: 96\n")
    assert found.workload is not None
    assert found.workload["loaders"][0]["fields"][0]["shape"] == [3, 96, 96]
    assert [each.path for each in found.asked] == ["loaders.0.fields"]
    assert found.estimate is None


def test_the_answer_of_docker_inspect_is_shown_not_the_command() -> None:
    found = _read("$ docker inspect -f '{{.HostConfig.ShmSize}}' train\n67108864\n")
    assert found is not None
    assert [(each.line, each.text) for each in found.origins] == [(2, "67108864")]


def test_processes_are_named_where_nothing_can_be_summed() -> None:
    found = _read("distributed_type: MULTI_GPU\nnum_machines: 2\nnum_processes: 16\n")
    assert found is not None
    assert found.notes == ("8 processes share one /dev/shm.",)


@pytest.mark.parametrize("text", ['{"filesystems": [', '{"filesystems": [1, {"target": 3}]}'])
def test_a_broken_listing_of_mounts_is_no_listing(text: str) -> None:
    found = _read(text, "df")
    assert found is not None
    assert found.verdict == "unparsable"


def test_a_batch_for_all_processes_asks_how_many_there_are() -> None:
    text = "global_train_batch_size: 256\nnum_workers: 8\n"
    asked = _read(text)
    assert asked is not None
    assert "ranks" in [each.path for each in asked.asked]
    told = _read(text, gpus=8)
    assert told is not None
    assert "ranks" not in [each.path for each in told.asked]
    assert told.loaders[0].batch == 256 // 8


def test_what_no_form_takes_is_asked_for() -> None:
    found = _read("batch_size: 4\nnum_workers: 900000\ndevices: 5000\n")
    assert found is not None
    assert {"ranks", "loaders.0.num_workers"} <= {each.path for each in found.asked}
    assert (found.ranks, found.warnings) == (1, ())


def test_nested_yaml_is_not_read_line_by_line() -> None:
    text = "worker:\n  resources: {limits: {memory: 4Gi}}\n  extraVolumes: []\n"
    found = _read(text)
    assert found is not None
    assert not found.loaders
