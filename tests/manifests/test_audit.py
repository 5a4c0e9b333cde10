"""An audit: rows of pods and services, what workloads need, streams, reports, the command."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from calculator.__main__ import main
from calculator.errors import InputError
from calculator.manifests import jsonstream, reports
from calculator.manifests.audit import Auditor, audit_text
from calculator.manifests.findings import Need
from calculator.units import GIB


def pod(name: str = "p", *, extra: str = "", container: str = "", volumes: str = "") -> str:
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: ml}}\nspec:\n{extra}"
        f"  containers:\n    - name: main\n      image: example/train\n{container}{volumes}"
    )


MOUNT = "      volumeMounts: [{name: d, mountPath: /dev/shm}]\n"
LIMIT = "      resources: {limits: {memory: %s}}\n"
MEMORY = "  volumes: [{name: d, emptyDir: {medium: Memory, sizeLimit: %s}}]\n"
BARE = "  volumes: [{name: d, emptyDir: {}}]\n"
UNSIZED = "  volumes: [{name: d, emptyDir: {medium: Memory}}]\n"
HOST = "  volumes: [{name: d, hostPath: {path: /dev/shm}}]\n"
TRAINER = (
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: t}\nspec: {}\n"
)


def mounted(limit: str, volumes: str) -> str:
    return pod(container=MOUNT + (LIMIT % limit if limit else ""), volumes=volumes)


ROWS = {
    "no /dev/shm of its own": (pod(), ["no_shm"]),
    "host IPC": (pod(extra="  hostIPC: true\n"), ["host_ipc_security"]),
    "all is well": (mounted("32Gi", MEMORY % "8Gi"), []),
    "clipped": (mounted("4Gi", MEMORY % "8Gi"), ["shm_counts_toward_memory"]),
    "tight": (mounted("9Gi", MEMORY % "8Gi"), ["shm_large_share_of_memory"]),
    "no limit": (mounted("", MEMORY % "8Gi"), ["no_memory_limit"]),
    "no size": (mounted("9Gi", UNSIZED), ["sizelimit_missing"]),
    "disk": (mounted("", BARE), ["wrong_medium"]),
    "the host's": (mounted("", HOST), ["hostpath_shm"]),
    "no such volume": (mounted("", ""), ["volume_missing"]),
    "no quantity": (mounted("9Gi", MEMORY % "8GB"), ["unit_invalid"]),
    "an idle server": (pod().replace("example/train", "nginx"), ["no_shm"]),
    "a service": ("services: {a: {image: torch}}\n", ["no_shm"]),
    "a service of the host": ("services: {a: {image: torch, ipc: host}}\n", ["host_ipc_security"]),
    "a service that is well": ("services: {a: {image: torch, shm_size: 8g}}\n", []),
    "a template": ("containers:\n  {{- if .x }}\n", ["not_read"]),
    "no manifest": ("a: 1\n", []),
    "a job of Trainer": (TRAINER, ["no_shm"]),
}


@pytest.mark.parametrize("name", ROWS)
def test_each_finding(name: str) -> None:
    text, expected = ROWS[name]
    assert [row.id for row in audit_text(text).rows] == expected


def test_a_row_names_object_container_level_and_reason() -> None:
    (row,) = audit_text(pod()).rows
    assert (row.object, row.container, row.level) == ("ml/Pod/p", "main", "warning")
    assert "64 MiB" in row.reason


def test_what_a_workload_needs_is_held_against_size_and_limit() -> None:
    text = pod(container=MOUNT + LIMIT % "32Gi", volumes=MEMORY % "8Gi")
    assert not audit_text(text, lambda *_: Need("w", 8 * GIB)).rows
    (row,) = audit_text(text, lambda *_: Need("w", 8 * GIB + 1)).rows
    assert (row.id, row.level) == ("existing_smaller", "error")
    clipped = pod(container=MOUNT + LIMIT % "8Gi", volumes=MEMORY % "16Gi")
    ids = [row.id for row in audit_text(clipped, lambda *_: Need("w", 9 * GIB)).rows]
    assert ids == ["shm_counts_toward_memory", "existing_smaller"]


# ---------------------------------------------------------------- streams


def cluster(count: int) -> str:
    one = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "managedFields": [{"f:a": {}}] * 50},
        "spec": {"containers": [{"name": "m", "image": "torch"}]},
    }
    body = ",".join(json.dumps(one, indent=1) for _ in range(count))
    return f'{{"apiVersion": "v1", "items": [{body}], "kind": "List", "metadata": {{}}}}'


@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_a_stream_is_read_in_any_pieces(chunk: int) -> None:
    source = io.StringIO(cluster(3))
    found = list(jsonstream.items(lambda _: source.read(chunk)))
    assert [each["kind"] for each in found] == ["Pod"] * 3


STREAMS = {
    "one object": ('{"kind": "Pod"}', 1),
    "one after the other": ('{"kind": "Pod"}\n{"kind": "Job"}', 2),
    "a list": ('[{"kind": "Pod"}, {"kind": "Job"}]', 2),
    "an empty list": ('{"items": [], "kind": "List"}', 0),
}


@pytest.mark.parametrize("name", STREAMS)
def test_streams_of_every_shape(name: str) -> None:
    text, count = STREAMS[name]
    source = io.StringIO(text)
    assert len(list(jsonstream.items(source.read))) == count


BROKEN = ['{"items": [{"a": 1}', '{"items": [{"a" 1}]}', '{"a": 1', "[1, 2", "{,", "[" * 100_000]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_stream_is_one_clear_error(text: str) -> None:
    source = io.StringIO(text)
    with pytest.raises(InputError, match="JSON"):
        list(jsonstream.items(source.read))


def test_ten_thousand_pods_in_flat_memory_and_linear_time() -> None:
    def spent(count: int) -> tuple[float, int]:
        source = io.StringIO(cluster(count))
        auditor = Auditor(lambda *_: Need("w", 1))
        tracemalloc.start()
        started = time.process_time()
        auditor.add_json("-", source.read)
        took, peak = time.process_time() - started, tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert auditor.containers == count
        return took, peak

    short, small = spent(1000)
    long, large = spent(10_000)
    assert long < 20 * short
    assert large < 2 * small


# ---------------------------------------------------------------- reports


def test_sarif_names_rule_level_file_and_line() -> None:
    auditor = Auditor(lambda *_: None)
    auditor.add_text("k8s/a b.yaml", "---\n" + pod())
    (run,) = reports.sarif(auditor.result())["runs"]
    (result,) = run["results"]
    assert result["level"] == "warning"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "no_shm"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "k8s/a%20b.yaml"
    assert place["region"]["startLine"] == 2


def test_junit_is_xml_whatever_the_names() -> None:
    text = pod(name='"<&\\u0001"')
    root = ET.fromstring(reports.junit(audit_text(text)))  # noqa: S314 - our own
    assert root.get("failures") == "1"
    assert root.find(".//failure") is not None


# ---------------------------------------------------------------- the command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    annotated = pod().replace("{name: p,", "{name: p, annotations: {shm-sizer/workload: %s},")
    (tmp_path / "preset.yaml").write_text(annotated % "resnet50-imagenet", "utf-8")
    (tmp_path / "deep" / "file.yaml").write_text(annotated % "job.json", "utf-8")
    (tmp_path / "deep" / "job.json").write_text('{"ranks": 2}', "utf-8")
    (tmp_path / "unknown.yaml").write_text(annotated % "nobody", "utf-8")
    (tmp_path / "outside.yaml").write_text(annotated % "../../etc/x.json", "utf-8")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "README.md").write_text("containers:", "utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    status = main(["audit", *words, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_a_folder_with_workloads_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, found = run(capsys, str(folder))
    ids = {Path(row["file"]).name: row["id"] for row in found["rows"] if row["level"] == "error"}
    assert status == 1
    assert ids == {
        "preset.yaml": "existing_smaller",
        "file.yaml": "existing_smaller",
        "unknown.yaml": "unknown_workload",
        "outside.yaml": "unknown_workload",
    }


def test_a_mapping_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest, mapping = tmp_path / "a.yaml", tmp_path / "map.toml"
    manifest.write_text(pod(container=MOUNT + LIMIT % "32Gi", volumes=MEMORY % "8Gi"), "utf-8")
    mapping.write_text('"Pod/other" = "1g"\n"ml/Pod/*" = "12g"\n', "utf-8")
    status, found = run(capsys, str(manifest), "--map", str(mapping))
    assert status == 1
    assert "12 GiB" in found["rows"][0]["reason"]
    mapping.write_text('p = "8g"\n', "utf-8")
    status, found = run(capsys, str(manifest), "--map", str(mapping))
    counts = {"objects": 1, "containers": 1, "errors": 0, "warnings": 0, "notes": 0}
    assert (status, found) == (0, {"rows": [], "summary": counts})


UNUSABLE = [["no-such-folder"], [".", "--map", "no-such-map"]]


@pytest.mark.parametrize("words", UNUSABLE)
def test_unusable_input_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_kubectl_output_on_standard_input() -> None:
    command = [sys.executable, "-m", "calculator", "audit", "-"]
    done = subprocess.run(command, input=cluster(3), text=True, capture_output=True, check=False)
    assert done.returncode == 1
    assert "3 containers of 3 objects" in done.stdout


def test_what_powershell_writes_is_audited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "pods.yaml"
    file.write_bytes(pod().encode("utf-16"))
    assert main(["audit", str(file), "--json"]) == 1
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 1
