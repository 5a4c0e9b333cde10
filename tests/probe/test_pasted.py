"""The probe's line, pasted: held against the model for the job in the form.

`record.txt` is what the probe wrote around tests/probe/job.py in a container: two workers,
prefetch 2, batches of 4 x 1,000,000 float32, a slow consumer, forkserver.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from calculator import api, measured, probed
from calculator.__main__ import main
from calculator.errors import InputError
from calculator.intake import WHOLE, Intake, Paste
from calculator.workload import Workload, parse

LINE = (Path(__file__).with_name("record.txt")).read_text(encoding="utf-8").strip()
RECORD = json.loads(LINE.removeprefix("SHM-PROBE "))
BATCH = 16_003_072  # 4 x 1,000,000 x 4 bytes, in whole pages
STEADY = 5 * BATCH + 14 * 4096


def job(**changes: Any) -> Workload:
    loader = {
        "batch_size": 4,
        "num_workers": 2,
        "fields": [{"shape": [1_000_000], "dtype": "float32"}],
        **changes.pop("loader", {}),
    }
    return parse({"ranks": 1, "accelerator": False, "loaders": [loader], **changes})


def line(**changes: Any) -> str:
    """The record with some of its values changed: `shm__peak` is shm.peak."""
    data = json.loads(json.dumps(RECORD))
    for path, value in changes.items():
        *folders, name = path.split("__")
        place = data
        for folder in folders:
            place = place[int(folder)] if folder.isdigit() else place[folder]
        place[name] = value
    return "SHM-PROBE " + json.dumps(data)


def compared(text: str, given: Workload) -> measured.Measured:
    record = probed.find(text)
    assert record is not None
    return measured.compare(record, given)[0]


def right_size(text: str, given: Workload) -> int | None:
    found = compared(text, given).predicted
    assert found is not None
    return found.size_bytes


def pasted(text: str, given: Workload, kind: Any = "auto") -> Paste:
    intake = Intake()
    intake.feed(text)
    return intake.finish(given, kind)


# ---------------------------------------------------------------- finding it


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LINE, id="alone"),
        pytest.param(f"epoch 3\nTraceback: boom\n{LINE}\n$ ", id="at the end of a log"),
        pytest.param(f"trainer-1  | {LINE}\n", id="with the prefix of docker compose"),
        pytest.param("\n".join(LINE[at : at + 80] for at in range(0, len(LINE), 80)), id="wrapped"),
        pytest.param(f"{line(shm__peak=1)}\n{LINE}", id="the last of two"),
    ],
)
def test_it_is_recognised_in_whatever_it_was_copied_with(text) -> None:
    found = pasted(text, job())
    assert found.kind == "probe"
    assert found.measured is not None
    assert found.measured.measured_bytes == STEADY


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LINE[:-40], "incomplete"),
        ("SHM-PROBE {" + "[" * 50_000, "incomplete"),
        (line(version=2), "another version: version"),
        (line(shm__peak=-1), "shm.peak"),
        (line(shm__peak=2**70), "shm.peak"),
        (line(seconds=float("nan")), "seconds"),
        ("SHM-PROBE {}", "damaged"),
    ],
)
def test_a_line_that_is_cut_or_damaged_is_said_to_be_so(text, words) -> None:
    with pytest.raises(InputError, match=words):
        pasted(text, job())


def test_a_text_without_the_line_is_refused_where_it_is_said_to_be_one() -> None:
    with pytest.raises(InputError, match="begins with SHM-PROBE"):
        pasted("nothing here", job(), "probe")


def test_a_log_that_only_speaks_of_it_stays_a_log() -> None:
    assert pasted("see SHM-PROBE for more\n", job()).kind == "log"


# ---------------------------------------------------------------- in a text that comes in pieces


def in_pieces(pieces: list[str], kind: Any = "auto") -> Paste:
    intake = Intake()
    for piece in pieces:
        intake.feed(piece)
    return intake.finish(job(), kind)


@pytest.mark.parametrize("at", [*range(12), 100, len(LINE) - 1])
def test_it_is_found_wherever_a_piece_ends(at) -> None:
    found = in_pieces([f"epoch 3\n{LINE[:at]}", LINE[at:], "\n$ ", "exit\n"])
    assert found.measured is not None
    assert found.measured.measured_bytes == STEADY
    assert found.line == LINE


def test_it_is_found_at_the_end_of_a_log_that_is_too_long_to_be_kept() -> None:
    epoch = "epoch 3: loss 0.1234, 640 images/s\n" * 4000
    pieces = [epoch] * (WHOLE // len(epoch) + 1)
    assert sum(map(len, pieces)) > WHOLE
    found = in_pieces([*pieces, LINE + "\n"])
    assert found.kind == "probe"
    assert found.line == LINE
    assert in_pieces([LINE + "\n", *pieces], "probe").line == LINE


def test_of_two_that_are_far_apart_the_last_counts() -> None:
    other = line(shm__peak=1)
    filler = "x\n" * 100_000
    assert in_pieces([other, filler, LINE, filler]).line == LINE
    assert in_pieces([LINE, filler, other[:50], other[50:]]).line == other


def test_a_log_that_is_said_to_be_one_stays_one() -> None:
    assert in_pieces(["step 1\n", LINE], "log").kind == "log"


# ---------------------------------------------------------------- predicted against measured


def test_a_real_run_is_what_the_model_says_to_the_byte() -> None:
    found = compared(LINE, job())
    assert found.verdict == "steady"
    assert found.predicted is not None
    assert found.measured_bytes == found.predicted.steady_bytes == STEADY
    assert found.predicted.bound_bytes == found.predicted.steady_bytes + BATCH


@pytest.mark.parametrize(
    ("peak", "verdict"),
    [
        (STEADY - 1, "below"),
        (STEADY, "steady"),
        (STEADY + 1, "within"),
        (STEADY + BATCH, "within"),
        (STEADY + BATCH + 1, "above"),
    ],
)
def test_it_says_on_which_side_of_level_and_bound_the_peak_lies(peak, verdict) -> None:
    assert compared(line(shm__peak=peak), job()).verdict == verdict


def test_what_lay_there_before_a_wrapped_command_is_not_the_jobs() -> None:
    text = line(shm__peak=STEADY + 7 * 4096, shm__start=7 * 4096)
    assert compared(text, job()).verdict == "steady"
    watched = text.replace('"mode": "wrap"', '"mode": "watch"')
    assert compared(watched, job()).measured_bytes == STEADY + 7 * 4096


def test_a_sample_four_times_too_small_is_found_by_what_one_batch_must_be() -> None:
    uint8 = {"fields": [{"shape": [1_000_000], "dtype": "uint8"}]}
    found = compared(LINE, job(loader=uint8))
    assert found.verdict == "above"
    assert found.batch is not None
    assert found.batch.bytes == 4_001_792  # 4,000,000 in whole pages
    assert found.batch.implied_bytes == BATCH


def test_batches_that_the_loop_keeps_are_counted() -> None:
    found = compared(line(shm__peak=STEADY + 4 * BATCH), job())
    assert found.batch is not None
    assert (found.verdict, found.batch.held_more) == ("above", 3)


def test_the_size_that_is_right_holds_the_peak_and_the_bound_with_headroom() -> None:
    gib = 2**30
    assert right_size(line(shm__peak=3 * gib), job()) == 4 * gib
    large = job(loader={"batch_size": 400})
    assert right_size(line(shm__course=None), large) == 16 * gib  # six of 1.6 GB, and a tenth


def test_a_full_shm_hides_the_need() -> None:
    cause = {"id": "shm_exhausted", "title": "It was full.", "helps": "", "shown": ""}
    assert compared(line(found=[cause]), job()).verdict == "cut_off"


# ---------------------------------------------------------------- a level, and what explains it


def test_a_batch_that_was_seen_to_leave_comes_first_and_decides_the_size() -> None:
    html = answered(LINE, loader={"batch_size": 1600})["paste"]["html"]
    reasons = re.findall(r"<li>(.*?)</li>", html, re.DOTALL)
    assert reasons[0].startswith("A batch is smaller than the form says")
    assert "15.26 MiB" in reasons[0]  # 16,003,072 bytes
    assert "faster" not in html
    assert right_size(LINE, job(loader={"batch_size": 1600})) == 2**30  # six of 16 MB, and a tenth


def test_a_level_without_batches_seen_to_leave_decides_no_size() -> None:
    course = {"step": 0.1, "bytes": [0] * 10 + [STEADY] * 30}
    large = {"batch_size": 1600}
    text = line(shm__course=course)
    assert right_size(text, job(loader=large)) is None
    html = answered(text, loader=large)["paste"]["html"]
    assert "Right for this job" not in html
    assert "faster" not in html


@pytest.mark.parametrize(
    "course",
    [
        pytest.param({"step": 0.1, "bytes": [0, STEADY] * 20}, id="up and down"),
        pytest.param({"step": 0.1, "bytes": [STEADY // 3] * 40 + [STEADY]}, id="long before"),
        pytest.param({"step": 60, "bytes": [STEADY] * 40}, id="maxima of minutes"),
        pytest.param({"step": 0.1, "bytes": [STEADY] * 15}, id="too short"),
    ],
)
def test_without_a_level_the_queues_may_never_have_filled(course) -> None:
    found = compared(line(shm__course=course), job(loader={"batch_size": 1600}))
    assert found.level is None
    html = answered(line(shm__course=course), loader={"batch_size": 1600})["paste"]["html"]
    assert html.index("faster than the workers") < html.index("Or a batch is smaller")
    assert "Right for this job" in html


def test_where_the_batch_is_right_fewer_of_them_wait() -> None:
    found = compared(LINE, job(loader={"prefetch_factor": 8}))
    assert found.batch is not None
    assert found.batch.waiting == 5
    html = answered(LINE, loader={"prefetch_factor": 8})["paste"]["html"]
    assert "faster than the workers" in html
    assert "Correct prefetch_factor" in html


def test_a_batch_that_is_larger_than_said_is_larger_in_the_size_too() -> None:
    small = job(loader={"fields": [{"shape": [1_000], "dtype": "uint8"}], "batch_size": 1})
    text = line(shm__peak=5 * 300 * 2**20 + 14 * 4096, shm__course=None)
    assert right_size(text, small) == 2 * 2**30  # six of 300 MiB and a tenth, not five


# ---------------------------------------------------------------- without workers, and of others

ALONE = line(job__workers=0, job__owners=0, job__ranks=[], job__torch=[], job__python=[])


def test_without_workers_nothing_is_predicted_and_it_is_offered_as_another_user() -> None:
    found = compared(ALONE, job())
    assert (found.verdict, found.predicted) == ("none", None)
    assert found.other_bytes == 77 * 2**20  # 80,072,704 in whole MiB
    html = answered(ALONE)["paste"]["html"]
    for words in ("Predicted", "Right for this job", "Usual level", "Bound"):
        assert words not in html
    assert "other_shm_bytes&#34;: 80740352" in html or 'other_shm_bytes": 80740352' in html
    counted = answered(ALONE, other_shm_bytes=77 * 2**20)["paste"]["html"]
    assert "The form counts 77 MiB for other users" in counted
    assert "data-set" not in counted


OTHERS = "measured is all of /dev/shm, other programs included"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, False),
        ({"mode": "pid"}, True),
        ({"mode": "watch"}, True),
        ({"shm__files_left": [{"kind": "other", "bytes": 1}]}, True),
        ({"shm__files_left": [{"kind": "torch", "bytes": 1}]}, False),
    ],
)
def test_what_others_may_have_used_is_said_to_be_in_it(changes, told) -> None:
    assert (OTHERS in answered(line(**changes))["paste"]["html"]) is told


def test_processes_that_differ_are_said_and_the_highest_number_of_workers_is_taken() -> None:
    rank = RECORD["job"]["ranks"][0]
    ranks = [{**rank, "workers": workers} for workers in (3, 2, 4)]
    answer = answered(line(job__ranks=ranks))
    assert "The processes differ: 2, 3, 4 workers." in answer["paste"]["html"]
    assert "Not every process has the 4 workers" in answer["paste"]["html"]
    assert "A batch is smaller" not in answer["paste"]["html"]
    assert answer["paste"]["workload"]["loaders"][0]["num_workers"] == 4
    assert "differ" not in answered(LINE)["paste"]["html"]


# ---------------------------------------------------------------- the workload corrected


def test_ranks_workers_versions_and_limits_are_what_was_seen() -> None:
    given = job(ranks=8, torch_version="1.13", loader={"num_workers": 6})
    corrected = pasted(LINE, given).workload
    assert corrected is not None
    assert corrected["ranks"] == 1
    assert corrected["loaders"][0]["num_workers"] == 2
    assert (corrected["torch_version"], corrected["python_version"]) == ("2.13", "3.11")
    assert corrected["current_shm"] == 2**30
    assert corrected["open_files_limit"] == 4096
    assert corrected["max_map_count"] == 65530
    assert corrected["main_process_bytes"] == 144 * 2**20  # 150,233,088 in whole MiB
    assert (
        corrected["loaders"][0]["fields"] == given.model_dump(mode="json")["loaders"][0]["fields"]
    )


def test_what_was_put_into_the_form_is_listed_as_the_form_has_it() -> None:
    found = compared(LINE, job(ranks=8, current_shm="64m"))
    assert {each.label: (each.kept, each.now) for each in found.changes} == {
        "Processes (GPUs)": ("8", "1"),
        "Python": ("3.12", "3.11"),
        "/dev/shm now": ("64 MiB", "1 GiB"),  # noqa: S108 - a label
        "Memory of a training process": ("4 GiB", "144 MiB"),
        "Memory of a worker process": ("512 MiB", "202 MiB"),
        "Open files allowed": ("1024", "4096"),
    }
    html = answered(LINE, ranks=8)["paste"]["html"]
    assert "Processes (GPUs)</th><td>8</td><td>1</td>" in html


def test_a_version_that_is_known_more_precisely_stays() -> None:
    found = compared(LINE, job(torch_version="2.13.0", python_version="3.11.7"))
    assert not {"PyTorch", "Python"} & {each.label for each in found.changes}
    other = compared(LINE, job(torch_version="2.1.3", python_version="3.1"))
    assert {"PyTorch", "Python"} <= {each.label for each in other.changes}


def test_a_large_shm_is_put_into_the_form_so_that_it_can_be_read() -> None:
    found = compared(line(shm__size=25_276_518_400), job())  # 24684100 KiB
    assert "24105.5625 MiB" in [each.now for each in found.changes]


def test_the_pinning_thread_that_was_seen_is_put_into_the_form() -> None:
    found = pasted(line(job__ranks__0__pin_thread=True), job()).workload
    assert found is not None
    assert (found["loaders"][0]["pin_memory"], found["accelerator"]) == (True, True)


def test_of_several_loaders_none_is_said_to_have_the_workers() -> None:
    two = parse({"loaders": [{"num_workers": 3}, {"num_workers": 5}]})
    found = pasted(LINE, two)
    assert found.workload is not None
    assert [each["num_workers"] for each in found.workload["loaders"]] == [3, 5]
    assert found.measured is not None
    assert found.measured.undecided
    assert found.measured.batch is None


# ---------------------------------------------------------------- through the page's door


def answered(text: str, **workload: Any) -> dict[str, Any]:
    given = job(**workload).model_dump(mode="json")
    asked = {"workload": given, "paste": {"chunk": text, "first": True, "last": True}}
    answer = json.loads(api.answer(json.dumps(asked)))
    assert isinstance(answer, dict)
    return answer


def test_the_page_says_predicted_measured_and_the_right_size() -> None:
    paste = answered(LINE)["paste"]
    assert paste["said"] == "The job used exactly what the model says."
    for words in ("Usual level", "76.36 MiB", "Bound", "91.62 MiB", "Right for this job", "1 GiB"):
        assert words in paste["html"]


def test_words_of_the_line_are_shown_and_never_markup() -> None:
    cause = {"id": "x", "title": "<img src=x onerror=alert(1)>", "helps": "", "shown": "<b>"}
    html = answered(line(found=[cause]))["paste"]["html"]
    assert "<img" not in html
    assert "&lt;img src=x" in html


def test_a_damaged_line_is_an_error_of_the_page() -> None:
    answer = answered(LINE[:500])
    assert answer["ok"] is False
    assert "incomplete" in answer["errors"][0]["message"]


# ---------------------------------------------------------------- on the command line


def on_the_command_line(capsys: Any, *words: str) -> tuple[int, Any]:
    status = main(["read", *words, "--json"])
    return status, json.loads(capsys.readouterr().out or "null")


@pytest.fixture
def log(tmp_path: Path) -> str:
    file = tmp_path / "train.log"
    file.write_text(f"epoch 1\n{line(shm__peak=1)}\nepoch 2\n{LINE}\n", "utf-8")
    return str(file)


def test_read_says_what_was_seen_and_without_a_job_asks_no_model(capsys, log) -> None:
    status, found = on_the_command_line(capsys, log)
    assert (status, found["kind"], found["verdict"]) == (0, "probe", None)
    assert (found["size_bytes"], found["used_bytes"]) == (2**30, STEADY)
    assert found["workload"]["ranks"] == 1
    assert found["workload"]["loaders"] == [{"num_workers": 2}]
    assert found["extra"] == {}


def test_read_holds_it_against_the_job_that_is_given(capsys, log) -> None:
    given = {"workload": job().model_dump(mode="json", exclude={"python_version"})}
    status, found = on_the_command_line(capsys, log, "--given", json.dumps(given))
    assert (status, found["verdict"]) == (0, "steady")
    assert found["extra"]["steady_bytes"] == found["extra"]["measured_bytes"] == STEADY
    assert found["extra"]["bound_bytes"] == STEADY + BATCH
    assert found["notes"][0] == "The job used exactly what the model says."


def test_read_says_without_workers_what_to_count_it_with_and_predicts_nothing(
    capsys, tmp_path
) -> None:
    file = tmp_path / "alone.log"
    file.write_text(ALONE, "utf-8")
    given = json.dumps({"workload": job().model_dump(mode="json")})
    for words in ((), ("--given", given)):
        _, found = on_the_command_line(capsys, str(file), *words)
        assert found["notes"][0].startswith("No DataLoader workers were seen")
        assert "other_shm_bytes=80740352 (77 MiB)" in " ".join(found["notes"])
        assert "Right for this job" not in " ".join(found["notes"])
        assert "recommended_bytes" not in found["extra"]


def test_read_names_the_batch_first_where_the_use_stayed_at_a_level(capsys, log) -> None:
    given = {"workload": job(loader={"batch_size": 1600}).model_dump(mode="json")}
    _, found = on_the_command_line(capsys, log, "--given", json.dumps(given))
    assert "a batch takes 15.26 MiB instead of 5.96 GiB" in " ".join(found["notes"])
    assert found["extra"]["recommended_bytes"] == 2**30


def test_what_read_says_of_the_job_is_a_workload(capsys, log) -> None:
    _, found = on_the_command_line(capsys, log)
    parsed = parse(found["workload"])
    assert parsed.loaders[0].num_workers == 2
    assert parsed.current_shm == 2**30


def test_read_says_in_a_line_what_is_wrong_with_it(capsys, tmp_path) -> None:
    file = tmp_path / "cut.txt"
    file.write_text(LINE[:-40], "utf-8")
    assert main(["read", str(file)]) == 2
    assert "incomplete" in capsys.readouterr().err
    file.write_text("nothing", "utf-8")
    assert main(["read", str(file), "--kind", "probe"]) == 2
    assert "begins with SHM-PROBE" in capsys.readouterr().err
