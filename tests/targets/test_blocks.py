"""Configuration blocks: right size, right grammar, nothing that contradicts itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from calculator import blocks, presets, report
from calculator.units import GRAMMARS, MIB, read_docker, read_kubernetes
from calculator.workload import parse
from tests.targets.readers import READERS, SIZELESS
from tests.targets.readers.words import argv, yaml
from tests.targets.rendered import block

GOLDEN = Path(__file__).parent / "golden"
SIZES = [1, 4096, 63 * MIB, 64 * MIB, 5_550_112_768, 8 << 30, (1 << 40) + 1]


def test_every_target_has_a_reader_or_no_size() -> None:
    assert set(blocks.target_ids()) == set(READERS) | SIZELESS


@pytest.mark.parametrize("target", blocks.target_ids())
def test_what_stands_on_the_page_is_what_we_looked_at(target) -> None:
    """Golden files were read by a person; a change must be read again."""
    assert block(target).text == (GOLDEN / f"{target}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("target", READERS)
@pytest.mark.parametrize("shm", SIZES)
def test_the_platform_reads_at_least_the_size_asked_for(target, shm) -> None:
    assert shm <= READERS[target](block(target, shm=shm).text) < shm + MIB


@pytest.mark.parametrize("target", READERS)
@pytest.mark.parametrize("preset", presets.preset_ids())
def test_the_platform_reads_at_least_what_we_recommend(target, preset) -> None:
    found = report.build(presets.load(preset).workload, targets=[target])
    (written,) = found.targets
    assert written.shm_bytes <= READERS[target](written.text) < written.shm_bytes + MIB
    if written.ranks == presets.load(preset).workload.ranks:
        assert written.shm_bytes == found.shm.recommended_bytes


@pytest.mark.parametrize("target", blocks.target_ids())
def test_every_block_says_how_to_check_it_and_when_it_applies(target) -> None:
    found = block(target)
    assert found.verify
    assert found.recreate
    assert found.caveats
    assert found.size in {*GRAMMARS, "none"}
    assert (found.size == "none") == (target in SIZELESS)


@pytest.mark.parametrize("target", blocks.target_ids())
def test_a_size_and_host_ipc_never_stand_together(target) -> None:
    text = block(target).text
    host = "--ipc=host" in text or "ipc: host" in text or "hostIPC" in text
    sized = "shm-size" in text or "shm_size" in text or "sizeLimit" in text
    assert not (host and sized)
    assert "version:" not in text.replace("apiVersion:", "")


@pytest.mark.parametrize("preset", presets.preset_ids())
@pytest.mark.parametrize("given", [None, "1g", "4t"])
@pytest.mark.parametrize("target", ["kubernetes-pod", "helm"])
def test_kubernetes_never_clips_the_size(preset, given, target) -> None:
    workload = presets.load(preset).workload.model_dump(mode="json")
    found = report.build(parse({**workload, "memory_limit": given}), targets=[target])
    document = yaml(found.targets[0].text)
    resources = (
        document["resources"]
        if target == "helm"
        else document["spec"]["containers"][0]["resources"]
    )
    limit = read_kubernetes(resources["limits"]["memory"])
    assert limit >= found.memory.limit_bytes > found.shm.recommended_bytes
    assert limit >= (parse({"memory_limit": given}).memory_limit or 0)
    assert resources["requests"]["memory"] == resources["limits"]["memory"]


@pytest.mark.parametrize("target", ["docker-run", "podman-run", "docker-run-ipc-host"])
def test_a_memory_limit_stands_in_a_command_only_if_there_is_one(target) -> None:
    assert "--memory" not in block(target).text
    (limit,) = [w for w in argv(block(target, memory_limit="1g").text) if w.startswith("--memory=")]
    assert read_docker(limit.removeprefix("--memory=")) == block_limit(memory_limit="1g")


def block_limit(**values: object) -> int:
    return report.build(parse(values), targets=[]).memory.limit_bytes


def test_compose_carries_the_limit_too() -> None:
    service = yaml(block("compose", memory_limit="900g").text)["services"]["trainer"]
    assert read_docker(service["mem_limit"]) == 900 << 30


@pytest.mark.parametrize(
    "target", ["docker-run", "podman-run", "compose", "kubernetes-pod", "helm"]
)
def test_without_a_gpu_none_is_asked_for(target) -> None:
    text = block(target, accelerator=False).text
    assert "gpu" not in text
    assert "nvidia" not in text


@pytest.mark.parametrize("target", ["dataloader-arguments", "sharing-strategy"])
@pytest.mark.parametrize(
    "values",
    [
        {},
        {"loaders": [{"num_workers": 0}]},
        {"loaders": [{"name": "'; import os #"}, {"name": "2nd loader"}, {"name": "класс"}]},
    ],
)
def test_python_blocks_are_python(target, values) -> None:
    ast.parse(block(target, **values).text)


def test_without_workers_no_prefetch_is_passed_that_pytorch_refuses() -> None:
    text = block("dataloader-arguments", loaders=[{"num_workers": 0}]).text
    assert "prefetch_factor" not in text
    assert "timeout" not in text


def test_two_loaders_never_get_one_name_in_code() -> None:
    names = [
        {"name": "學習"},
        {"name": "驗證"},
        {"name": "a b"},
        {"name": "a_b"},
        {"name": "a_b_6"},
        {"name": "a b"},
    ]
    text = block("dataloader-arguments", loaders=names).text
    assigned = [line.split(" = ")[0] for line in text.splitlines() if " = DataLoader(" in line]
    assert len(set(assigned)) == len(names)


def test_the_loader_in_code_is_the_one_described() -> None:
    text = block("dataloader-arguments", loaders=[{"collate": "list"}], start_method="spawn").text
    assert "collate_fn=" in text
    assert 'multiprocessing_context="spawn"' in text
