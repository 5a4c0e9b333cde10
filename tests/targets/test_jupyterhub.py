"""The values for JupyterHub, read by helm into the pod of a user."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from calculator.units import read_kubernetes
from tests.support import kubernetes
from tests.targets.operator_pods import JOBS, decoded
from tests.targets.readers import operators
from tests.targets.readers.words import yaml
from tests.targets.rendered import block

CHART = """\
apiVersion: v1
kind: Pod
metadata:
  name: jupyter
spec:
  containers:
    - name: notebook
      image: {{ printf "%s:%s" .image.name .image.tag | toJson }}
      resources:
        limits: {{ merge (dict "memory" (printf "%vi" .memory.limit)) .extra | toJson }}
        requests: {{ dict "memory" (printf "%vi" .memory.guarantee) | toJson }}
      volumeMounts: {{ values .storage.extraVolumeMounts | toJson }}
  volumes: {{ values .storage.extraVolumes | toJson }}
"""


def jupyter_pod(text: str, folder: Path) -> dict[str, Any]:
    """The pod of a user: helm reads the values, and a small chart does what the hub does."""
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: a\nversion: 1.0.0\n")
    gpus = '(dig "extraResource" "limits" (dict) .Values.singleuser)'
    server = f'{{{{ with (merge (dict "extra" {gpus}) .Values.singleuser) }}}}\n'
    (folder / "templates" / "pod.yaml").write_text(f"{server}{CHART}{{{{ end }}}}\n")
    values = folder / "config.yaml"
    values.write_text(text, encoding="utf-8")
    done = kubernetes.helm("template", "r", folder, "--values", values)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = yaml(done.stdout)
    return found


@pytest.mark.parametrize("job", JOBS)
def test_helm_reads_the_hubs_values_into_a_pod(job, tmp_path) -> None:
    text = block("jupyterhub", **JOBS[job]).text
    pod = jupyter_pod(text, tmp_path / "chart")
    assert decoded([pod], tmp_path) == "pod/jupyter\n"
    resources = pod["spec"]["containers"][0]["resources"]
    given = yaml(text)["singleuser"]["memory"]
    assert operators.read_jupyterhub(given["limit"]) == read_kubernetes(
        resources["limits"]["memory"]
    )
    assert kubernetes.errors(pod) == []


def test_a_wrong_key_or_size_of_the_hubs_values_would_be_found(tmp_path) -> None:
    text = block("jupyterhub").text
    wrong = jupyter_pod(text.replace("sizeLimit:", "sizelimit:"), tmp_path / "key")
    assert "'sizelimit' was unexpected" in kubernetes.errors(wrong)[0]
    wrong = jupyter_pod(text.replace("sizeLimit: 8Gi", "sizeLimit: 8GB"), tmp_path / "size")
    assert "quantities must match" in decoded([wrong], tmp_path)


@pytest.mark.parametrize(
    ("image", "name", "tag"),
    [
        ("your-image:latest", "your-image", "latest"),
        ("host:5000/a/b", "host:5000/a/b", "latest"),
        ("host:5000/a/b:1.0", "host:5000/a/b", "1.0"),
        ("a/b@sha256:0f", "a/b@sha256", "0f"),
        ('x"; rm / #:$(id) {{ a }} ${{ b }}', 'x"; rm / #', "$(id) {{ a }} ${{ b }}"),
    ],
)
def test_the_hub_puts_the_image_together_again(image, name, tag, tmp_path) -> None:
    text = block("jupyterhub", deployment={"image": image}).text
    assert yaml(text)["singleuser"]["image"] == {"name": name, "tag": tag}
    pod = jupyter_pod(text, tmp_path / "chart")
    wanted = image if tag != "latest" or image.endswith(tag) else f"{image}:latest"
    assert pod["spec"]["containers"][0]["image"] == wanted
