"""What a person should know about this job: one small function per notice.

Ids are those of the taxonomy that scripts rely on.  A notice may carry a fix: the
inputs to change, and what the answer becomes, computed by the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal

from pydantic import ConfigDict

from calculator import resources
from calculator.loader import DEFAULT_PREFETCH, Collate
from calculator.recommend import Descriptors, Memory, Model
from calculator.rules import times
from calculator.sample import Kind
from calculator.sizing import Sizing
from calculator.typed import release
from calculator.units import TIB, count, size
from calculator.workload import Schedule, StartMethod, Strategy

HANGS_SINCE: Final = (2, 10)
"""From this PyTorch on a failed copy to shared memory is an exception in the feeder thread."""

USUAL_NOFILE: Final = 1024
"""The usual soft limit of open files."""


class Fix(Model):
    """Inputs to change (`set`: dotted path -> value) and the answer that gives, in bytes."""

    label: str
    set: dict[str, Any]
    need_bytes: int
    recommended_bytes: int


class Notice(Model):
    """One thing to know; `source` is where it can be read."""

    id: str
    level: Literal["warning", "tip"]
    text: str
    fix: Fix | None
    source: str


class Case(Model):
    """What the notices look at."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    sizing: Sizing
    memory: Memory
    descriptors: Descriptors

    def fix(self, label: str, changes: Mapping[str, Any]) -> Fix:
        """Evaluate changes by the engine."""
        changed = self.sizing.what_if(changes)
        return Fix(
            label=label,
            set=dict(changes),
            need_bytes=changed.need_bytes,
            recommended_bytes=changed.recommended_bytes,
        )


def notices(case: Case) -> list[Notice]:
    """Return every notice that applies, gravest first."""
    found = (notice(case) for notice in _ALL)
    return [each for each in found if each is not None]


def source(name: str) -> str:
    """Return the address of a source by its short name."""
    return str(resources.table("facts", "sources")[name]["url"])


def _notice(
    name: str,
    text: str,
    cite: str,
    fix: Fix | None = None,
    level: Literal["warning", "tip"] = "warning",
) -> Notice:
    return Notice(id=name, level=level, text=text, fix=fix, source=source(cite))


# ---------------------------------------------------------------- sizes


def existing_smaller(case: Case) -> Notice | None:
    """The /dev/shm there is cannot hold the job."""
    current, need = case.sizing.workload.current_shm, case.sizing.need_bytes
    if need <= current:
        return None
    ratio = f", {times(need, current)} times what there is" if current else ""
    text = f"The job needs {size(need)} of /dev/shm{ratio} ({size(current)})."
    return _notice("existing_smaller", text, "measured")


def shm_counts_toward_memory(case: Case) -> Notice | None:
    """The container's memory limit cannot hold /dev/shm and the processes."""
    limit, wanted = case.sizing.workload.memory_limit, case.memory.limit_bytes
    if limit is None or limit >= wanted:
        return None
    clip = (
        "Kubernetes even cuts /dev/shm down to the limit. " if limit < case.memory.shm_bytes else ""
    )
    text = (
        f"Pages of /dev/shm are charged to the container: the memory limit of {size(limit)} "
        f"is below the {size(wanted)} that shared memory and processes may take together. "
        f"{clip}Past it the kernel kills the job (exit 137)."
    )
    fix = case.fix(f"Limit {size(wanted)}", {"memory_limit": wanted})
    return _notice("shm_counts_toward_memory", text, "kernel-cgroup", fix)


def very_large_batch(case: Case) -> Notice | None:
    """The total is beyond what machines usually have."""
    need = case.sizing.need_bytes
    if need <= TIB:
        return None
    text = f"{size(need)} is more than machines usually have. Is the shape that of one sample?"
    return _notice("very_large_batch", text, "measured")


# ---------------------------------------------------------------- loaders


def workers_zero(case: Case) -> Notice | None:
    """Without workers a DataLoader shares nothing."""
    loaders = case.sizing.workload.loaders
    if any(loader.num_workers for loader in loaders):
        return None
    text = (
        "With num_workers=0 the main process loads the data itself: the DataLoader uses "
        "nothing of /dev/shm, and PyTorch refuses a prefetch_factor beside it."
    )
    return _notice("workers_zero", text, "pytorch-dataloader", level="tip")


def batches_kept(case: Case) -> Notice | None:
    """Batches the loop collects keep their shared memory."""
    position = _first(case, lambda loader: loader.num_workers and loader.held_batches > 1)
    if position is None:
        return None
    held = case.sizing.workload.loaders[position].held_batches
    text = (
        f"You keep {count(held)} batches: each holds its shared memory and its open files until "
        "you drop it. Clone what you need and let the batch go."
    )
    fix = case.fix("Keep one", {f"loaders.{position}.held_batches": 1})
    return _notice("batches_kept", text, "measured", fix)


def loaders_alive_together(case: Case) -> Notice | None:
    """Several loaders are full at once."""
    workload = case.sizing.workload
    if len(workload.loaders) == 1 or workload.schedule is Schedule.SEQUENTIAL:
        return None
    text = (
        "The loaders are alive at the same time, so their queues add up. Run validation after "
        "the epoch instead, and they take turns."
    )
    fix = case.fix("One after the other", {"schedule": Schedule.SEQUENTIAL.value})
    return _notice("loaders_alive_together", text, "measured", fix)


def deep_prefetch(case: Case) -> Notice | None:
    """A deep queue costs memory and only evens out bursts."""
    position = _first(
        case, lambda loader: loader.num_workers and loader.prefetch > DEFAULT_PREFETCH
    )
    if position is None:
        return None
    text = (
        f"prefetch_factor above {DEFAULT_PREFETCH} deepens every worker's queue: "
        "it evens out bursts, no more."
    )
    fix = case.fix(
        f"prefetch_factor={DEFAULT_PREFETCH}",
        {f"loaders.{position}.prefetch_factor": DEFAULT_PREFETCH},
    )
    return _tip("deep_prefetch", text, "pytorch-dataloader", fix, case)


# ---------------------------------------------------------------- what a sample is


def float64_doubles(case: Case) -> Notice | None:
    """float64 is what numpy makes when nobody says otherwise."""
    changes = _retype(case, {"float64"}, "float32")
    if not changes:
        return None
    text = "A field travels as float64, numpy's default: twice the bytes of float32."
    fix = case.fix("Use float32", changes)
    return _notice("float64_doubles", text, "measured", fix)


def wide_images(case: Case) -> Notice | None:
    """Images normalised in the worker travel four times as wide as their pixels."""
    changes = _retype(case, {"float32", "float64"}, "uint8", dimensions=3, channels={1, 3, 4})
    if not changes:
        return None
    changed = case.sizing.what_if(changes)
    text = (
        "Images travel as floating point. Sent as uint8 and normalised on the GPU, "
        f"the same job needs {size(changed.need_bytes)}."
    )
    return _tip("wide_images", text, "uint8-collate", case.fix("Use uint8", changes), case)


def numpy_through_pipe(case: Case) -> Notice | None:
    """Arrays left as they are do not use /dev/shm."""
    if _first(case, lambda loader: loader.collate is Collate.NUMPY) is None:
        return None
    text = (
        "numpy arrays and lists that the collate function leaves as they are go through a pipe, "
        "pickled and copied: slower, and nothing of it in /dev/shm."
    )
    return _notice("numpy_through_pipe", text, "pytorch-collate", level="tip")


def many_small_tensors(case: Case) -> Notice | None:
    """Each tensor costs a page and an open file."""
    wanted = max(case.descriptors.main, case.descriptors.worker)
    if wanted <= USUAL_NOFILE:
        return None
    text = (
        f"Each tensor in flight is an open file: provide ulimit -n {count(wanted)} "
        f"(usual: {count(USUAL_NOFILE)}). Stacking them into one tensor per field needs far fewer."
    )
    return _notice("many_small_tensors", text, "pytorch-sharing")


# ---------------------------------------------------------------- processes


def spawn_dataset_tensors(case: Case) -> Notice | None:
    """Tensors of the dataset move to /dev/shm when it is pickled to the workers."""
    workload = case.sizing.workload
    if not workload.dataset_tensor_bytes or workload.effective_start_method is StartMethod.FORK:
        return None
    text = (
        f"{workload.effective_start_method.value} pickles the dataset to the workers, which moves "
        "its tensors to /dev/shm, once per process, and they stay. numpy arrays do not."
    )
    fix = case.fix("Keep them in numpy", {"dataset_tensor_bytes": 0})
    return _notice("spawn_dataset_tensors", text, "python-314-forkserver", fix)


def file_system_leftovers(case: Case) -> Notice | None:
    """file_system is no way around /dev/shm."""
    if case.sizing.workload.sharing_strategy is not Strategy.FILE_SYSTEM:
        return None
    text = (
        "file_system keeps its tensors in /dev/shm too, as named files: it saves open files, no "
        "space, and leaves batches behind after an early break or a killed container."
    )
    changes = {"sharing_strategy": Strategy.FILE_DESCRIPTOR.value}
    fix = case.fix("Use file_descriptor", changes)
    return _notice("file_system_leftovers", text, "pytorch-sharing", fix)


def silent_hang(case: Case) -> Notice | None:
    """A collate of one's own turns a full /dev/shm into a hang."""
    workload = case.sizing.workload
    if release(workload.torch_version) < HANGS_SINCE:
        return None
    if _first(case, lambda loader: loader.collate in (Collate.STACK, Collate.LIST)) is None:
        return None
    text = (
        "With a collate function of your own a full /dev/shm is a silent hang: the worker's "
        "feeder thread loses the batch and the training waits. timeout= makes it an error."
    )
    return _notice("silent_hang", text, "pytorch-fallocate")


_ALL: Final[tuple[Callable[[Case], Notice | None], ...]] = (
    existing_smaller,
    shm_counts_toward_memory,
    very_large_batch,
    spawn_dataset_tensors,
    loaders_alive_together,
    batches_kept,
    many_small_tensors,
    file_system_leftovers,
    silent_hang,
    float64_doubles,
    wide_images,
    deep_prefetch,
    numpy_through_pipe,
    workers_zero,
)


# ---------------------------------------------------------------- shared pieces


def _tip(name: str, text: str, cite: str, fix: Fix, case: Case) -> Notice | None:
    """A tip is worth its place only if it lowers the recommended size."""
    if fix.recommended_bytes >= case.sizing.recommended_bytes:
        return None
    return _notice(name, text, cite, fix, level="tip")


def _first(case: Case, wanted: Callable[[Any], Any]) -> int | None:
    found: Iterable[int] = (
        position for position, loader in enumerate(case.sizing.workload.loaders) if wanted(loader)
    )
    return next(iter(found), None)


def _retype(
    case: Case,
    old: set[str],
    new: str,
    *,
    dimensions: int = 0,
    channels: set[int] | None = None,
) -> dict[str, str]:
    """Return the changes that give every matching tensor field the dtype `new`."""
    return {
        f"loaders.{i}.fields.{j}.dtype": new
        for i, loader in enumerate(case.sizing.workload.loaders)
        if loader.num_workers and loader.collate is not Collate.NUMPY
        for j, field in enumerate(loader.fields)
        if field.kind is Kind.TENSOR
        and field.dtype in old
        and (not dimensions or len(field.shape) == dimensions)
        and (channels is None or field.shape[0] in channels)
    }
