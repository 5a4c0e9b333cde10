"""The inverse: what fits into the /dev/shm one has and cannot change.

Every option is evaluated by the memory model.  A job fits when its need, the strict
bound and all other users, is not above the size.  Options that have a largest value carry
it: one step more does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from calculator.errors import InputError
from calculator.live import loader_use
from calculator.loader import Collate, Loader
from calculator.recommend import Model
from calculator.sample import Kind, SampleField
from calculator.sizing import Sizing, size_job
from calculator.typed import MAX_BYTES
from calculator.workload import Schedule, Workload

CROP_STEP: Final = 16
"""Crops are tried in multiples of this many pixels, as networks with strides like them."""

VOLUME_DEPTH: Final = 32
"""From this size on the third dimension from the end is taken for depth, not for channels."""

KNOB_LIMITS: Final[Mapping[str, int]] = {
    "num_workers": 256,
    "prefetch_factor": 64,
    "batch_size": 65536,
}
"""How far a knob is turned up where there is room."""


class Option(Model):
    """One way to make the job fit, or to use the room there is.

    Attributes:
        kind: what is turned, such as "num_workers" or "dtype".
        label: for people.
        set: dotted path -> value, to apply it.
        need_bytes: the need then.
        costs: what one gives up.
        next_bytes: the need one step further, which does not fit; None where there is no step.
    """

    kind: str
    label: str
    set: dict[str, Any]
    need_bytes: int
    costs: str
    next_bytes: int | None


class Fit(Model):
    """What fits into `shm_bytes`.

    `others_bytes` is what the other users of /dev/shm need, without any worker.
    """

    shm_bytes: int
    need_bytes: int
    others_bytes: int
    fits: bool
    options: tuple[Option, ...]


def fit(workload: Workload, shm_bytes: int) -> Fit:
    """Find what fits.

    Raises:
        InputError: the job itself is beyond what any machine has.
    """
    sizing = size_job(workload)
    search = _Search(sizing, shm_bytes)
    fits = sizing.need_bytes <= shm_bytes
    ways = [_knobs, _combinations] if fits else [_knobs, _combinations, _dtypes, _crops, _habits]
    idle = {f"loaders.{i}.num_workers": 0 for i in range(len(workload.loaders))}
    return Fit(
        shm_bytes=shm_bytes,
        need_bytes=sizing.need_bytes,
        others_bytes=search.need(idle),
        fits=fits,
        options=tuple(option for way in ways for option in way(search)),
    )


class _Search:
    """Asks the model what changes need, and whether that fits."""

    def __init__(self, sizing: Sizing, shm_bytes: int) -> None:
        self.sizing = sizing
        self.workload = sizing.workload
        self.shm_bytes = shm_bytes

    def need(self, changes: Mapping[str, Any]) -> int:
        """Bytes that the job needs with these changes; where no machine has them, too many."""
        try:
            return self.sizing.what_if(changes).need_bytes
        except InputError:
            return MAX_BYTES + 1

    def option(
        self, kind: str, label: str, changes: dict[str, Any], costs: str, further: int | None = None
    ) -> Iterable[Option]:
        """Yield the option if it fits."""
        need = self.need(changes)
        if need <= self.shm_bytes:
            yield Option(
                kind=kind,
                label=label,
                set=changes,
                need_bytes=need,
                costs=costs,
                next_bytes=further,
            )

    def largest(self, low: int, high: int, changes: Callable[[int], dict[str, Any]]) -> int | None:
        """Return the largest value in [low, high] that fits; the need must not fall with it."""
        if self.need(changes(low)) > self.shm_bytes:
            return None
        while low < high:
            middle = (low + high + 1) // 2
            if self.need(changes(middle)) <= self.shm_bytes:
                low = middle
            else:
                high = middle - 1
        return low


# ---------------------------------------------------------------- one knob at a time

_COSTS: Final = {
    "num_workers": "Less loading in parallel; the GPU may wait.",
    "prefetch_factor": "Less slack for slow batches.",
    "batch_size": "Smaller batches: accumulate gradients to keep the effective size.",
}


def _knobs(search: _Search) -> Iterable[Option]:
    """Each knob of each loader by itself, and of all loaders together where there are several."""
    several = len(search.workload.loaders) > 1
    for key, limit in KNOB_LIMITS.items():
        if several:
            yield from _knob(search, key, limit, range(len(search.workload.loaders)))
        for position in range(len(search.workload.loaders)):
            yield from _knob(search, key, limit, [position])


def _knob(search: _Search, key: str, limit: int, positions: Iterable[int]) -> Iterable[Option]:
    turned = [p for p in positions if _turns(search.workload.loaders[p], key)]
    if not turned:
        return

    def changes(value: int) -> dict[str, Any]:
        return {f"loaders.{position}.{key}": value for position in turned}

    best = search.largest(1, limit, changes)
    if best is None:
        return
    names = ", ".join(search.workload.loaders[position].name for position in turned)
    further = search.need(changes(best + 1)) if best < limit else None
    label = f"{key}={best} ({names})"
    less = any(best < _now(search.workload.loaders[position], key) for position in turned)
    costs = _COSTS[key] if less else "At most; more does not fit."
    yield from search.option(key, label, changes(best), costs, further)


def _now(loader: Loader, key: str) -> int:
    return loader.prefetch if key == "prefetch_factor" else int(getattr(loader, key))


def _turns(loader: Loader, key: str) -> bool:
    """Whether turning the knob changes this loader."""
    if key == "prefetch_factor" and loader.queue_size is not None:
        return False
    return loader.num_workers > 0 and (key != "batch_size" or loader.batch_size is not None)


# ---------------------------------------------------------------- knobs together


def _combinations(search: _Search) -> Iterable[Option]:
    """For each smaller prefetch the most workers of the fullest loader."""
    position = _fullest(search.workload)
    if position is None:
        return
    loader = search.workload.loaders[position]
    if loader.queue_size is not None:
        return
    for prefetch in range(1, loader.prefetch):

        def changes(workers: int, prefetch: int = prefetch) -> dict[str, Any]:
            return {
                f"loaders.{position}.num_workers": workers,
                f"loaders.{position}.prefetch_factor": prefetch,
            }

        limit = KNOB_LIMITS["num_workers"]
        best = search.largest(1, limit, changes)
        if best is not None:
            further = search.need(changes(best + 1)) if best < limit else None
            label = f"num_workers={best}, prefetch_factor={prefetch} ({loader.name})"
            costs = "Shorter queues; the same work in parallel if the workers keep up."
            yield from search.option("combination", label, changes(best), costs, further)


def _fullest(workload: Workload) -> int | None:
    """Position of the loader that holds the most; None without workers."""
    uses = [loader_use(workload, loader) for loader in workload.loaders]
    busy = [position for position, use in enumerate(uses) if use.loader.num_workers]
    return max(busy, key=lambda position: uses[position].peak_bytes, default=None)


# ---------------------------------------------------------------- what travels


def _dtypes(search: _Search) -> Iterable[Option]:
    """Send floating-point fields narrower."""
    for dtype, costs in (
        ("float16", "Half the digits on the way; widen on the GPU."),
        ("uint8", "Send pixels; normalise on the GPU."),
    ):
        changes = {
            f"{path}.dtype": dtype
            for path, field in _tensors(search.workload)
            if field.dtype in {"float64", "float32", "float16", "bfloat16"} - {dtype}
            and not (dtype == "float16" and field.dtype == "bfloat16")
        }
        if changes:
            yield from search.option("dtype", f"Send {dtype}", changes, costs)


def _crops(search: _Search) -> Iterable[Option]:
    """Crop every large field to the same side in the worker."""
    fields = [(p, f) for p, f in _tensors(search.workload) if _spatial(f) and f.sizes is None]
    largest = max((min(f.shape[-_spatial(f) :]) for _, f in fields), default=0) // CROP_STEP
    if not largest:
        return

    def changes(steps: int) -> dict[str, Any]:
        side = steps * CROP_STEP
        return {
            f"{path}.shape": [
                *field.shape[: -_spatial(field)],
                *(min(side, size) for size in field.shape[-_spatial(field) :]),
            ]
            for path, field in fields
        }

    best = search.largest(1, largest, changes)
    if best is not None:
        further = search.need(changes(best + 1)) if best < largest else None
        label = f"Crop to {best * CROP_STEP} in the worker"
        yield from search.option("crop", label, changes(best), "Less of each sample.", further)


def _spatial(field: SampleField) -> int:
    """How many trailing dimensions are space: 2 for images and clips, 3 for volumes, else 0."""
    shape = field.shape
    if len(shape) < 3 or min(shape[-2:]) < CROP_STEP:  # noqa: PLR2004 - channels, height, width
        return 0
    volume = len(shape) > 3 and shape[-3] >= VOLUME_DEPTH  # noqa: PLR2004
    return 3 if volume else 2


def _tensors(workload: Workload) -> Iterable[tuple[str, SampleField]]:
    for i, loader in enumerate(workload.loaders):
        if loader.num_workers and loader.collate is not Collate.NUMPY:
            for j, field in enumerate(loader.fields):
                if field.kind is Kind.TENSOR:
                    yield f"loaders.{i}.fields.{j}", field


# ---------------------------------------------------------------- habits


def _habits(search: _Search) -> Iterable[Option]:
    """Changes that cost nothing or little in the code."""
    workload = search.workload
    several = len(workload.loaders) > 1
    if several and workload.schedule is not Schedule.SEQUENTIAL:
        changes: dict[str, Any] = {"schedule": Schedule.SEQUENTIAL.value}
        costs = "Validation waits for the end of the epoch."
        yield from search.option("schedule", "One loader after the other", changes, costs)
    for key, value, label, costs in (
        ("held_batches", 1, "Keep one batch", "Clone what you need of the others."),
        ("pin_memory", True, "pin_memory=True", "The copies take pinned memory instead."),
        ("returns_dataset_tensors", False, "Clone the dataset's tensors", "A copy per sample."),
        ("num_workers", 0, "num_workers=0", "Nothing is loaded ahead; the GPU waits."),
    ):
        changes = {
            f"loaders.{position}.{key}": value
            for position, loader in enumerate(workload.loaders)
            if loader.num_workers and getattr(loader, key) != value
        }
        if changes and not (key == "pin_memory" and not workload.accelerator):
            yield from search.option(key, label, changes, costs)
