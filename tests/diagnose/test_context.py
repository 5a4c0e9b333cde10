"""What stands beside a failure and changes what it means."""

import pytest

from calculator.diagnose import diagnose

BUS = "RuntimeError: DataLoader worker (pid 9) is killed by signal: Bus error.\n"
HEAD = "Filesystem      Size  Used Avail Use% Mounted on\n"

SPACES = [
    ("shm  64M  0  64M  0% /dev/shm\n", "shm_exhausted", "high"),
    ("shm  2.0G  2.0G  0 100% /dev/shm\n", "shm_exhausted", "high"),
    ("tmpfs  252G  241G  11G  96% /dev/shm\n", "shm_exhausted", "high"),
    ("tmpfs  252G  12M  252G  1% /dev/shm\n", "bus_error_not_shm", "medium"),
    ("tmpfs  252G  130G  122G  52% /dev/shm\n", "shm_exhausted", "high"),
]


@pytest.mark.parametrize(("row", "diagnosis", "confidence"), SPACES)
def test_df_beside_a_bus_error_decides(row, diagnosis, confidence):
    found = diagnose(BUS + HEAD + row)
    assert (found.diagnosis, found.confidence) == (diagnosis, confidence)


def test_blocks_of_df_are_what_its_head_says():
    for head, row in (
        (
            "Filesystem 1K-blocks Used Available Use% Mounted on\n",
            "shm 65536 8 65528 1% /dev/shm\n",
        ),
        ("Filesystem 1M-blocks Used Available Use% Mounted on\n", "shm 64 0 64 1% /dev/shm\n"),
        ("Filesystem 1B-blocks Used Avail Use% Mounted on\n", "shm 67108864 0 1 1% /dev/shm\n"),
    ):
        assert diagnose(BUS + head + row).extract["shm_size_bytes"] == 67_108_864


def test_a_size_that_is_not_in_effect_explains_the_failure():
    text = "$ docker run --shm-size=8g img\n" + BUS + HEAD + "shm 64M 0 64M 0% /dev/shm\n"
    found = diagnose(text)
    assert (found.diagnosis, found.secondary) == ("shm_size_not_applied", ("shm_exhausted",))
    assert found.extract["asked_bytes"] == 8 * 2**30


def test_a_volume_clipped_by_the_memory_limit():
    text = (
        "$ kubectl describe pod a-0\n    Limits:\n      memory:  8Gi\n    SizeLimit:  16Gi\n"
        + HEAD
        + "tmpfs 8.0G 0 8.0G 0% /dev/shm\n"
    )
    found = diagnose(text)
    assert (found.diagnosis, found.actions[0]) == ("shm_size_not_applied", "raise_memory_limit")
    assert "clips" in found.answer


def test_both_host_ipc_and_a_size():
    found = diagnose("$ docker run --ipc=host --shm-size=8g img python train.py\nstep 1\n")
    assert found.diagnosis == "ipc_shm_conflict"


VOLUMES = [
    ("  /dev/shm from cache (rw)\n", "cache", "emptydir_evicted"),
    ("  /dev/shm from dshm (rw)\n", "cache", "emptydir_evicted_other_volume"),
    ("- name: tmp-a\n  mountPath: /dev/shm\n", "tmp-a", "emptydir_evicted"),
    ("- mountPath: /dev/shm\n  name: tmp-a\n", "tmp-b", "emptydir_evicted_other_volume"),
    ("", "shared-memory", "emptydir_evicted"),
    ("", "scratch", "emptydir_evicted_other_volume"),
]


@pytest.mark.parametrize(("mount", "volume", "diagnosis"), VOLUMES)
def test_which_volume_was_evicted(mount, volume, diagnosis):
    text = f'Usage of EmptyDir volume "{volume}" exceeds the limit "1Gi".\n{mount}'
    assert diagnose(text).diagnosis == diagnosis


def test_times_order_what_was_pasted_in_another_order():
    text = (
        "[pod/a-0/m] 2026-02-11T10:05:00Z torch.OutOfMemoryError: CUDA out of memory.\n"
        f"[pod/a-1/m] 2026-02-11T10:01:00Z {BUS}"
    )
    assert diagnose(text).extract["pod"] == "a-1"


def test_the_ranks_that_do_not_complain():
    text = "".join(
        f"[rank{rank}]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9)\n"
        for rank in (0, 1, 3, 4)
    )
    assert "rank 2." in diagnose(text).answer


PLATFORMS = [
    ("srun: error: n1: task 0: Bus error\n", "slurm"),
    ("$ podman run img\nBus error\n", "podman"),
    ("trainer-1  | Bus error (core dumped)\n", "compose"),
    ("OSError: [WinError 1455] x\n", "windows"),
    ("$ kubectl logs a\nBus error\n", "kubernetes"),
    ("$ docker run img\nBus error\n", "docker"),
    ("Bus error\n", ""),
]


@pytest.mark.parametrize(("text", "platform"), PLATFORMS)
def test_the_platform_is_seen(text, platform):
    assert diagnose(text).platform == platform
