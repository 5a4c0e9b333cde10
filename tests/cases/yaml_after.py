"""The state of a mended file, read by a reader of its own, against what a case expects."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from ruamel.yaml import YAML

from calculator.manifests import Mended
from calculator.units import MIB
from tests.support import shm_of

_PLACES: Final = {"doc", "pod_path", "template", "container", "service", "path", "via", "note"}


def check_after(rows: list[dict[str, Any]], found: Mended) -> list[str]:
    """Return what is not as expected, one sentence each."""
    documents = [each for each in YAML(typ="safe", pure=True).load_all(found.text) if each]
    return [f"{_where(row)}: {text}" for row in rows for text in _row(row, documents, found)]


def _where(row: dict[str, Any]) -> str:
    return str(row.get("service") or row.get("pod_path") or row.get("path") or row.get("doc"))


def _row(row: dict[str, Any], documents: list[Any], found: Mended) -> list[str]:
    if "service" in row:
        service = shm_of.service(documents[0], row["service"])
        return _checks(row, lambda key: _compose(key, service))
    if "path" in row:
        return _at_path(row, documents)
    if "override" in row:
        return _override(row, _doc(row, documents))
    if "mount_at" in row:
        return _kserve(row, _doc(row, documents))
    try:
        pod = _pod(row, documents)
    except (KeyError, IndexError, TypeError, StopIteration) as error:
        return [f"no pod there ({error!r})"]
    return _checks(row, lambda key: _kubernetes(key, pod, row.get("container", ""), found))


def _checks(row: dict[str, Any], value: Callable[[str], Any]) -> list[str]:
    """Compare every key of a row with what is there; a suffix says how."""
    wrong = []
    for key, expected in row.items():
        if key in _PLACES or key == "accept_paths":
            continue
        name = re.sub(r"_(?:in|not|matches)$", "", key)
        try:
            there = value(name)
        except LookupError as error:
            wrong.append(f"nobody checks {key} ({error})")
            continue
        if key.endswith("_in"):
            fits = any(_fits(name, each, there) for each in expected)
        elif key.endswith("_not"):
            fits = not _fits(name, expected, there)
        elif key.endswith("_matches"):
            fits = re.search(expected, str(there)) is not None
        else:
            fits = _fits(name, expected, there)
        if not fits:
            wrong.append(f"{key} is {there!r}, not {expected!r}")
    return wrong


def _fits(name: str, expected: Any, there: Any) -> bool:
    if name == "absent_keys":
        return not set(expected) & set(there)
    if isinstance(expected, dict):
        return isinstance(there, dict) and not _checks(expected, lambda key: there[key])
    if "bytes" in name and isinstance(expected, int) and isinstance(there, int):
        return expected <= there < expected + MIB
    return bool(expected == there)


def _compose(key: str, service: dict[str, Any]) -> Any:
    simple: dict[str, Callable[[], Any]] = {
        "shm_size_bytes": lambda: shm_of.compose_size(service.get("shm_size")),
        "effective_shm_bytes": lambda: shm_of.compose_effective(service),
        "single_mount_on_dev_shm": lambda: (
            shm_of.compose_mounts(service) == 1
            or (shm_of.compose_mounts(service) == 0 and "shm_size" in service)
        ),
        "tmpfs_volume_on_dev_shm": lambda: shm_of.tmpfs_volume(service) is not None,
        "absent_keys": lambda: list(service),
    }
    return simple[key]() if key in simple else service.get(key)


def _doc(row: dict[str, Any], documents: list[Any]) -> Any:
    doc = row.get("doc", 0)
    return documents[doc] if isinstance(doc, int) else documents[0]


def _pod(row: dict[str, Any], documents: list[Any]) -> dict[str, Any]:
    named = row.get("template")
    path: list[Any] = row.get("pod_path") or (named if isinstance(named, list) else [])
    many = [_doc(row, documents)] if isinstance(row.get("doc", 0), int) else documents
    for each in many:
        try:
            pod = shm_of.follow(each, path)
            if named and "containers" not in pod:
                pod = pod["spec"]
            if not row.get("container") or shm_of.container(pod, row["container"]):
                return dict(pod)
        except (KeyError, IndexError, TypeError, StopIteration):
            if each is many[-1]:
                raise
    raise KeyError(row.get("container"))


def _kubernetes(key: str, pod: dict[str, Any], name: str, found: Mended) -> Any:
    container = shm_of.container(pod, name) or {}
    mount = shm_of.mount(container)
    simple: dict[str, Callable[[], Any]] = {
        "shm": lambda: shm_of.pod_shm(pod, container),
        "volumes_total": lambda: len(pod.get("volumes") or []),
        "mounts_total": lambda: len(container.get("volumeMounts") or []),
        "volume_name": lambda: (mount or {}).get("name"),
        "init_mounts_total": lambda: sum(
            len(each.get("volumeMounts") or []) for each in pod.get("initContainers") or []
        ),
        "mount_read_only": lambda: (mount or {}).get("readOnly"),
        "host_ipc": lambda: pod.get("hostIPC"),
        "absent_keys": lambda: [*pod, *container],
        "line_ends": lambda: "crlf" if "\r\n" in found.text else "lf",
    }
    return simple[key]()


def _at_path(row: dict[str, Any], documents: list[Any]) -> list[str]:
    try:
        there = shm_of.follow(_doc(row, documents), row["path"])
    except (KeyError, IndexError, TypeError, StopIteration) as error:
        if "absent" in row or row.get("equals", "") is None:
            return []
        return [f"nothing there ({error!r})"]
    wrong = []
    for key, expected in row.items():
        if key == "equals":
            wrong += [] if _equals(expected, there) else [f"is {there!r}, not {expected!r}"]
        elif key in {"bytes", "size_bytes"}:
            read = shm_of.any_size(there)
            wrong += [] if _fits("bytes", expected, read) else [f"is {there!r}, not {expected}"]
        elif key == "bytes_in":
            read = shm_of.any_size(there)
            fits = any(_fits("bytes", each, read) for each in expected)
            wrong += [] if fits else [f"is {there!r}, not of {expected}"]
        elif key not in {"doc", "path", "note"}:
            wrong.append(f"nobody checks {key}")
    return wrong


def _equals(expected: Any, there: Any) -> bool:
    if not isinstance(expected, dict):
        return bool(expected == there)
    for key, value in expected.items():
        if key.endswith("_bytes"):
            if not _fits(key, value, shm_of.any_size(there.get(key.removesuffix("_bytes")))):
                return False
        elif not _equals(value, there.get(key)):
            return False
    return True


def _override(row: dict[str, Any], document: Any) -> list[str]:
    wanted = row["override"]
    for path in row["accept_paths"]:
        try:
            patches = shm_of.follow(document, path)
        except (KeyError, TypeError):
            continue
        for job, pod in shm_of.patched_pods(patches):
            container = shm_of.container(pod, wanted["container"])
            if job == wanted["target_job"] and container:
                there = shm_of.pod_shm(pod, container)
                return [] if _fits("shm", wanted["shm"], there) else [f"{there!r}"]
    return ["no override of that job and container"]


def _kserve(row: dict[str, Any], document: Any) -> list[str]:
    try:
        mounts = shm_of.follow(document, row["mount_at"])
    except (KeyError, TypeError) as error:
        return [f"no mount there ({error!r})"]
    for path in row["volume_at_one_of"]:
        try:
            volumes = shm_of.follow(document, path)
        except (KeyError, TypeError):
            continue
        there = shm_of.pod_shm({"volumes": volumes}, {"volumeMounts": mounts})
        if _fits("shm", row["shm"], there):
            return []
    return ["no volume of that size there"]
