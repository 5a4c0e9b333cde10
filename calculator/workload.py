"""What a person can tell us about a training job.

Every input carries its label, help, unit and range; the form, the command line and the
error messages are made from them.  Everything has a default: the defaults are the
eight-GPU ImageNet job.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import count
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError, field_validator, model_validator

from calculator.deployment import Deployment
from calculator.errors import InputError, Problem, from_validation
from calculator.loader import Loader
from calculator.references import dangling
from calculator.typed import (
    BlankIsNone,
    Bytes,
    Input,
    OptionalBytes,
    Share,
    Version,
    Whole,
    ask,
    release,
)
from calculator.units import GIB, KIB, MIB

DEFAULT_SHM_BYTES: Final = 64 * MIB
"""What Docker, containerd and CRI-O mount at /dev/shm when nothing is said."""

FORKSERVER_SINCE: Final = (3, 14)
"""The Python version from which on `forkserver` is the default on Linux."""


MAX_LOADERS: Final = 16


class Schedule(StrEnum):
    """When several loaders are alive."""

    SEQUENTIAL = "sequential"
    INTERLEAVED = "interleaved"
    ALWAYS = "always"


_SCHEDULES = {
    Schedule.SEQUENTIAL: "after the epoch",
    Schedule.INTERLEAVED: "in the middle of an epoch",
    Schedule.ALWAYS: "loaders never end",
}


class StartMethod(StrEnum):
    """How worker processes come to life."""

    FORK = "fork"
    SPAWN = "spawn"
    FORKSERVER = "forkserver"


_START_METHODS: Final[dict[str, str]] = {
    "": "Python's default",
    **{each: each.value for each in StartMethod},
}


class Strategy(StrEnum):
    """PyTorch's sharing strategy."""

    FILE_DESCRIPTOR = "file_descriptor"
    FILE_SYSTEM = "file_system"


_MEASURE_YOURS = "Assumed; measure yours as shown beside the answer."


class Workload(Input):
    """A training job: the processes that share one /dev/shm, and their loaders."""

    ranks: Annotated[
        Whole,
        ask(
            "Processes (GPUs)",
            "Training processes (ranks) that share one /dev/shm, not the GPUs of the cluster.",
            ge=1,
            le=1024,
        ),
    ] = 8
    job_ranks: Annotated[
        Annotated[Whole, Field(ge=1, le=10**7)] | None,
        BlankIsNone,
        ask(
            "Processes of the whole job",
            "Of all its containers, pods and nodes; empty: those that share one /dev/shm are all. "
            "One alone in its pod still talks to the others through NCCL.",
        ),
    ] = None
    loaders: Annotated[tuple[Loader, ...], ask("Loaders", min_length=1, max_length=MAX_LOADERS)] = (
        Loader(name="train"),
    )
    schedule: Annotated[
        Schedule,
        ask(
            "Validation runs",
            "After the epoch, in the middle of one, or with loaders that never end.",
            choices=_SCHEDULES,
        ),
    ] = Schedule.SEQUENTIAL
    last_batch_held: Annotated[
        bool,
        ask(
            "Last training batch still referenced",
            "A loop variable keeps its batch while validation runs.",
        ),
    ] = True
    start_method: Annotated[
        StartMethod | None,
        BlankIsNone,
        ask(
            "Start method",
            "How workers start; Python's default changed in 3.14.",
            choices=_START_METHODS,
        ),
    ] = None
    python_version: Annotated[Version, ask("Python", "Of the training environment.")] = "3.12"
    sharing_strategy: Annotated[
        Strategy,
        ask(
            "Sharing strategy",
            "Both live in /dev/shm.",
            choices={each: each.value for each in Strategy},
        ),
    ] = Strategy.FILE_DESCRIPTOR
    dataset_tensor_bytes: Annotated[
        Bytes,
        ask(
            "Tensors held by the dataset",
            "CPU tensors that the Dataset object itself keeps. Under spawn and forkserver they "
            "move to /dev/shm.",
            unit="bytes",
        ),
    ] = 0
    dataset_tensors: Annotated[
        Whole,
        ask("How many tensors it holds", "Each is a file of its own.", ge=1, le=10**9),
    ] = 1
    accelerator: Annotated[bool, ask("Has a GPU", "Without one, pin_memory has no effect.")] = True
    page_bytes: Annotated[
        Whole,
        ask(
            "Page size",
            "4096 on x86-64; 65536 on some arm64 kernels; 2 MiB with huge=always.",
            ge=4 * KIB,
            le=GIB,
        ),
    ] = 4 * KIB
    torch_version: Annotated[Version, ask("PyTorch", "Decides what a failure looks like.")] = "2.13"
    current_shm: Annotated[
        Bytes,
        ask(
            "/dev/shm now",  # noqa: S108 - a label
            "What df -h /dev/shm shows inside the container; 64 MiB by default.",
            unit="bytes",
        ),
    ] = DEFAULT_SHM_BYTES
    memory_limit: Annotated[
        OptionalBytes,
        ask("Memory limit", "Of the container; empty for none.", unit="bytes"),
    ] = None
    machine_memory: Annotated[
        OptionalBytes, ask("RAM of the machine", "Empty: not known.", unit="bytes")
    ] = None
    main_process_bytes: Annotated[
        Bytes, ask("Memory of a training process", _MEASURE_YOURS, unit="bytes")
    ] = 4 * GIB
    worker_process_bytes: Annotated[
        Bytes, ask("Memory of a worker process", _MEASURE_YOURS, unit="bytes")
    ] = 512 * MIB
    nccl_communicators: Annotated[
        Whole,
        ask(
            "NCCL communicators",
            "Process groups of each process; plain DDP and FSDP have one, Megatron several.",
            ge=0,
            le=10**4,
        ),
    ] = 1
    gpu_p2p: Annotated[
        bool,
        ask(
            "GPUs reach each other",
            "NVLink or PCIe peer access. Without it NCCL passes data through /dev/shm.",
        ),
    ] = True
    nccl_cumem_host: Annotated[
        bool,
        ask(
            "NCCL uses cuMem host memory",
            "NCCL 2.24 or later with the NUMA calls allowed (SYS_NICE): its channels then leave "
            "/dev/shm.",
        ),
    ] = False
    nccl_channels: Annotated[
        Whole,
        ask(
            "NCCL channels",
            "Of each pair of processes, where they go through memory.",
            ge=1,
            le=64,
        ),
    ] = 2
    ray_object_store_bytes: Annotated[
        Bytes,
        ask("Ray object store", "--object-store-memory of the node.", unit="bytes"),
    ] = 0
    vllm_ring_buffers: Annotated[
        Whole,
        ask(
            "vLLM ring buffers",
            "Message queues of a multi-process executor.",
            ge=0,
            le=10**4,
        ),
    ] = 0
    open_files_limit: Annotated[
        Whole, ask("Open files allowed", "What ulimit -n says.", ge=1, le=2**31)
    ] = 1024
    max_map_count: Annotated[
        Whole,
        ask("vm.max_map_count", "Memory mappings a process may have.", ge=1, le=2**31),
    ] = 65530
    other_shm_bytes: Annotated[
        Bytes,
        ask(
            "Other use of /dev/shm",
            "Caches or segments of your own, for all processes together.",
            unit="bytes",
        ),
    ] = 0
    process_shm_bytes: Annotated[
        Bytes,
        ask(
            "Other use by each process",
            "What every training process keeps there for itself, such as tensors it moved with "
            "share_memory_().",
            unit="bytes",
        ),
    ] = 0
    headroom: Annotated[
        Share, ask("Headroom", "Added to the need before rounding.", unit="percent")
    ] = 0.1
    deployment: Annotated[
        Deployment, ask("In the configuration", "Names that the blocks carry.")
    ] = Deployment()

    @model_validator(mode="before")
    @classmethod
    def _name_loaders(cls, data: Any) -> Any:
        """Give loaders without a name the first that none has."""
        if not isinstance(data, dict) or not isinstance(data.get("loaders"), list | tuple):
            return data
        taken = [each.get("name") for each in data["loaders"] if isinstance(each, dict)]
        free = (name for name in map(usual_name, count()) if name not in taken)
        named = [
            {**each, "name": next(free)}
            if isinstance(each, dict) and each.get("name") in (None, "")
            else each
            for each in data["loaders"]
        ]
        return {**data, "loaders": named}

    @field_validator("page_bytes")
    @classmethod
    def _check_page(cls, value: int) -> int:
        if value & (value - 1):
            raise ValueError("must be a power of two, such as 4096")
        return value

    @property
    def effective_start_method(self) -> StartMethod:
        """The start method in force: what is set, else the Python version's default."""
        if self.start_method is not None:
            return self.start_method
        newer = release(self.python_version) >= FORKSERVER_SINCE
        return StartMethod.FORKSERVER if newer else StartMethod.FORK

    @property
    def distributed(self) -> bool:
        """Whether the job has more than one process, here or elsewhere."""
        return max(self.ranks, self.job_ranks or 1) > 1

    def pins(self, loader: Loader) -> bool:
        """Whether the pinning thread runs for this loader."""
        return loader.pin_memory and self.accelerator


_USUAL_NAMES: Final = ("train", "val", "test")


def usual_name(position: int) -> str:
    """Return what a loader is called that has no name; positions count from 0."""
    known = position < len(_USUAL_NAMES)
    return _USUAL_NAMES[position] if known else f"loader {position + 1}"


def uneven(workload: Workload) -> Iterator[Problem]:
    """Yield a problem if containers, or pods, cannot all hold as many processes as is said."""
    each, total = workload.deployment.ranks_per_pod, max(workload.ranks, workload.job_ranks or 1)
    if each and total % each:
        message = f"must divide the {total} processes of the job"
        yield Problem("deployment.ranks_per_pod", message)
    if total % workload.ranks:
        message = f"must be a multiple of the {workload.ranks} processes of a container"
        yield Problem("job_ranks", message)


def parse(data: Any) -> Workload:
    """Validate input data.

    Raises:
        InputError: with one problem per place.
    """
    try:
        workload = Workload.model_validate(data)
    except ValidationError as error:
        raise from_validation(error) from None
    except RecursionError:
        raise InputError.at("", "is nested too deeply") from None
    problems = (*dangling(workload.loaders), *uneven(workload))
    if problems:
        raise InputError(problems)
    return workload
