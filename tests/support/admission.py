"""What a mutating admission policy does to a pod, its expressions evaluated by a real CEL.

The API server's own part is written here after its documentation: which pods are selected,
that every condition must hold, that the names of the types must match the places of their
objects, and that the result is merged as by server-side apply.

Source: kubernetes `staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go`.
"""

from __future__ import annotations

import copy
import re
from typing import Any, Final

import celpy
from celpy import celtypes
from celpy.adapter import json_to_cel
from celpy.evaluation import CELEvalError

_TYPES: Final = re.compile(r"\bObject(?:\.\w+)*(?=\{)")
_KEYS: Final = {"volumes": "name", "containers": "name", "volumeMounts": "mountPath"}
"""Lists that are merged item by item, and the field that tells the items apart."""


def evaluate(expression: str, pod: dict[str, Any]) -> Any:
    """Evaluate an expression that knows the pod as `object`.

    An error within `filter` counts as false here, where the API server would stop.

    Raises:
        CELParseError: it is not CEL.
        CELEvalError: it asks for something that is not there.
    """
    names = set(_TYPES.findall(expression))
    # The evaluator takes `Object.spec` for a field of a variable called Object.
    types = {_flat(name): type(name, (celtypes.MessageType,), {}) for name in names}
    environment = celpy.Environment()
    flat = _TYPES.sub(lambda match: _flat(match[0]), expression)
    program = environment.program(environment.compile(flat))
    return program.evaluate({"object": json_to_cel(pod), **types})


def _flat(name: str) -> str:
    return name.replace(".", "_")


def admitted(policy: dict[str, Any], pod: dict[str, Any], namespace: str = "team") -> Any:
    """Return the pod as it is stored after the policy has seen it created."""
    spec = policy["spec"]
    labels = pod["metadata"].get("labels", {})
    constraints = spec["matchConstraints"]
    selected = (
        _matches(constraints.get("objectSelector", {}), labels)
        and _matches(
            constraints.get("namespaceSelector", {}), {"kubernetes.io/metadata.name": namespace}
        )
        and all(bool(evaluate(each["expression"], pod)) for each in spec["matchConditions"])
    )
    for mutation in spec["mutations"] if selected else ():
        assert mutation["patchType"] == "ApplyConfiguration"
        found = evaluate(mutation["applyConfiguration"]["expression"], pod)
        pod = _merged(copy.deepcopy(pod), _plain(found, "Object"))
    return pod


def _matches(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    for each in selector.get("matchExpressions", ()):
        assert each["operator"] == "NotIn"
        if labels.get(each["key"]) in each["values"]:
            return False
    return all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())


def _plain(value: Any, path: str) -> Any:
    """Take an object apart, as long as each part is of the type of its place."""
    if isinstance(value, CELEvalError):
        raise value
    if isinstance(value, celtypes.MessageType):
        assert type(value).__name__ == path, f"{type(value).__name__} stands at {path}"
        fields = {str(key): part for key, part in value.items()}
        return {key: _plain(part, f"{path}.{key}") for key, part in fields.items()}
    if isinstance(value, celtypes.ListType):
        return [_plain(part, path) for part in value]
    assert isinstance(value, celtypes.StringType), f"{value!r} at {path}"
    return str(value)


def _merged(pod: Any, patch: Any) -> Any:
    for key, value in patch.items():
        if key in _KEYS:
            kept = pod.setdefault(key, [])
            for item in value:
                same = [each for each in kept if each[_KEYS[key]] == item[_KEYS[key]]]
                if same:
                    _merged(same[0], item)
                else:
                    kept.append(item)
        elif isinstance(value, dict):
            _merged(pod.setdefault(key, {}), value)
        else:
            pod[key] = value
    return pod
