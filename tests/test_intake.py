"""What is pasted is sorted, whatever it is, and in pieces it is the same as in one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calculator import api
from calculator.errors import InputError
from calculator.intake import WHOLE, Intake
from calculator.sizing import size_job
from calculator.units import size
from calculator.workload import parse

CASES = json.loads((Path(__file__).parent / "cases.json").read_text(encoding="utf-8"))["cases"]
KIND = {"yaml": "manifest"}
NOTHING_KNOWN = {"df-garbage"}
"""Texts that are of no kind: they are read as a log that names no cause."""

BUS_ERROR = (
    "RuntimeError: DataLoader worker (pid 61) is killed by signal: Bus error. It is possible that "
    "dataloader's workers are out of shared memory. Please try to raise your shared memory limit.\n"
)
LOADER = "loader = DataLoader(data, batch_size=32, num_workers=4)\n"


def ask(**piece: Any) -> Any:
    response = json.loads(api.answer(json.dumps({"paste": piece})))
    assert response["ok"], response
    return response["paste"]


def text_of(case: dict[str, Any]) -> str:
    given = case["input"]
    return given if isinstance(given, str) else json.dumps(given)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_every_kind_is_known_for_what_it_is(case) -> None:
    intake = Intake()
    intake.feed(text_of(case))
    wanted = "log" if case["id"] in NOTHING_KNOWN else KIND.get(case["kind"], case["kind"])
    assert intake.finish(parse({})).kind == wanted


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_pieces_may_end_anywhere(size) -> None:
    text = f"step 1\n{BUS_ERROR}Exception: later\n"
    whole = ask(chunk=text, first=True, last=True)
    for start in range(0, len(text), size):
        assert ask(chunk=text[start : start + size], first=start == 0) is None
    assert ask(last=True) == whole


def test_the_first_piece_forgets_the_text_before() -> None:
    ask(chunk=BUS_ERROR, first=True)
    assert ask(chunk=LOADER, first=True, last=True)["kind"] == "code"


def test_code_that_quotes_the_error_is_code() -> None:
    text = f"import torch\n# {BUS_ERROR}{LOADER}"
    assert ask(chunk=text, first=True, last=True)["kind"] == "code"


def test_a_person_can_say_what_it_is() -> None:
    assert ask(chunk=LOADER, first=True, last=True)["kind"] == "code"
    assert ask(chunk=LOADER, first=True, last=True, kind="log")["kind"] == "log"


def test_what_code_says_goes_into_the_job_and_the_rest_stays() -> None:
    request = {
        "workload": {"ranks": 3, "loaders": [{"batch_size": 7}, {}]},
        "paste": {"chunk": LOADER, "first": True, "last": True},
    }
    found = json.loads(api.answer(json.dumps(request)))["paste"]["workload"]
    assert found["ranks"] in {1, 3}
    assert len(found["loaders"]) == 1
    assert (found["loaders"][0]["batch_size"], found["loaders"][0]["num_workers"]) == (32, 4)


def test_what_does_not_go_with_the_form_is_explained_all_the_same() -> None:
    """Pods of four cannot hold a job of three processes."""
    request = {
        "workload": {"ranks": 8, "deployment": {"ranks_per_pod": 4}},
        "paste": {
            "chunk": f"torchrun --nproc-per-node=3 train.py\n\n{LOADER}",
            "first": True,
            "last": True,
        },
    }
    found = json.loads(api.answer(json.dumps(request)))["paste"]
    assert found["workload"] is None
    assert found["html"]


@pytest.mark.parametrize("lines", [1500, 15_000, 28_000])
def test_a_log_of_any_length_is_a_log(lines) -> None:
    """Longer than any configuration, shorter than what is not looked at as a whole."""
    line = "[rank3]: 2026-01-01 00:00:00 step {} loss: 0.12345, lr: 1e-3 words\n"
    steps = "".join(map(line.format, range(lines)))
    found = ask(chunk=steps + BUS_ERROR, first=True, last=True)
    assert (found["kind"], "no room" in found["said"]) == ("log", True)
    assert ask(chunk=steps, first=True, last=True)["kind"] == "log"


def test_code_that_is_too_long_is_said_to_be() -> None:
    request = {"paste": {"chunk": "x = 1\n" * 50_000 + LOADER, "first": True, "last": True}}
    response = json.loads(api.answer(json.dumps(request)))
    assert not response["ok"]
    assert "longer than" in response["errors"][0]["message"]


def test_only_a_log_may_be_long() -> None:
    intake = Intake()
    for _ in range(3):
        intake.feed("step 1 loss 2.0\n" * (WHOLE // 32))
    intake.feed(BUS_ERROR)
    found = intake.finish(parse({}))
    assert found.kind == "log"
    assert found.diagnosis is not None
    assert found.diagnosis.diagnosis == "shm_exhausted"
    with pytest.raises(InputError, match="too long"):
        intake.finish(parse({}), "manifest")


def test_what_is_pasted_is_text_in_the_page() -> None:
    hostile = f"<img src=x onerror=alert(1)>\n<script>alert(1)</script> {BUS_ERROR}"
    html = ask(chunk=hostile, first=True, last=True)["html"]
    assert "<script" not in html
    assert "<img" not in html
    assert "&lt;script&gt;" in html


@pytest.mark.parametrize("lines", [3_000, 8_000, 60_000])
def test_a_log_longer_than_any_configuration_is_a_log(lines) -> None:
    text = "epoch: 1 loss: 0.3 lr=0.1\n" * lines
    found = ask(chunk=text + BUS_ERROR, first=True, last=True)
    assert (found["kind"], "has no room left" in found["said"]) == ("log", True)
    assert ask(chunk=text, first=True, last=True)["kind"] == "log"


@pytest.mark.parametrize("text", ["x" * 1_000_000, "X=1\n" * 100_000, "(" * 100_000])
def test_what_is_too_long_for_its_kind_is_no_failure_of_the_page(text) -> None:
    assert ask(chunk=text, first=True, last=True)["kind"] == "log"


def test_a_mended_command_has_the_size_of_the_job_that_it_runs() -> None:
    ranks = "docker run --gpus all img torchrun --nproc_per_node=2 t.py -b 64 -j 8\n"
    assert "--shm-size=2g" in ask(chunk=ranks, first=True, last=True)["html"]
    alone = "docker run --gpus all img python t.py\n"
    assert "--shm-size=8g" in ask(chunk=alone, first=True, last=True)["html"]


def test_a_manifest_in_a_question_is_the_manifest() -> None:
    file = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: c\n"
    question = f"Hi, my pod:\n\n```yaml\n{file}```\n\nwhat is wrong?\n"
    assert "gets a /dev/shm of 8 GiB" in ask(chunk=question, first=True, last=True)["said"]
    two = f"{question}```yaml\n{file}```\n"
    assert "not YAML" in ask(chunk=two, first=True, last=True)["said"]


TWO_SERVICES = """services:
  train:
    image: a
    gpus: all
    command: torchrun train.py
  tune:
    image: b
    command: python train.py
"""


def test_services_left_as_they_are_can_be_mended_instead() -> None:
    first = ask(chunk=TWO_SERVICES, first=True, last=True)
    assert "train gets a /dev/shm of 8 GiB" in first["said"]
    assert 'data-choice=\'{"container": "tune"}\'' in first["html"]
    second = ask(chunk=TWO_SERVICES, first=True, last=True, container="tune")
    assert "tune gets a /dev/shm of 8 GiB" in second["said"]


@pytest.mark.parametrize(
    "text", [TWO_SERVICES, "DataLoader worker (pid 1) is killed by signal: Bus error"]
)
def test_a_size_says_whose_job_it_is_for(text) -> None:
    html = ask(chunk=text, first=True, last=True)["html"]
    assert "for the example in the form: 8 processes, 8 workers, batch 64" in html


SLICE = {"name": "x", "shape": [3, 64, 64], "dtype": "float32", "view_of": [4_816_896]}
"""What a crop of a padded buffer is: 48 KiB of a storage of 18.375 MiB, which travels whole."""
SMALL = [{"name": f"boxes {n}", "shape": [n % 9 + 1, 4], "view_of": [4 * (n % 9 + 1)]}
         for n in range(300)]  # fmt: skip
BATCH = {"batch_size": 8, "num_workers": 4, "prefetch_factor": 2, "collate": "own"}


def job_of(*fields: Any, **more: Any) -> dict[str, Any]:
    return {"ranks": 1, "loaders": [{**BATCH, "fields": fields, **more}]}


def test_a_whole_job_says_what_it_keeps_with_the_storages_that_travel() -> None:
    """Nine batches of 18.375 MiB and 20 pages of semaphores; the crops alone were 3.4 MiB."""
    found = ask(chunk=json.dumps(job_of(SLICE)), first=True, last=True)["html"]
    assert "9 batches in flight, 165.5 MiB" in found
    assert "Recommended: 1 GiB" in found
    assert "not needed" not in found


@pytest.mark.parametrize(
    "said",
    [
        job_of(SLICE),
        job_of(*SMALL),
        job_of(SLICE, {**SLICE, "name": "y", "same_storage_as": "x"}),
        job_of({"name": "p", "shape": [9, 3], "sizes": [9, 1, 1, 1]}, collate="list"),
        job_of({"name": "s", "shape": [999, 999], "nnz": 7}),
        job_of(SLICE, pin_memory=True),
        {**job_of(SLICE), "ranks": 6, "page_bytes": 65536},
    ],
    ids=["view", "small", "shared", "sizes", "sparse", "pinned", "ranks"],
)
@pytest.mark.parametrize("form", [{}, {"other_shm_bytes": 3 * 2**30, "nccl_channels": 9}])
def test_what_is_said_of_a_whole_job_is_what_it_is_sized_at(said, form) -> None:
    piece = {"chunk": json.dumps(said), "first": True, "last": True}
    found = json.loads(api.answer(json.dumps({"workload": form, "paste": piece})))["paste"]
    sized = size_job(parse(found["workload"]))
    assert sized.workload.other_shm_bytes == form.get("other_shm_bytes", 0)
    use = sized.footprint.uses[0]
    held = 8 if said["loaders"][0].get("pin_memory") else 9
    assert f"{held} batches in flight, {size(use.steady_bytes)}" in found["html"]
    assert f"Recommended: {size(sized.recommended_bytes)} for" in found["html"]
    if said["ranks"] > 1:
        assert f"they keep {size(sized.steady_need_bytes)} in it" in found["html"]


WRITTEN = (
    "loader = DataLoader(TensorDataset(torch.zeros(100, 3, 64, 64)), batch_size=8, num_workers=2)\n"
)


INPUTS = {"shape": [3, 64, 64], "batch_size_per_rank": 8, "workers": 2}


@pytest.mark.parametrize("text", [f"import torch\n{WRITTEN}", json.dumps(INPUTS)])
def test_what_is_said_of_code_and_of_inputs_is_for_the_job_that_the_form_has_then(text) -> None:
    given = {"other_shm_bytes": 3 * 2**30}
    piece = {"chunk": text, "first": True, "last": True}
    found = json.loads(api.answer(json.dumps({"workload": given, "paste": piece})))["paste"]
    wanted = size_job(parse(found["workload"])).recommended_bytes
    assert wanted > 3 * 2**30
    assert size(wanted) in found["html"]


def test_a_job_of_hundreds_of_tensors_is_read_and_a_longer_one_is_said_to_be_too_long() -> None:
    text = json.dumps(job_of(*SMALL), indent=1)
    assert len(text) > 30_000
    found = ask(chunk=text, first=True, last=True)
    assert len(found["workload"]["loaders"][0]["fields"]) == len(SMALL)
    padded = json.dumps(job_of(*SMALL), indent=60)
    assert len(padded) > 250_000
    found = ask(chunk=padded, first=True, last=True)
    assert found["workload"] is None
    assert "more than the 250,000 that are read" in found["html"]


def test_the_notes_of_the_inspector_may_stand_before_its_json() -> None:
    text = "note: sizes vary\nnote: another\n" + json.dumps(job_of(SLICE), indent=1)
    found = ask(chunk=text, first=True, last=True)["workload"]
    assert found["loaders"][0]["fields"][0]["view_of"] == [4_816_896]
