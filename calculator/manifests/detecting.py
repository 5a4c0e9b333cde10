"""What a text is: Compose, Kubernetes, Helm values, a template, something else."""

from __future__ import annotations

import re
from typing import Final

from calculator.manifests.choosing import known
from calculator.manifests.tree import Document, Node

_GO: Final = re.compile(
    r"\{\{-?\s{0,20}(?:[.$]\w?|(?:include|template|toYaml|if|range|with|end|else|define|tpl|printf|default|lookup)\b|/\*)"
)
_JINJA: Final = re.compile(r"\{%|\{\{-?\s{0,20}\w|<%")


def _keys(name: str) -> set[str]:
    return set(known()["keys"][name])


def template(text: str) -> str:
    """Return the format of a text that is a template and no YAML yet; empty for others."""
    if _GO.search(text):
        return "helm-template"
    return "template" if _JINJA.search(text) else ""


def detect(documents: list[Document]) -> str:
    """Return the format of documents that were read; empty where nobody knows it."""
    roots = [document.root for document in documents if document.root is not None]
    if not roots:
        return "kubernetes" if documents else ""
    for name, test in (
        ("kubernetes", _is_object),
        ("json-patch", _is_json_patch),
        ("compose", _is_compose),
        ("compose-v1", _is_compose_v1),
        ("helm-values", _is_values),
    ):
        if any(test(root) for root in roots):
            return name
    return ""


def other(documents: list[Document]) -> str:
    """Return what else a text looks like, for people; empty where nobody knows."""
    root = next((each.root for each in documents if each.root is not None), None)
    keys = set(root.names()) if root is not None else set()
    return next((row["what"] for row in known()["others"] if set(row["keys"]) <= keys), "")


def _is_object(root: Node) -> bool:
    if root.kind != "map":
        return False
    if root.get("kind") is not None and root.get("apiVersion") is not None:
        return True
    pod = root.at("spec", "template", "spec", "containers") or root.at("spec", "containers")
    return pod is not None and pod.kind == "seq"


def _is_json_patch(root: Node) -> bool:
    return root.kind == "seq" and any(
        {"op", "path"} <= set(each.names()) for each in root.entries()
    )


def _is_compose(root: Node) -> bool:
    if root.kind != "map":
        return False
    keys = {key for key in root.names() if not key.startswith("x-")}
    services = root.get("services")
    if services is None:
        return "include" in keys and keys <= _keys("compose")
    if services.is_empty or keys <= _keys("compose"):
        return services.kind == "map" or services.is_null
    return services.kind == "map" and any(_is_service(value.real) for _, value in services.pairs)


def _is_service(node: Node) -> bool:
    if node.kind != "map":
        return False
    image = node.get("image")
    plain = image is not None and image.kind == "scalar"
    return plain or any(node.get(key) is not None for key in _keys("service"))


def _is_compose_v1(root: Node) -> bool:
    """Services at the top, as Compose wrote them before version 2 of its files."""
    if root.kind != "map" or not root.pairs:
        return False
    return all(
        value.real.kind == "map"
        and (value.real.say("image") or value.real.say("build"))
        and _is_service(value.real)
        and not {"resources", "replicas", "replicaCount"} & set(value.real.names())
        for _, value in root.pairs
    )


def _is_values(root: Node, depth: int = 0) -> bool:
    if root.kind != "map":
        return False
    keys = set(root.names())
    image = root.get("image")
    if image is not None and image.kind == "map" and {"repository", "tag"} & set(image.names()):
        return True
    certain = {key for key in keys if key.endswith(("Volumes", "VolumeMounts"))} | (
        keys & _keys("certain")
    )
    if certain or len(keys & _keys("values")) > 1:
        return True
    return depth < 2 and any(_is_values(value.real, depth + 1) for _, value in root.pairs)  # noqa: PLR2004
