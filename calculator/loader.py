"""One DataLoader, as a person sets it up."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from calculator.sample import SampleField
from calculator.typed import BlankIsNone, Input, Name, Whole, ask

DEFAULT_PREFETCH: Final = 2
"""What PyTorch makes of prefetch_factor=None with workers."""


class Collate(StrEnum):
    """What the collate function makes of the samples of a batch."""

    DEFAULT = "default"
    STACK = "stack"
    OWN = "own"
    LIST = "list"
    NUMPY = "numpy"


_COLLATES = {
    Collate.DEFAULT: "default_collate",
    Collate.STACK: "own torch.stack",
    Collate.OWN: "views, or one tensor for several fields",
    Collate.LIST: "list of tensors",
    Collate.NUMPY: "numpy or lists, as they are",
}


class Loader(Input):
    """One `torch.utils.data.DataLoader`."""

    name: Annotated[Name, ask("Name")] = ""
    batch_size: Annotated[
        Annotated[Whole, Field(ge=1, le=10**9)] | None,
        BlankIsNone,
        ask(
            "Batch per process",
            "batch_size of each process; empty: batch_size=None, single samples.",
        ),
    ] = 64
    num_workers: Annotated[
        Whole,
        ask("num_workers", "Workers of each process; 0 loads in the main process.", ge=0, le=4096),
    ] = 8
    prefetch_factor: Annotated[
        Annotated[Whole, Field(ge=1, le=4096)] | None,
        BlankIsNone,
        ask("prefetch_factor", f"Batches per worker; empty means {DEFAULT_PREFETCH}."),
    ] = DEFAULT_PREFETCH
    fields: Annotated[tuple[SampleField, ...], ask("One sample", min_length=1, max_length=1000)] = (
        SampleField(),
    )
    collate: Annotated[
        Collate,
        ask(
            "Collate",
            "What collate_fn returns: the default's tensors, tensors of your own, or arrays and "
            "lists left as they are.",
            choices=_COLLATES,
        ),
    ] = Collate.DEFAULT
    pin_memory: Annotated[
        bool, ask("pin_memory", "The pinning thread empties /dev/shm faster.")
    ] = False
    persistent_workers: Annotated[
        bool, ask("persistent_workers", "Workers stay alive between epochs.")
    ] = False
    held_batches: Annotated[
        Whole,
        ask(
            "Batches you keep",
            "1 in a plain for loop; 0 if you delete the batch before the next one; more if you "
            "collect batches.",
            ge=0,
            le=10**6,
        ),
    ] = 1
    returns_dataset_tensors: Annotated[
        bool,
        ask(
            "Returns the dataset's own tensors",
            "Items are tensors, or views of one, that the dataset keeps, and nothing copies them. "
            "Then each worker moves the whole dataset to /dev/shm.",
        ),
    ] = False
    early_breaks: Annotated[
        Whole,
        ask(
            "Early breaks",
            "How often the loop leaves before the end of an epoch, next(iter(loader)) included.",
            ge=0,
            le=10**6,
        ),
    ] = 0
    queue_size: Annotated[
        Annotated[Whole, Field(ge=1, le=10**6)] | None,
        BlankIsNone,
        ask(
            "Queue of its own",
            "For loaders that are no DataLoader: processes that fill one bounded queue "
            "(batchgenerators, nnU-Net). Empty: a DataLoader.",
        ),
    ] = None

    @property
    def samples(self) -> int:
        """Samples that travel together."""
        return 1 if self.batch_size is None else self.batch_size

    @property
    def copies(self) -> bool:
        """Whether collating makes new tensors, one a field."""
        return self.batch_size is not None and self.collate in {
            Collate.DEFAULT,
            Collate.STACK,
            Collate.OWN,
        }

    @property
    def shares_storages(self) -> bool:
        """Whether what is said of views and common storages holds for what travels.

        default_collate and torch.stack copy each field by itself, so for them it does not.
        """
        return self.batch_size is None or self.collate in {Collate.LIST, Collate.OWN}

    @property
    def copies_late(self) -> bool:
        """Whether a worker's tensors reach shared memory only when its queue sends them.

        `default_collate` allocates there itself; every other tensor is copied by the
        queue's feeder thread, which loses the batch when there is no room.
        """
        in_place = self.batch_size is not None and self.collate is Collate.DEFAULT
        return self.num_workers > 0 and self.collate is not Collate.NUMPY and not in_place

    @property
    def moves_dataset(self) -> bool:
        """Whether what travels are the dataset's own storages."""
        return self.returns_dataset_tensors and not self.copies

    @property
    def prefetch(self) -> int:
        """prefetch_factor as PyTorch reads it."""
        return DEFAULT_PREFETCH if self.prefetch_factor is None else self.prefetch_factor
