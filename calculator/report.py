"""The whole answer, one model: from a workload to sizes, reasons, risk and blocks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from pydantic import PrivateAttr, computed_field

from calculator import blocks, link
from calculator.blocks import Block
from calculator.container import Sharing, container
from calculator.crash import Crash, likely_crash
from calculator.descriptors import Descriptors
from calculator.header import Origin
from calculator.live import LoaderUse
from calculator.notices import Case, Notice, notices
from calculator.recommend import Memory, Model, Step
from calculator.risk import Risk, judge
from calculator.rules import Rule, rules, times
from calculator.sizing import Sizing, size_job
from calculator.spread import Spread, spread
from calculator.terms import Term
from calculator.workload import DEFAULT_SHM_BYTES, Workload


class Shm(Model):
    """The /dev/shm that all processes of the job share, in bytes.

    `peak_bytes` is the strict bound of the DataLoaders alone, `steady_bytes` the same as
    `df` shows it; `need_bytes` adds every other user, and `terms` sum to it.  `range` is where the
    need can lie if the input leaves that open.
    """

    peak_bytes: int
    steady_bytes: int
    need_bytes: int
    range: Spread | None
    recommended_bytes: int
    current_bytes: int
    times_default: str
    terms: tuple[Term, ...]
    steps: tuple[Step, ...]


class LoaderFigures(Model):
    """One loader of one process, in bytes; `item_bytes` is raw, the rest page-rounded.

    `queued_bytes` is what waits in all its queues.  A loader that is no DataLoader has one
    that its workers share: `queue_per_worker_bytes` says nothing about it.
    """

    name: str
    item_bytes: int
    batch_bytes: int
    queue_per_worker_bytes: int
    queued_bytes: int
    shared_queue: bool
    in_flight_batches: int
    peak_bytes: int
    tensors_per_batch: int


class Report(Model):
    """The answer.  The figures at the top are those of the first loader.

    `link` is the workload as `calculator.link` writes it.  What takes long and few look at
    is worked out when it is first looked at.
    """

    _sizing: Sizing = PrivateAttr()

    link: str
    shm: Shm
    item_bytes: int
    batch_bytes: int
    queue_per_worker_bytes: int
    per_rank_bytes: int
    loaders: tuple[LoaderFigures, ...]
    memory: Memory
    descriptors: Descriptors
    risk: Risk
    targets: tuple[Block, ...]

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def notices(self) -> tuple[Notice, ...]:
        """What to know about this job."""
        case = Case(sizing=self._sizing, memory=self.memory, descriptors=self.descriptors)
        return tuple(notices(case))

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def crash(self) -> Crash:
        """What a failure would look like."""
        return likely_crash(self._sizing.workload)

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """What rules of thumb say about the same job."""
        return tuple(rules(self._sizing))


def build(
    workload: Workload,
    *,
    shm_bytes: int | None = None,
    targets: Sequence[str] | None = None,
    base: str = "",
) -> Report:
    """Run the pipeline.

    Args:
        workload: the job.
        shm_bytes: render the blocks for this size instead of the recommended one.
        targets: ids of the blocks to render; by default all.
        base: address of the page that the blocks lead back to, or "".

    Raises:
        InputError: the job's total is beyond what any platform can spell, or `base` no address.
        UnknownTargetError: a target that does not exist.
    """
    sizing = size_job(workload)
    origin = Origin(link.write(workload), base)
    found = sizing.footprint
    whole = container(sizing, Sharing.ALL, shm_bytes)
    figures = tuple(_loader_figures(use) for use in found.uses)
    report = Report(
        link=origin.link,
        shm=_shm(sizing),
        item_bytes=figures[0].item_bytes,
        batch_bytes=figures[0].batch_bytes,
        queue_per_worker_bytes=figures[0].queue_per_worker_bytes,
        per_rank_bytes=found.peak_bytes // workload.ranks,
        loaders=figures,
        memory=whole.memory,
        descriptors=whole.descriptors,
        risk=judge(
            current=workload.current_shm,
            first_round=found.first_round_bytes,
            steady=sizing.steady_need_bytes,
            need=sizing.need_bytes,
            roomy=sizing.roomy_bytes,
        ),
        targets=tuple(
            blocks.render(target, sizing, origin=origin, shm_bytes=shm_bytes)
            for target in (blocks.target_ids() if targets is None else targets)
        ),
    )
    report._sizing = sizing  # noqa: SLF001
    return report


def _shm(sizing: Sizing) -> Shm:
    return Shm(
        peak_bytes=sizing.footprint.peak_bytes,
        steady_bytes=sizing.footprint.steady_bytes,
        need_bytes=sizing.need_bytes,
        range=spread(sizing),
        recommended_bytes=sizing.recommended_bytes,
        current_bytes=sizing.workload.current_shm,
        times_default=times(sizing.need_bytes, DEFAULT_SHM_BYTES),
        terms=sizing.terms,
        steps=sizing.steps,
    )


def _loader_figures(use: LoaderUse) -> LoaderFigures:
    return LoaderFigures(
        name=use.loader.name,
        item_bytes=sum(field.item_bytes for field in use.loader.fields),
        batch_bytes=use.batch_bytes,
        queue_per_worker_bytes=use.queue_per_worker_bytes,
        queued_bytes=use.queued_bytes,
        shared_queue=use.loader.queue_size is not None,
        in_flight_batches=use.in_flight,
        peak_bytes=use.peak_bytes,
        tensors_per_batch=use.tensors,
    )
