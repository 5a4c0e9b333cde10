"""From what a reader found to bytes, to the form, and to the engine's recommendation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from calculator.dtypes import ITEMSIZE, UnknownDtypeError, canonical
from calculator.errors import InputError
from calculator.loader import DEFAULT_PREFETCH
from calculator.readers.reading import Estimate, LoaderReading
from calculator.sizing import Sizing, size_job
from calculator.typed import MAX_BYTES
from calculator.workload import parse

Tensors = tuple[tuple[tuple[int, ...], str], ...]


@dataclass(frozen=True)
class Sample:
    """One sample: its tensors, each a shape and a dtype, or only its bytes."""

    tensors: Tensors = ()
    sample_bytes: int | None = None

    @property
    def bytes(self) -> int | None:
        """Raw bytes; None where nothing is known."""
        if self.sample_bytes is not None:
            return self.sample_bytes
        if not self.tensors:
            return None
        return sum(math.prod(shape) * ITEMSIZE[dtype] for shape, dtype in self.tensors)


UNKNOWN_SAMPLE: Final = Sample()


def sample_of(given: Mapping[str, Any]) -> Sample:
    """Return the sample that a person states: `sample_shape` and `dtype`, `tensors` or bytes.

    Raises:
        InputError: what is stated is no shape, dtype or size.
    """
    tensors = given.get("tensors")
    if isinstance(tensors, list | tuple) and tensors:
        return Sample(tuple(_tensor(index, each) for index, each in enumerate(tensors)))
    shape = given.get("sample_shape", given.get("shape"))
    if shape is not None:
        return Sample((_tensor("shape", (shape, given.get("dtype") or "float32")),))
    stated = given.get("sample_bytes")
    if isinstance(stated, int) and not isinstance(stated, bool) and 0 < stated <= MAX_BYTES:
        return Sample(sample_bytes=stated)
    return UNKNOWN_SAMPLE


def _tensor(place: object, pair: Any) -> tuple[tuple[int, ...], str]:
    try:
        shape, dtype = pair
        numbers = tuple(shape)
        name = canonical(str(dtype))
    except (TypeError, ValueError) as error:
        words = str(error) if isinstance(error, UnknownDtypeError) else "must be [shape, dtype]"
        raise InputError.at(f"given.{place}", words) from None
    whole = all(isinstance(each, int) and 0 < each <= MAX_BYTES for each in numbers)
    if not whole or math.prod(numbers) > MAX_BYTES:
        raise InputError.at(f"given.{place}", "must be whole numbers above 0")
    return numbers, name


def loader(
    name: str = "loader",
    *,
    batch: int | None = None,
    workers: int | str | None = None,
    prefetch: int | None = None,
    sample: Sample = UNKNOWN_SAMPLE,
    **more: Any,
) -> LoaderReading:
    """Describe one DataLoader; what is not known stays None, and so does what follows from it.

    Args:
        name: a label.
        batch: samples that travel together.
        workers: number of workers; text for an expression that cannot be resolved.
        prefetch: batches a worker; None is PyTorch's default where there are workers.
        sample: what the dataset returns.
        more: further fields of `LoaderReading`.
    """
    if prefetch is None and workers != 0:
        prefetch = DEFAULT_PREFETCH
    each = sample.bytes
    batch_bytes = None if batch is None or each is None else batch * each
    counted = isinstance(workers, int)
    batches = (workers * prefetch + 1 if workers and prefetch else 0) if counted else None  # type: ignore[operator]
    first = sample.tensors[0] if sample.tensors else (None, None)
    found: dict[str, Any] = {
        "name": name,
        "batch": batch,
        "workers": workers,
        "prefetch": prefetch,
        "sample_shape": first[0],
        "dtype": first[1],
        "tensors": sample.tensors,
        "sample_bytes": each,
        "batch_bytes": batch_bytes,
        "peak_batches": batches,
        "peak_bytes": _times(batch_bytes, batches),
        "peak_max_bytes": _times(batch_bytes, batches + 1 if batches else batches),
    }
    return LoaderReading(**{**found, **more})


def _times(one: int | None, count: int | None) -> int | None:
    return None if one is None or count is None else one * count


def form(
    loaders: Sequence[LoaderReading], *, ranks: int | None, together: bool = False, **more: Any
) -> dict[str, Any]:
    """Return input JSON with what is known, to lay over the form."""
    found: dict[str, Any] = {"ranks": ranks} if ranks is not None else {}
    if loaders:
        found["loaders"] = [_entry(each) for each in loaders]
        found["schedule"] = "always" if together and len(loaders) > 1 else "sequential"
    return {**found, **{key: value for key, value in more.items() if value is not None}}


def _entry(read: LoaderReading) -> dict[str, Any]:
    known = {
        "name": read.name,
        "batch_size": read.batch,
        "num_workers": read.workers if isinstance(read.workers, int) else None,
        "prefetch_factor": read.prefetch,
        "pin_memory": read.pin_memory,
        "persistent_workers": read.persistent_workers,
        "collate": read.collate,
        "fields": _fields(read),
    }
    return {key: value for key, value in known.items() if value is not None}


def _fields(read: LoaderReading) -> list[dict[str, Any]] | None:
    tensors = read.tensors or read.suggested
    if tensors:
        names = ["image"] if len(tensors) == 1 else None
        return [
            {
                "name": names[0] if names else f"tensor {index + 1}",
                "shape": list(shape),
                "dtype": dtype,
            }
            for index, (shape, dtype) in enumerate(tensors)
        ]
    if read.sample_bytes:
        return [{"name": "sample", "shape": [read.sample_bytes], "dtype": "uint8"}]
    return None


def laid_over(job: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Lay input JSON that a text says over a whole one; its loaders take the place of the others.

    What a loader does not say of its samples stays as the job has it.
    """
    loaders = said.get("loaders")
    if not loaders or not job.get("loaders"):
        return {**job, **said}
    sample = job["loaders"][0]["fields"]
    return {**job, **said, "loaders": [{"fields": sample, **loader} for loader in loaders]}


def sized(workload: Mapping[str, Any], job: Mapping[str, Any] | None = None) -> Sizing | None:
    """Return what the engine makes of input JSON; None where it refuses it.

    Args:
        workload: what a text says.
        job: the whole input JSON of the job that it is laid over.  Where the two do not go
            together, or there is none, the engine's defaults are below the text.
    """
    for below in (job or {}, {}):
        try:
            return size_job(parse(laid_over(below, workload)))
        except InputError:
            continue
    return None


def estimate(
    loaders: Sequence[LoaderReading],
    found: Sizing | None,
    *,
    ranks: int = 1,
    together: bool = True,
    resident: int = 0,
) -> Estimate | None:
    """Return what the loaders come to; None where one of them is not known well enough.

    Args:
        loaders: what was read.
        found: what the engine makes of them.
        ranks: processes of one container.
        together: whether all loaders hold batches at once; if not, the largest counts.
        resident: bytes of dataset tensors that stay in /dev/shm, each rank.
    """
    peaks = [each.peak_bytes for each in loaders]
    if found is None or not peaks or any(peak is None for peak in peaks):
        return None
    pairs = [(each.peak_bytes or 0, min(each.ranks or ranks, ranks)) for each in loaders]
    add = sum if together else max
    return Estimate(
        per_rank_peak_bytes=add(peak for peak, _ in pairs) + resident,
        container_peak_bytes=add(peak * count for peak, count in pairs) + resident * ranks,
        resident_bytes=resident,
        full_bytes=found.steady_need_bytes,
        need_bytes=found.need_bytes,
        recommended_bytes=found.recommended_bytes,
    )
