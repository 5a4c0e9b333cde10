"""What an audit says of the services of a Compose file."""

from __future__ import annotations

from collections.abc import Iterator

from calculator.manifests import literals
from calculator.manifests.compose import candidate
from calculator.manifests.findings import Needs, Place, Row, UnknownWorkloadError
from calculator.manifests.mounts import size_on_shm
from calculator.manifests.service import Service
from calculator.manifests.tree import Document
from calculator.units import size
from calculator.workload import DEFAULT_SHM_BYTES

_LABEL = "shm-sizer/workload"


def rows(file: str, document: Document, needs: Needs) -> Iterator[tuple[str, list[Row]]]:
    """Yield the rows of each service."""
    root = document.root
    services = root.get("services") if root is not None else None
    if root is None or services is None or services.kind != "map":
        return
    for name, value in services.pairs:
        if value.real.kind == "map" and name.text != "<<":
            place = Place(file, name.line, f"service/{name.text}", name.text)
            yield place.owner, list(_rows(place, Service(root, services, name.text), needs))


def _rows(place: Place, service: Service, needs: Needs) -> Iterator[Row]:
    workload = _workload(service)
    try:
        need = needs(place.file, place.owner, workload)
    except UnknownWorkloadError as error:
        yield place.row("unknown_workload", workload=workload or place.owner, why=str(error))
        return
    text = service.say("shm_size")
    if service.say("ipc") == "host":
        yield place.row("host_ipc_security")
        if text:
            yield place.row("ipc_host_makes_shm_size_moot")
        return
    mounted, had = size_on_shm(service.node)
    found = literals.compose(text) if text and not mounted else None
    if found is not None:
        had = found.bytes
        if found.problem:
            yield place.row(found.problem, literal=found.text)
    if need is not None and (had or DEFAULT_SHM_BYTES) < need.bytes:
        values = {"workload": need.workload, "need": size(need.bytes)}
        yield place.row("existing_smaller", had=size(had or DEFAULT_SHM_BYTES), **values)
    elif text is None and not mounted and need is None:
        each = candidate(service)
        likely = each.gpu or each.trains
        yield place.row("no_shm_compose" if likely else "no_shm_serving")
    yield from _memory(place, service, had)


def _workload(service: Service) -> str:
    """Return the workload that a label names."""
    labels = service.get("labels")
    if labels is None:
        return ""
    for item in labels.entries():
        key, _, value = item.text.partition("=")
        if key == _LABEL:
            return value
    return labels.say(_LABEL) or ""


def _memory(place: Place, service: Service, had: int | None) -> Iterator[Row]:
    text = service.say("deploy", "resources", "limits", "memory") or service.say("mem_limit")
    limit = literals.compose(text).bytes if text else None
    if had is not None and limit is not None and had > limit:
        yield place.row("shm_counts_toward_memory", had=size(had), limit=size(limit))
