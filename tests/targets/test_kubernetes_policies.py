"""Policies that give pods their /dev/shm: what they do to pods, and that their form is right."""

from __future__ import annotations

import copy
from typing import Any

import kubernetes_validate
import pytest
from celpy.celparser import CELParseError
from celpy.evaluation import CELEvalError

from tests.support import kubernetes
from tests.support.admission import admitted, evaluate
from tests.targets.readers.kubernetes import pod_spec
from tests.targets.readers.words import documents, yaml
from tests.targets.rendered import block

POLICIES = pytest.mark.parametrize("target", ["kyverno-policy", "admission-policy"])

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: theirs, labels: {app: theirs}}
spec:
  initContainers:
    - {name: fetch, image: fetch:1}
  containers:
    - name: logs
      image: logs:1
      resources: {limits: {memory: 1Gi}}
    - name: train
      image: theirs:1
      resources: {limits: {memory: 96Gi, nvidia.com/gpu: "8"}}
      volumeMounts:
        - {name: data, mountPath: /data}
    - {name: bare, image: bare:1}
  volumes:
    - {name: data, emptyDir: {}}
"""


def policy(target: str, **values: Any) -> Any:
    return documents(block(target, **values).text)[0]


def pod() -> Any:
    return yaml(POD)


# ---------------------------------------------------------------- what happens to a pod


@POLICIES
def test_a_container_with_a_gpu_gets_volume_and_mount_and_keeps_the_rest(target) -> None:
    before = pod()
    after = admitted(policy(target), before)
    assert kubernetes.errors(after) == []
    _, trainer, _ = after["spec"]["containers"]
    assert pod_spec({**after["spec"], "containers": [trainer]}) == 8 << 30
    trainer["volumeMounts"].pop()
    after["spec"]["volumes"].pop()
    assert after == before == pod()


@POLICIES
def test_a_pod_that_brings_neither_volumes_nor_mounts_gets_them_too(target) -> None:
    given = pod()
    given["spec"]["containers"] = [{**given["spec"]["containers"][1]}]
    del given["spec"]["containers"][0]["volumeMounts"], given["spec"]["volumes"]
    assert pod_spec(admitted(policy(target), given)["spec"]) == 8 << 30


@POLICIES
@pytest.mark.parametrize("below", ["", "/", "/ours"])
@pytest.mark.parametrize("container", [0, 1])
def test_a_pod_with_a_dev_shm_of_its_own_stays_as_it_is(target, below, container) -> None:
    given = pod()
    mount = {"name": "data", "mountPath": f"/dev/shm{below}"}  # noqa: S108
    given["spec"]["containers"][container]["volumeMounts"] = [mount]
    assert admitted(policy(target), copy.deepcopy(given)) == given


@POLICIES
def test_the_policy_may_see_a_pod_twice(target) -> None:
    once = admitted(policy(target), pod())
    assert admitted(policy(target), copy.deepcopy(once)) == once


@POLICIES
def test_our_own_pod_stays_as_it_is(target) -> None:
    given = yaml(block("kubernetes-pod").text)
    assert admitted(policy(target), copy.deepcopy(given)) == given


@POLICIES
def test_a_pod_without_a_gpu_stays_as_it_is(target) -> None:
    given = pod()
    del given["spec"]["containers"][1]["resources"]["limits"]["nvidia.com/gpu"]
    assert admitted(policy(target), copy.deepcopy(given)) == given


@POLICIES
def test_a_label_says_no(target) -> None:
    given = pod()
    given["metadata"]["labels"]["dev-shm"] = "own"
    assert admitted(policy(target), copy.deepcopy(given)) == given


@POLICIES
def test_without_gpus_a_label_says_yes(target) -> None:
    labelled = policy(target, accelerator=False)
    assert admitted(labelled, pod()) == pod()
    given = pod()
    given["metadata"]["labels"]["dev-shm"] = "large"
    after = admitted(labelled, given)
    assert pod_spec(after["spec"]) == 8 << 30
    assert kubernetes.errors(after) == []


@POLICIES
def test_a_namespace_is_kept_to(target) -> None:
    there = policy(target, deployment={"namespace": "ml"})
    assert admitted(there, pod(), namespace="other") == pod()
    assert admitted(there, pod(), namespace="ml") != pod()
    assert "namespace" not in there["metadata"]


# ---------------------------------------------------------------- their form


def as_kubernetes(found: dict[str, Any]) -> dict[str, Any]:
    """Kyverno's policy as the one of Kubernetes, of which it is a superset.

    Source: Kyverno's documentation of MutatingPolicy.
    """
    spec = {"reinvocationPolicy": "Never", **found["spec"]}
    assert spec.pop("autogen", None) in (None, {"podControllers": {"controllers": []}})
    kind, api = "MutatingAdmissionPolicy", "admissionregistration.k8s.io/v1"
    return {**found, "kind": kind, "apiVersion": api, "spec": spec}


def errors(document: dict[str, Any]) -> str:
    """What Kubernetes 1.36 and 1.37 refuse; before, it did not have this version."""
    found = []
    for version in ("1.36", "1.37"):
        try:
            kubernetes_validate.validate(document, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            found.append(f"{version}: {error.message}")
    return "\n".join(found)


@POLICIES
@pytest.mark.parametrize(
    "values", [{}, {"accelerator": False}, {"deployment": {"namespace": "on"}}, {"ranks": 1}]
)
def test_every_key_is_known(target, values) -> None:
    found, *binding = documents(block(target, **values).text)
    assert errors(as_kubernetes(found)) == ""
    assert [errors(each) for each in binding] == [""] * len(binding)


def test_each_names_itself_as_its_owner_does() -> None:
    found = policy("kyverno-policy")
    assert (found["apiVersion"], found["kind"]) == ("policies.kyverno.io/v1", "MutatingPolicy")
    native, binding = documents(block("admission-policy").text)
    assert native["apiVersion"] == binding["apiVersion"] == "admissionregistration.k8s.io/v1"
    assert binding["spec"]["policyName"] == native["metadata"]["name"]
    assert native["kind"] == binding["kind"].removesuffix("Binding") == "MutatingAdmissionPolicy"


def test_the_api_server_of_1_34_takes_it_as_beta() -> None:
    for document in documents(block("admission-policy").text):
        beta = {**document, "apiVersion": "admissionregistration.k8s.io/v1beta1"}
        for version in ("1.34", "1.35"):
            kubernetes_validate.validate(beta, version, strict=True)


def test_a_wrong_key_would_be_found() -> None:
    wrong = policy("admission-policy")
    wrong["spec"]["matchCondition"] = wrong["spec"].pop("matchConditions")
    assert "'matchCondition' was unexpected" in errors(wrong)


@pytest.mark.parametrize(
    ("right", "wrong", "failure", "message"),
    [
        ("Object.spec.volumes{", "Object.spec.volume{", AssertionError, "stands at"),
        ("c.name,", "c.nam,", CELEvalError, "nam"),
        ("}],", "}", CELParseError, "containers"),
        ('"8Gi"', "8", AssertionError, "IntType"),
    ],
)
def test_a_wrong_expression_would_be_found(right, wrong, failure, message) -> None:
    text = block("admission-policy").text
    assert right in text
    broken, *_ = documents(text.replace(right, wrong, 1))
    with pytest.raises(failure, match=message):
        admitted(broken, pod())


def test_the_evaluator_knows_an_absent_field() -> None:
    assert evaluate("has(object.spec) && !has(object.status)", pod())
    with pytest.raises(CELEvalError):
        evaluate("object.status == 1", pod())
