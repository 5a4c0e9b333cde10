"""The memory model: what a job's DataLoaders put into /dev/shm, as named terms.

`segments` says what one batch occupies, `live` what one loader holds, `moments` which
loaders are full together; here it is multiplied by the ranks, and what stays for the
whole run is added: tensors of the dataset, and what early breaks leave behind.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from calculator.live import LoaderUse, loader_use
from calculator.moments import Moment, moments
from calculator.segments import header_bytes
from calculator.terms import Factor, Term, term
from calculator.units import ceil_to
from calculator.workload import StartMethod, Strategy, Workload


@dataclass(frozen=True)
class Footprint:
    """What the DataLoaders of all processes put into the /dev/shm they share.

    Attributes:
        uses: one entry per loader, for one process.
        peak_bytes: the strict bound, all processes.
        steady_bytes: what `df` shows, all processes.
        first_round_bytes: one batch of every worker of the fullest loader, all processes.
        fullest: the time of the run that `peak_bytes` is about, for one process.
        terms: summands of `peak_bytes`.
        lasting: those of them that are there at any time, not only at the fullest.
    """

    uses: tuple[LoaderUse, ...]
    peak_bytes: int
    steady_bytes: int
    first_round_bytes: int
    fullest: Moment
    terms: tuple[Term, ...]
    lasting: tuple[Term, ...]


def footprint(workload: Workload) -> Footprint:
    """Apply the memory model to a job."""
    uses = _uses(workload)
    times = moments(workload, uses)
    fullest = _fullest(times)
    lasting = _lasting(workload, uses)
    stays = sum(each.bytes for each in lasting)
    return Footprint(
        uses=uses,
        peak_bytes=_peak(workload, fullest, lasting),
        steady_bytes=workload.ranks * max(moment.steady_bytes for moment in times) + stays,
        first_round_bytes=workload.ranks
        * max(use.loader.num_workers * use.batch_bytes for use in uses),
        fullest=fullest,
        terms=_present(_moment_terms(workload.ranks, fullest)) + lasting,
        lasting=lasting,
    )


def _present(terms: Iterable[Term]) -> tuple[Term, ...]:
    return tuple(each for each in terms if each.bytes)


def peak_bytes(workload: Workload) -> int:
    """Return `footprint(workload).peak_bytes` alone, for searches that ask hundreds of times."""
    uses = _uses(workload)
    return _peak(workload, _fullest(moments(workload, uses)), _lasting(workload, uses))


def _uses(workload: Workload) -> tuple[LoaderUse, ...]:
    return tuple(loader_use(workload, loader) for loader in workload.loaders)


def _fullest(times: Iterable[Moment]) -> Moment:
    return max(times, key=lambda moment: moment.peak_bytes)


def _peak(workload: Workload, fullest: Moment, lasting: Iterable[Term]) -> int:
    return workload.ranks * fullest.peak_bytes + sum(each.bytes for each in lasting)


# ---------------------------------------------------------------- what stays


def _lasting(workload: Workload, uses: Iterable[LoaderUse]) -> tuple[Term, ...]:
    return _present([*_dataset_terms(workload), *_leak_terms(workload, uses)])


def _dataset_terms(workload: Workload) -> Iterable[Term]:
    """Tensors that the dataset keeps.

    spawn and forkserver pickle the dataset to the workers, which moves its tensors to
    /dev/shm once per process; under fork they are inherited, but a worker that returns
    them uncopied moves the whole of them there itself.
    """
    ranks = (workload.ranks, "ranks")
    size = (dataset_bytes(workload), "bytes")
    if not any(loader.num_workers for loader in workload.loaders):
        return
    if workload.effective_start_method is not StartMethod.FORK:
        why = "spawn and forkserver move them to /dev/shm once per process; they stay."
        yield term("dataset", "Tensors held by the dataset", [ranks, size], why, "measured")
        return
    for loader in workload.loaders:
        if loader.moves_dataset:
            yield term(
                f"dataset-{loader.name}",
                f"Dataset moved by the workers of {loader.name}",
                [ranks, (loader.num_workers, "workers"), size],
                "Each worker returns the dataset's own tensors uncopied and so moves all of "
                "them to /dev/shm.",
                "measured",
            )


def dataset_bytes(workload: Workload) -> int:
    """Bytes that the dataset's tensors occupy once they are in /dev/shm.

    Each of them is rounded to pages on its own; of several only the sum is known, so all
    but one are taken to waste a page.
    """
    if not workload.dataset_tensor_bytes:
        return 0
    page, number = workload.page_bytes, workload.dataset_tensors
    raw = workload.dataset_tensor_bytes + number * header_bytes(workload)
    return ceil_to(raw, page) + (number - 1) * page


def _leak_terms(workload: Workload, uses: Iterable[LoaderUse]) -> Iterable[Term]:
    """What `file_system` leaves behind when a loop is left early: the undelivered batches."""
    if workload.sharing_strategy is not Strategy.FILE_SYSTEM:
        return
    for use in uses:
        yield term(
            f"leak-{use.loader.name}",
            f"Left behind by early breaks of {use.loader.name}",
            [
                (workload.ranks, "ranks"),
                (use.loader.early_breaks, "breaks"),
                *use.queue,
                (use.batch_bytes, "bytes a batch"),
            ],
            "Under file_system batches that were not delivered stay until the process ends.",
            "measured",
        )


# ---------------------------------------------------------------- what comes and goes


def _moment_terms(ranks: int, moment: Moment) -> Iterable[Term]:
    of_all = (ranks, "ranks")
    several = len(moment.active) + len(moment.leftover) + len(moment.stalled) > 1
    for use in moment.active:
        yield from _active_terms(of_all, use, f" ({use.loader.name})" if several else "")
    for use in moment.leftover:
        yield term(
            f"leftover-{use.loader.name}",
            f"Last batch of {use.loader.name}",
            [of_all, (use.held, "held"), (use.batch_bytes, "bytes a batch")],
            "The loop variable still names it while the other loader runs.",
            "measured",
        )
    for use in moment.stalled:
        yield term(
            f"stalled-{use.loader.name}",
            f"Queue of {use.loader.name} after a break",
            [of_all, *use.queue, (use.batch_bytes, "bytes a batch")],
            "persistent_workers keeps what was prefetched until the next epoch starts.",
            "pytorch-dataloader-code",
        )
    for use in (*moment.idle, *moment.stalled):
        yield term(
            f"idle-{use.loader.name}",
            f"Idle workers of {use.loader.name}",
            [of_all, (use.semaphore_bytes, "bytes of semaphores")],
            "persistent_workers keeps their queues' semaphores between epochs.",
            "measured",
        )


def _active_terms(of_all: Factor, use: LoaderUse, suffix: str) -> Iterable[Term]:
    name, batch = use.loader.name, (use.batch_bytes, "bytes a batch")
    yield term(
        f"queued-{name}",
        f"Queued batches{suffix}",
        [of_all, *use.queue, batch],
        "The processes fill a bounded queue; a thread of the main process empties it."
        if use.loader.queue_size
        else "Each worker may have prefetch_factor batches made or in the making; "
        "PyTorch asks for no more until one is taken.",
        "batchgenerators-queue" if use.loader.queue_size else "pytorch-dataloader-code",
    )
    yield term(
        f"held-{name}",
        f"Held by your loop{suffix}",
        [of_all, (use.held, "held"), batch],
        "The batch in use keeps its shared memory until the variable is rebound.",
        "measured",
    )
    yield term(
        f"handover-{name}",
        f"Being handed over{suffix}",
        [of_all, (use.spike, "handed over"), batch],
        "A fast worker starts the next batch before the old one is freed: "
        "df rarely shows it, a crash does.",
        "measured",
    )
    yield term(
        f"semaphores-{name}",
        f"Queues and semaphores{suffix}",
        [of_all, (use.semaphore_bytes, "bytes of semaphores")],
        "Every lock and queue of the loader takes one page: 8, and 3 more per worker.",
        "measured",
    )
