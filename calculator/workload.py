"""What a person can tell us about a training job.

Every field carries its label, help, unit and range; the form, the command line and the
error messages are made from them.  Everything has a default: the defaults are the
eight-GPU ImageNet job.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Annotated, Any, Final

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    ValidationError,
    field_validator,
    model_validator,
)

from calculator import dtypes
from calculator.errors import InputError, from_validation
from calculator.units import KIB, MIB, SizeError, parse_size

DEFAULT_SHM_BYTES: Final = 64 * MIB
"""What Docker, containerd and CRI-O mount at /dev/shm when nothing is said."""

DEFAULT_PREFETCH: Final = 2
"""What PyTorch makes of prefetch_factor=None with workers."""

FORKSERVER_SINCE: Final = (3, 14)
"""The Python version from which on `forkserver` is the default on Linux."""


class Kind(StrEnum):
    """What one field of a sample is."""

    TENSOR = "tensor"
    INT = "int"
    FLOAT = "float"
    STR = "str"


class Collate(StrEnum):
    """What the collate function makes of the samples of a batch."""

    DEFAULT = "default"
    STACK = "stack"
    LIST = "list"
    NUMPY = "numpy"


class Schedule(StrEnum):
    """When several loaders are alive."""

    SEQUENTIAL = "sequential"
    INTERLEAVED = "interleaved"
    ALWAYS = "always"


class StartMethod(StrEnum):
    """How worker processes come to life."""

    FORK = "fork"
    SPAWN = "spawn"
    FORKSERVER = "forkserver"


class Strategy(StrEnum):
    """PyTorch's sharing strategy."""

    FILE_DESCRIPTOR = "file_descriptor"
    FILE_SYSTEM = "file_system"


def _shape(value: Any) -> Any:
    """Read `3, 224, 224`, `3x224x224` or `[3, 224, 224]`; a list passes as it is."""
    if isinstance(value, int) and not isinstance(value, bool):
        return [value]
    if not isinstance(value, str):
        return value
    parts = [part for part in re.split(r"[\s,;x×*]+", value.strip().strip("[]()")) if part]
    if not all(re.fullmatch(r"[+-]?\d{1,18}", part) for part in parts):
        raise ValueError("must be whole numbers, such as 3, 224, 224")
    return [int(part) for part in parts]


def _size(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return parse_size(value)
    except SizeError as error:
        raise ValueError(f"must be {error.expected}") from None


def _optional_size(value: Any) -> Any:
    return _size(_blank_is_none(value))


def _blank_is_none(value: Any) -> Any:
    blank = isinstance(value, str) and value.strip().lower() in {"", "none", "null"}
    return None if blank else value


def _share(value: Any) -> Any:
    """Read `10%` as 0.1; the division is exact in decimal."""
    if not isinstance(value, str) or not value.strip().endswith("%"):
        return value
    try:
        return float(Decimal(value.strip().rstrip("%").strip()) / 100)
    except InvalidOperation:
        raise ValueError("must be a share, such as 10%") from None


def _version(value: Any) -> Any:
    text = str(value).strip().removeprefix("v")
    if not re.fullmatch(r"\d{1,3}\.\d{1,3}(\.?\w+)*(\+[\w.]+)?", text, re.ASCII):
        raise ValueError("must be a version, such as 2.13")
    return text


def _dtype(value: Any) -> Any:
    return dtypes.canonical(value) if isinstance(value, str) else value


MAX_DIMENSION: Final = 10**12
Dimension = Annotated[int, Field(ge=1, le=MAX_DIMENSION)]
Shape = Annotated[
    tuple[Dimension, ...], BeforeValidator(_shape), Field(min_length=1, max_length=16)
]
Bytes = Annotated[int, BeforeValidator(_size), Field(ge=0, le=2**60)]
Version = Annotated[str, BeforeValidator(_version)]


class _Input(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_enum_values=False)


class SampleField(_Input):
    """One field of a sample: a tensor, or a Python number or string beside it."""

    name: Annotated[str, Field(title="Name", max_length=80)] = "image"
    kind: Annotated[
        Kind,
        Field(
            title="Kind",
            description="A Python number becomes one small tensor per batch; text stays out.",
            json_schema_extra={
                "choices": {
                    "tensor": "tensor",
                    "int": "Python int",
                    "float": "Python float",
                    "str": "text",
                }
            },
        ),
    ] = Kind.TENSOR
    shape: Annotated[
        Shape,
        Field(
            title="Shape",
            description="Of one sample as the dataset returns it, without the batch dimension.",
        ),
    ] = (3, 224, 224)
    dtype: Annotated[
        str,
        BeforeValidator(_dtype),
        Field(
            title="dtype",
            description="As it leaves the worker, not as the model wants it.",
            json_schema_extra={"choices": {name: name for name in dtypes.ITEMSIZE}},
        ),
    ] = "float32"

    @property
    def numel(self) -> int:
        """Elements of one sample: 1 for a number, 0 for text."""
        if self.kind is Kind.TENSOR:
            return math.prod(self.shape)
        return 0 if self.kind is Kind.STR else 1

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        if self.kind is Kind.TENSOR:
            return dtypes.ITEMSIZE[self.dtype]
        return 0 if self.kind is Kind.STR else dtypes.SCALAR_BYTES

    @property
    def item_bytes(self) -> int:
        """Raw bytes of this field in one sample."""
        return self.numel * self.itemsize


class Loader(_Input):
    """One `torch.utils.data.DataLoader`."""

    name: Annotated[str, Field(title="Name", max_length=80)] = ""
    batch_size: Annotated[
        int,
        Field(ge=1, le=10**9, title="Batch per GPU", description="batch_size of each process."),
    ] = 64
    num_workers: Annotated[
        int,
        Field(ge=0, le=4096, title="num_workers", description="0 loads in the main process."),
    ] = 8
    prefetch_factor: Annotated[
        Annotated[int, Field(ge=1, le=4096)] | None,
        BeforeValidator(_blank_is_none),
        Field(title="prefetch_factor", description="Batches per worker; empty means 2."),
    ] = DEFAULT_PREFETCH
    fields: Annotated[
        tuple[SampleField, ...], Field(min_length=1, max_length=1000, title="One sample")
    ] = (SampleField(),)
    collate: Annotated[
        Collate,
        Field(
            title="Collate",
            description="What collate_fn returns: the default's tensors, tensors of your own, or "
            "arrays and lists left as they are.",
            json_schema_extra={
                "choices": {
                    "default": "default_collate",
                    "stack": "own torch.stack",
                    "list": "list of tensors",
                    "numpy": "numpy or lists, as they are",
                }
            },
        ),
    ] = Collate.DEFAULT
    pin_memory: Annotated[
        bool,
        Field(title="pin_memory", description="The pinning thread empties /dev/shm faster."),
    ] = False
    persistent_workers: Annotated[
        bool,
        Field(title="persistent_workers", description="Workers stay alive between epochs."),
    ] = False
    held_batches: Annotated[
        int,
        Field(
            ge=0,
            le=10**6,
            title="Batches you keep",
            description="1 in a plain for loop; 0 if you delete the batch before the next one; "
            "more if you collect batches.",
        ),
    ] = 1

    @property
    def prefetch(self) -> int:
        """prefetch_factor as PyTorch reads it: None means 2."""
        return DEFAULT_PREFETCH if self.prefetch_factor is None else self.prefetch_factor


_LOADER_NAMES: Final = ("train", "val", "test")


class Workload(_Input):
    """A training job: the processes that share one /dev/shm, and their loaders."""

    ranks: Annotated[
        int,
        Field(
            ge=1,
            le=1024,
            title="GPUs per node",
            description="Training processes that share one /dev/shm: those of one container or "
            "pod, not the GPUs of the cluster.",
        ),
    ] = 8
    loaders: Annotated[tuple[Loader, ...], Field(min_length=1, max_length=16)] = (
        Loader(name=_LOADER_NAMES[0]),
    )
    schedule: Annotated[
        Schedule,
        Field(
            title="Validation runs",
            description="After the epoch, in the middle of one, or with loaders that never end.",
            json_schema_extra={
                "choices": {
                    "sequential": "after the epoch",
                    "interleaved": "in the middle of an epoch",
                    "always": "loaders never end",
                }
            },
        ),
    ] = Schedule.SEQUENTIAL
    last_batch_held: Annotated[
        bool,
        Field(
            title="Last training batch still referenced",
            description="A loop variable keeps its batch while validation runs.",
        ),
    ] = True
    start_method: Annotated[
        StartMethod | None,
        BeforeValidator(_blank_is_none),
        Field(
            title="Start method",
            description="How workers start; Python's default changed in 3.14.",
            json_schema_extra={
                "choices": {
                    "": "Python's default",
                    "fork": "fork",
                    "spawn": "spawn",
                    "forkserver": "forkserver",
                }
            },
        ),
    ] = None
    python_version: Annotated[
        Version, Field(title="Python", description="Of the training environment.")
    ] = "3.12"
    sharing_strategy: Annotated[
        Strategy,
        Field(
            title="Sharing strategy",
            description="Both live in /dev/shm.",
            json_schema_extra={
                "choices": {"file_descriptor": "file_descriptor", "file_system": "file_system"}
            },
        ),
    ] = Strategy.FILE_DESCRIPTOR
    dataset_tensor_bytes: Annotated[
        Bytes,
        Field(
            title="Tensors held by the dataset",
            description="CPU tensors that the Dataset object itself keeps. Under spawn and "
            "forkserver they move to /dev/shm.",
            json_schema_extra={"unit": "bytes"},
        ),
    ] = 0
    accelerator: Annotated[
        bool,
        Field(title="Has a GPU", description="Without one, pin_memory has no effect."),
    ] = True
    page_bytes: Annotated[
        int,
        Field(
            ge=4 * KIB,
            le=1024 * MIB,
            title="Page size",
            description="4096 on x86-64; 65536 on some arm64 kernels; 2 MiB with huge=always.",
        ),
    ] = 4 * KIB
    torch_version: Annotated[
        Version, Field(title="PyTorch", description="Decides what a failure looks like.")
    ] = "2.13"
    current_shm: Annotated[
        Bytes,
        Field(
            title="/dev/shm now",  # noqa: S108 - a label
            description="What df -h /dev/shm shows inside the container; 64 MiB by default.",
            json_schema_extra={"unit": "bytes"},
        ),
    ] = DEFAULT_SHM_BYTES
    memory_limit: Annotated[
        Annotated[int, Field(ge=1, le=2**60)] | None,
        BeforeValidator(_optional_size),
        Field(
            title="Memory limit",
            description="Of the container; empty for none.",
            json_schema_extra={"unit": "bytes"},
        ),
    ] = None
    main_process_bytes: Annotated[
        Bytes,
        Field(
            title="Memory of a training process",
            description="Assumed; measure yours as shown beside the answer.",
            json_schema_extra={"unit": "bytes"},
        ),
    ] = 4096 * MIB
    worker_process_bytes: Annotated[
        Bytes,
        Field(
            title="Memory of a worker process",
            description="Assumed; measure yours as shown beside the answer.",
            json_schema_extra={"unit": "bytes"},
        ),
    ] = 512 * MIB
    other_shm_bytes: Annotated[
        Bytes,
        Field(
            title="Other use of /dev/shm",
            description="Caches or segments of your own, for all processes together.",
            json_schema_extra={"unit": "bytes"},
        ),
    ] = 0
    headroom: Annotated[
        FiniteFloat,
        BeforeValidator(_share),
        Field(
            ge=0,
            le=10,
            title="Headroom",
            description="Added to the need before rounding.",
            json_schema_extra={"unit": "percent"},
        ),
    ] = 0.1

    @model_validator(mode="before")
    @classmethod
    def _name_loaders(cls, data: Any) -> Any:
        """Give loaders without a name theirs by position."""
        if not isinstance(data, dict) or not isinstance(data.get("loaders"), list | tuple):
            return data
        named = [
            {**loader, "name": loader.get("name") or _position_name(position)}
            if isinstance(loader, dict)
            else loader
            for position, loader in enumerate(data["loaders"])
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

    def pins(self, loader: Loader) -> bool:
        """Whether the pinning thread runs for this loader."""
        return loader.pin_memory and self.accelerator


def _position_name(position: int) -> str:
    if position < len(_LOADER_NAMES):
        return _LOADER_NAMES[position]
    return f"loader {position + 1}"


def release(version: str) -> tuple[int, int]:
    """The first two numbers of a version: `2.13.1+cu128` is (2, 13)."""
    major, minor = version.split(".")[:2]
    return int(major), int(re.match(r"\d+", minor)[0])  # type: ignore[index]


def parse(data: Any) -> Workload:
    """Validate input data.

    Raises:
        InputError: with one problem per place.
    """
    try:
        return Workload.model_validate(data)
    except ValidationError as error:
        raise from_validation(error) from None
    except RecursionError:
        raise InputError.at("", "is nested too deeply") from None
