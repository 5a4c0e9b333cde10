"""Mended files in the programs that read them: Compose, kubectl, the published types, operators."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from calculator.manifests import mend
from calculator.units import GIB
from tests.manifests.test_yaml_cases import CASES
from tests.support import docker, kubernetes, shm_of

SIZE = 8 * GIB
COMPOSE = [
    case
    for case in CASES
    if case["expected"]["format"] == "compose"
    and case["expected"]["action"] == "patch"
    and "include:" not in case["input"]
    and "common.yaml" not in case["input"]
]
OBJECTS = [
    case
    for case in CASES
    if case["expected"]["format"] == "kubernetes"
    and case["expected"]["action"] in {"patch", "no_change_or_patch"}
]


def mended(case: dict[str, Any]) -> str:
    request = dict(case["request"])
    found = mend(
        case["input"],
        request.pop("shm_bytes"),
        container=request.pop("container", None),
        given=request,
    )
    return found.text


def documents(text: str) -> list[Any]:
    found = [each for each in YAML(typ="safe", pure=True).load_all(text) if each]
    return [part for each in found for part in each.get("items", [each])]


@pytest.mark.parametrize("case", COMPOSE, ids=[case["id"] for case in COMPOSE])
def test_compose_reads_the_size(case: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "compose.yaml"
    text = mended(case)
    file.write_bytes(text.encode())
    done = docker.compose_config(file)
    assert done.returncode == 0, done.stderr
    services = json.loads(done.stdout)["services"]
    sizes = [shm_of.compose_effective(service) for service in services.values()]
    assert any(int(str(size)) >= SIZE for size in sizes if str(size).isdecimal()), sizes


SWARM = next(case for case in CASES if case["id"] == "compose-swarm-stack")


def test_swarm_reads_the_size(tmp_path: Path) -> None:
    file = tmp_path / "stack.yaml"
    file.write_text(mended(SWARM), "utf-8")
    done = docker.stack_config(file)
    assert done.returncode == 0, done.stderr
    service = YAML(typ="safe", pure=True).load(done.stdout)["services"]["trainer"]
    assert shm_of.compose_effective(service) == SIZE


CORE = {"v1", "apps/v1", "batch/v1"}


def schema_of(document: dict[str, Any]) -> bool:
    group, _, version = document["apiVersion"].rpartition("/")
    return (group, version, document["kind"]) in kubernetes.operators()


@pytest.mark.parametrize("case", OBJECTS, ids=[case["id"] for case in OBJECTS])
def test_kubernetes_and_operators_accept_what_they_accepted(case: dict[str, Any]) -> None:
    before, after = documents(case["input"]), documents(mended(case))
    for old, new in zip(before, after, strict=True):
        if new["apiVersion"] in CORE:
            assert set(kubernetes.errors(new)) <= set(kubernetes.errors(old))
        elif schema_of(new):
            assert set(kubernetes.operator_errors(new)) <= set(kubernetes.operator_errors(old))


DECODED = [
    case
    for case in OBJECTS
    if all(each["apiVersion"] in CORE for each in documents(case["input"]))
    and "kustomize" not in case["id"]
]


@pytest.mark.parametrize("case", DECODED, ids=[case["id"] for case in DECODED])
def test_kubectl_decodes_the_file(case: dict[str, Any], tmp_path: Path) -> None:
    manifest = tmp_path / "manifest.yaml"
    manifest.write_bytes(mended(case).encode())
    done = kubernetes.decode(manifest)
    said = [line for line in done.stderr.splitlines() if line and "is not a pod" not in line]
    assert not said
    assert done.stdout
