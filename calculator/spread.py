"""The range of the need, where the input leaves open how large the samples in flight are."""

from __future__ import annotations

from collections.abc import Iterator

from calculator.footprint import dataset_bytes
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
    dataset = _wasted_by_dataset(sizing)
    least = (sizing.what_if(batches) if batches else sizing).need_bytes - dataset
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


def _wasted_by_dataset(sizing: Sizing) -> int:
    """Bytes by which a dataset's tensors may need less than they are taken to.

    Only their sum is known: the most wastes a page in all but one of them, the least is
    their sum, or a page for each.
    """
    workload = sizing.workload
    most = dataset_bytes(workload)
    if not most:
        return 0
    page, number = workload.page_bytes, workload.dataset_tensors
    least = max(most - (number - 1) * page, number * page)
    copies = sum(term.bytes for term in sizing.terms if term.id.startswith("dataset")) // most
    return copies * (most - least)


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
