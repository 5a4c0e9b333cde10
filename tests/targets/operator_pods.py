"""The pods that a block of an operator makes, ready for Kubernetes' own checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from calculator.units import GIB
from tests.support import kubernetes
from tests.targets.readers import operators
from tests.targets.readers.words import yaml


def pods(target: str, text: str) -> list[dict[str, Any]]:
    """Every pod that an object makes, as a Pod; what an operator fills in is filled in."""
    document = yaml(text)
    specs = operators.pod_specs(document)
    if target == "argo-workflow":
        (template,) = document["spec"]["templates"]
        container = {"name": "main", **template["container"]}
        specs = [{"containers": [container], "volumes": template["volumes"]}]
    if target == "trainjob":
        trainer = document["spec"]["trainer"]
        (container,) = specs[0]["containers"]
        own = {key: trainer[key] for key in ("image", "command")}
        specs[0]["containers"] = [{**container, **own, "resources": trainer["resourcesPerNode"]}]
    head = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
    return [{**head, "spec": spec} for spec in specs]


def decoded(pods: list[dict[str, Any]], folder: Path) -> str:
    """What kubectl makes of pods: a line with the name of each, or why one is none."""
    manifest = folder / "pods.yaml"
    manifest.write_text("\n---\n".join(map(json.dumps, pods)), encoding="utf-8")
    done = kubernetes.decode(manifest)
    return done.stderr or done.stdout


OWN_TYPES = ["pytorchjob", "trainjob", "clustertrainingruntime", "raycluster", "rayjob", "volcano"]
"""Targets whose operator's own type is at hand."""
ALL = [*OWN_TYPES, "argo-workflow", "jupyterhub", "kubeflow-notebook"]
PODS = [target for target in ALL if target != "jupyterhub"]
JOBS: dict[str, dict[str, Any]] = {
    "usual": {},
    "one process without a GPU": {"ranks": 1, "accelerator": False},
    "many nodes": {"job_ranks": 32, "deployment": {"namespace": "team-a", "ranks_per_pod": 8}},
    "two in a pod": {"ranks": 4, "deployment": {"ranks_per_pod": 2, "gpus": 3}},
    "Ray's objects": {"ray_object_store_bytes": 4 * GIB, "memory_limit": "900g"},
    "no workers": {"loaders": [{"num_workers": 0}]},
}
