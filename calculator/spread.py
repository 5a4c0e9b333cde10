"""The range of the need, where the input leaves open how large the samples in flight are."""

from __future__ import annotations

from collections.abc import Iterator

from calculator.loader import Loader
from calculator.recommend import Model
from calculator.sample import SampleField
from calculator.sizing import Sizing


class Spread(Model):
    """Least and most that the job can need, in bytes of all processes; provide the most.

    `why` says what is left open.
    """

    least_bytes: int
    most_bytes: int
    why: str


def spread(sizing: Sizing) -> Spread | None:
    """Return the range of the need, or None where the input determines it.

    Both ends are strict bounds.  The most holds the largest samples in every batch in
    flight, the least the smallest ones; of dataset tensors that are known by their sum,
    each but one may waste up to a page.
    """
    batches = dict(_smallest_batches(sizing))
    dataset = {"dataset_tensors": 1} if sizing.workload.dataset_tensors > 1 else {}
    if not batches and not dataset:
        return None
    least = sizing.what_if({**batches, **dataset}).need_bytes
    if least == sizing.need_bytes:
        return None
    open_points = [
        *(["which samples are in flight together"] if batches else []),
        *(["how the dataset's bytes divide among its tensors"] if dataset else []),
    ]
    return Spread(
        least_bytes=least,
        most_bytes=sizing.need_bytes,
        why=f"depends on {' and '.join(open_points)}; the size to provide holds the most",
    )


def _smallest_batches(sizing: Sizing) -> Iterator[tuple[str, list[int]]]:
    """Yield the changes that make every batch as small as the input allows."""
    for place, loader in enumerate(sizing.workload.loaders):
        for position, field in enumerate(loader.fields):
            if field.sizes is not None:
                path = f"loaders.{place}.fields.{position}.sizes"
                yield path, smallest_sizes(loader, field)


def smallest_sizes(loader: Loader, field: SampleField) -> list[int]:
    """Return the sizes of the smallest batch that can be drawn from a varying field.

    Where fewer sizes are known than a batch has samples, the smallest stands for the rest.
    """
    known = sorted(field.sizes or ())
    return known[: loader.samples] if len(known) >= loader.samples else known[:1]
