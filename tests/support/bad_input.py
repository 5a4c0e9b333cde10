"""What is typed into inputs that cannot take it, and the one sentence each kind answers.

Written by hand, from what a person should be told: nothing here is read from the engine.
"""

from __future__ import annotations

from typing import Final

HUGE: Final = "1" + "0" * 30

TEXTS: Final = (
    "", "-1", "0", HUGE, "NaN", "inf", "words", "8xg", "1e3", "0x10", "\ud800", "a\x01b",
    "\u0663", "\uff18", " 8 ", "+8", "8.0",
)  # fmt: skip
"""Tried at every input."""

WHOLE = "must be a whole number"
SIZE = "must be a size such as 64m, 8g, 8GiB or a number of bytes"
SHAPE = "must be whole numbers, such as 3, 224, 224"
VERSION = "must be a version, such as 2.13"
DIGITS = "must be written with the digits 0 to 9"
CONTROL = "must be text without control characters"
STORAGE = "must be the name of another tensor of this sample"
LINE = "must be one line of text, without control characters"
LABEL = "must be lower-case letters, digits and hyphens, 40 at most, starting with a letter"
NAMESPACE = "must be lower-case letters, digits and hyphens, 63 at most"
EMPTY_NAME = "must not be empty"
HYPHEN = "must not start with a hyphen: it would be read as an option"
DTYPES = "is not a PyTorch dtype; try float64, float32, float16, bfloat16"

LIMITS: Final = {
    "ranks": (1, 1024),
    "job_ranks": (1, 10**7),
    "gpus": (0, 1024),
    "ranks_per_pod": (1, 1024),
    "batch_size": (1, 10**9),
    "num_workers": (0, 4096),
    "prefetch_factor": (1, 4096),
    "held_batches": (0, 10**6),
    "early_breaks": (0, 10**6),
    "queue_size": (1, 10**6),
    "nnz": (0, 10**15),
    "dataset_tensors": (1, 10**9),
    "page_bytes": (4096, 2**30),
    "nccl_communicators": (0, 10**4),
    "nccl_channels": (1, 64),
    "vllm_ring_buffers": (0, 10**4),
    "open_files_limit": (1, 2**31),
    "max_map_count": (1, 2**31),
}
"""Every whole number: least and most."""

SIZES: Final = {
    "current_shm", "memory_limit", "machine_memory", "main_process_bytes", "worker_process_bytes",
    "dataset_tensor_bytes", "ray_object_store_bytes", "other_shm_bytes", "process_shm_bytes",
}  # fmt: skip
SHAPES: Final = {"shape", "sizes", "view_of"}
LABELS: Final = {"deployment.name", "namespace"}
VERSIONS: Final = {"python_version", "torch_version"}
CHOICES: Final = {
    "kind": "must be 'tensor', 'int', 'float' or 'str'",
    "collate": "must be 'default', 'stack', 'own', 'list' or 'numpy'",
    "schedule": "must be 'sequential', 'interleaved' or 'always'",
    "start_method": "must be 'fork', 'spawn' or 'forkserver'",
    "sharing_strategy": "must be 'file_descriptor' or 'file_system'",
}
TRUTHS: Final = {
    "pin_memory", "persistent_workers", "returns_dataset_tensors", "last_batch_held", "accelerator",
    "gpu_p2p", "nccl_cumem_host",
}  # fmt: skip
EMPTY: Final = {
    "batch_size", "prefetch_factor", "queue_size", "nnz", "sizes", "view_of", "memory_limit",
    "machine_memory", "start_method", "same_storage_as", "job_ranks", "gpus", "ranks_per_pod",
    "command", "namespace", "loaders.name", "fields.name",
}  # fmt: skip
"""Inputs that may be left empty."""


def called(path: str) -> str:
    """Return what an input is called, whichever loader or field it is of."""
    parts = [part for part in path.split(".") if not part.isdecimal()]
    return ".".join(parts[-2:]) if parts[-1] == "name" else parts[-1]


def refusal(path: str, text: str) -> str | None:
    """Return the sentence for one of `TEXTS` typed at `path`; None if it can be read."""
    name = called(path)
    if not text and name in EMPTY:
        return None
    if name in CHOICES | dict.fromkeys(TRUTHS):
        return _choice(name, text)
    if name in LIMITS:
        return _whole(text, *LIMITS[name])
    if name in SIZES:
        return _size(text, optional=name in EMPTY)
    return _shape(text) if name in SHAPES else _of_its_own(name, text)


def _choice(name: str, text: str) -> str | None:
    if text == "\ud800":
        return CONTROL
    if name in TRUTHS:
        return None if text == "0" else "must be true or false"
    return CHOICES[name]


def _whole(text: str, least: int, most: int) -> str | None:
    small = f"must be at least {least}"
    return {
        "-1": small,
        "0": small if least else None,
        HUGE: f"must be at most {most}",
        **dict.fromkeys((" 8 ", "+8", "8.0"), small if least > 8 else None),
        **_FOREIGN,
    }.get(text, WHOLE)


def _size(text: str, *, optional: bool) -> str | None:
    return {
        "0": "must be at least 1" if optional else None,
        HUGE: "must be at most 8 PiB",
        " 8 ": None,
        "8.0": None,
        **_FOREIGN,
    }.get(text, SIZE)


def _shape(text: str) -> str | None:
    return {
        "": "needs at least 1 entry",
        **dict.fromkeys(("-1", "0", "0x10"), "must be at least 1"),
        HUGE: "must be at most 1000000000000",
        **dict.fromkeys((" 8 ", "+8"), None),
        **_FOREIGN,
    }.get(text, SHAPE)


def _line(name: str, text: str) -> str | None:
    special = {**dict.fromkeys(_UNPRINTABLE, LINE), "\ud800": CONTROL}
    if name == "image":
        special |= {"": EMPTY_NAME, "-1": HYPHEN}
    return special.get(text)


def _label(name: str, text: str) -> str | None:
    if name == "namespace":
        fine = {"words", "inf", "8xg", "0", "1e3", "0x10", " 8 ", HUGE}
        return None if text in fine else NAMESPACE
    return {"": EMPTY_NAME, "words": None, "inf": None}.get(text, LABEL)


def _of_its_own(name: str, text: str) -> str | None:
    if name in {"image", "command"}:
        return _line(name, text)
    if name in LABELS:
        return _label(name, text)
    if name in {"loaders.name", "fields.name", "same_storage_as"}:
        other = STORAGE if name == "same_storage_as" else None
        return CONTROL if text in _UNPRINTABLE else other
    if name == "dtype":
        return f"{text!r} {DTYPES}"
    if name in VERSIONS:
        return {"8.0": None, **_FOREIGN}.get(text, VERSION)
    if name == "headroom":
        share = dict.fromkeys(
            (HUGE, "inf", "1e3", " 8 ", "+8", "8.0"), "must be a share, such as 10%"
        )
        return {"-1": "must be at least 0", "0": None, **share, **_FOREIGN}.get(
            text, "must be a number"
        )
    raise LookupError(f"nobody has said what {name} takes")


_FOREIGN: Final[dict[str, str | None]] = {"\u0663": DIGITS, "\uff18": DIGITS}
_UNPRINTABLE: Final = {"\ud800", "a\x01b"}
