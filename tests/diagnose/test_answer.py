"""What the answer says: the number, the platform's spelling, what fills the form."""

import pytest

from calculator.diagnose import diagnose
from calculator.errors import InputError

BUS = "RuntimeError: DataLoader worker (pid 9) is killed by signal: Bus error."

NEED = {"need_bytes": 5_086_642_176}  # with a tenth on top 5.2 GiB: the next size is 8 GiB

SPELLED = [
    ("docker", "--shm-size=8g"),
    ("compose", "shm_size: 8g"),
    ("kubernetes", "sizeLimit: 8Gi"),
    ("slurm", "size=8G"),
    ("bare", "size=8G"),
    ("podman", "--shm-size=8g"),
]


@pytest.mark.parametrize(("platform", "spelled"), SPELLED)
def test_the_number_is_spelled_as_the_platform_reads_it(platform, spelled):
    found = diagnose(BUS, {**NEED, "platform": platform})
    assert found.size_bytes == 8 * 2**30
    assert spelled in found.answer


def test_without_a_job_no_number_is_made_up():
    found = diagnose(BUS)
    assert found.size_bytes is None
    assert "GiB" not in found.answer


def test_the_number_of_a_job_is_the_engine_s():
    found = diagnose(BUS, {"preset": "medical-3d"})
    assert found.size_bytes == 8 * 2**30
    assert "8 GiB" in found.answer
    killed = diagnose("RuntimeError: DataLoader worker (pid 9) is killed by signal: Killed.",
                      {"workload": {"ranks": 1}})  # fmt: skip
    assert "Raise the memory limit to" in killed.answer


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"need_bytes": "much"}, "given.need_bytes"),
        ({"need_bytes": -1}, "given.need_bytes"),
        ({"need_bytes": True}, "given.need_bytes"),
        ({"need_bytes": 2**60}, "given.need_bytes"),
        ({"preset": 7}, "given.preset"),
        ({"preset": "no-such"}, "preset"),
        ({"workload": {"ranks": "x"}}, "ranks"),
        ({"workload": []}, ""),
    ],
)
def test_what_is_given_and_cannot_be_used_is_said(given, place):
    with pytest.raises(InputError) as caught:
        diagnose(BUS, given)
    assert caught.value.problems[0].path == place


def test_the_form_gets_what_the_text_names():
    text = (
        "torchrun --nproc_per_node=4 train.py\n"
        'File "/opt/venv/lib/python3.11/site-packages/torch/utils/data/dataloader.py"\n'
        f"{BUS}\n$ df -h /dev/shm\nFilesystem Size Used Avail Use% Mounted on\n"
        "shm  64M  64M  0 100% /dev/shm\n"
    )
    assert diagnose(text).workload == {
        "torch_version": "2.9",
        "python_version": "3.11",
        "current_shm": 67_108_864,
        "ranks": 4,
    }


def test_a_version_in_the_text_wins_and_a_bus_error_in_a_new_one_is_explained():
    found = diagnose(f"PyTorch version: 2.12.1\n{BUS}")
    assert found.workload["torch_version"] == "2.12.1"
    assert "PyTorch 2.12.1" in found.answer


@pytest.mark.parametrize("text", ["", "   \n\n", "\ufeff\r\n"])
def test_nothing_pasted(text):
    found = diagnose(text)
    assert (found.diagnosis, found.confidence, found.evidence) == ("none", "high", ())


def test_the_answer_ends_with_its_source():
    found = diagnose(BUS)
    assert found.answer.splitlines()[-1].startswith("Source: ")
    assert found.sources[0].url.startswith("https://")
    assert [each.id for each in found.advice] == list(found.actions)


def fed(reason: str) -> str:
    """Return what a worker's feeder thread prints of a batch that it loses."""
    return (
        "Traceback (most recent call last):\n"
        '  File "/usr/lib/python3.11/multiprocessing/queues.py", line 244, in _feed\n'
        "    obj = _ForkingPickler.dumps(obj)\n"
        '  File "/usr/lib/python3.11/site-packages/torch/multiprocessing/reductions.py", line 616\n'
        "    fd, size = storage._share_fd_cpu_()\n"
        f"RuntimeError: {reason}\n"
    )


WRITE = "unable to write to file </torch_31_4054360290_5>: No space left on device (28)"


@pytest.mark.parametrize(
    ("reason", "era"),
    [
        pytest.param(WRITE, "<=2.9", id="before 2.10, a label's page"),
        pytest.param(
            "unable to allocate shared memory(shm) for file </torch_31_405_5>: Success (0)",
            "2.10-2.11",
            id="2.11, a stale errno",
        ),
        pytest.param(
            "unable to allocate shared memory(shm) for file </torch_31_405_5>: "
            "No space left on device (28)",
            ">=2.10",
            id="2.12 and later",
        ),
    ],
)
def test_a_hang_is_named_whatever_the_version_says_of_it(reason, era):
    found = diagnose(fed(reason))
    assert found.diagnosis == "shm_exhausted"
    assert found.confidence == "high"
    assert found.extract["torch_era"] == era
    assert "feeder thread" in found.means
    assert "waits for it without end" in found.means


def test_where_a_worker_died_of_it_nobody_waits():
    found = diagnose(fed(WRITE) + BUS)
    assert found.diagnosis == "shm_exhausted"
    assert "without end" not in found.means


def test_what_stands_in_the_main_process_s_traceback_is_no_hang():
    found = diagnose(f"RuntimeError: {WRITE}")
    assert "without end" not in found.means
