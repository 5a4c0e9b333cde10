"""Kubernetes without a cluster: its published types, kubectl, helm, and operators' own types."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import kubernetes_validate
import yaml
from jsonschema import Draft202012Validator

from tests.support.components import component, missing, run

VERSIONS = ("1.29", "1.33", "1.37")


def errors(document: dict[str, Any]) -> list[str]:
    """Return what these versions of Kubernetes would refuse or drop: wrong types, unknown keys.

    Sizes and references between parts are not looked at: `decode` reads sizes.
    """
    found = []
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(document, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            found.append(f"{version}: {error.json_path}: {error.message}")
        except kubernetes_validate.SchemaNotFoundError as error:
            found.append(error.message)
    return found


def kubectl(*arguments: str | Path) -> CompletedProcess[str]:
    """Run kubectl without a cluster."""
    return run([component("kubectl"), *arguments], env={"KUBECONFIG": os.devnull})


def decode(manifest: Path) -> CompletedProcess[str]:
    """Read an object that runs pods into Kubernetes' own types, and print KIND/NAME.

    Refuses a size that is none; an unknown key passes: `errors` finds that.
    """
    return kubectl("set", "env", "--local", "-f", manifest, "A=b", "-o", "name")


def kustomize(folder: Path) -> CompletedProcess[str]:
    """Print the objects that a kustomization builds."""
    return kubectl("kustomize", folder)


def helm(*arguments: str | Path) -> CompletedProcess[str]:
    """Run helm: `template NAME CHART --values FILE`, `lint CHART --values FILE`."""
    return run([component("helm"), *arguments], env={"KUBECONFIG": os.devnull})


def operator_errors(document: dict[str, Any]) -> list[str]:
    """Return what an operator's own type (RayCluster, PyTorchJob, ...) would refuse or drop.

    Raises:
        KeyError: there is no schema of this type.
    """
    group, _, version = document["apiVersion"].rpartition("/")
    schema = operators()[group, version, document["kind"]]
    found = sorted(Draft202012Validator(schema).iter_errors(document), key=str)
    return [f"{error.json_path}: {error.message}" for error in found]


@cache
def operators() -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return the schemas of the operators' types, by group, version and kind."""
    schemas = {}
    for path in sorted(schema_folder().glob("*.yaml")):
        spec = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)["spec"]  # in C: megabytes
        for version in spec["versions"]:
            schema = version["schema"]["openAPIV3Schema"]
            del schema["properties"]["metadata"]  # Kubernetes' own, which a schema may not describe
            schemas[spec["group"], version["name"], spec["names"]["kind"]] = {
                **strict(schema),
                "properties": {**schema["properties"], "metadata": {"type": "object"}},
            }
    return schemas


def schema_folder() -> Path:
    """Return the folder of the schemas: where SHM_SCHEMAS says, else beside the repository."""
    named = os.environ.get("SHM_SCHEMAS")
    folder = Path(named) if named else Path(__file__).parents[3] / "shared" / "schemas"
    assert folder.is_dir() or not named, f"SHM_SCHEMAS names {named}, which is no folder"
    return folder if folder.is_dir() else missing("the schemas of operators' types are not there")


def strict(schema: dict[str, Any]) -> dict[str, Any]:
    """Refuse what a cluster would silently drop: keys that the schema does not name."""
    for part in schema.get("properties", {}).values():
        strict(part)
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            strict(schema[name])
    if schema.get("x-kubernetes-int-or-string"):
        schema["type"] = ["integer", "string"]
    keeps = ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource")
    if schema.get("type") == "object" and not any(schema.get(key) for key in keeps):
        schema.setdefault("additionalProperties", False)
    return schema
