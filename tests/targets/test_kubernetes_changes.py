"""What changes a manifest that somebody has: kubectl patch, a Kustomize component, a Helm chart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support import kubernetes
from tests.targets.readers.kubernetes import pod_spec
from tests.targets.readers.words import documents, yaml
from tests.targets.rendered import block

SIDECAR = """
        - name: logs
          image: logs:1
          volumeMounts:
            - {name: scratch, mountPath: /scratch}"""

BASE = """\
apiVersion: KIND_API
kind: KIND
metadata:
  name: trainer
spec: KIND_SPEC
  template:
    metadata:
      labels: {app: trainer}
    spec:
      restartPolicy: RESTART
      containers:
        - name: trainer
          image: theirs:1
          command: [python, train.py]
          env:
            - {name: A, value: "1"}
          resources:
            limits: {cpu: "8", memory: 4Gi}
          volumeMounts:
            - {name: data, mountPath: /data}SIDECAR
      volumes:
        - name: data
          persistentVolumeClaim: {claimName: data}
        - name: scratch
          emptyDir: {}
"""
SELECTOR = "\n  selector: {matchLabels: {app: trainer}}"
KINDS = {
    "Deployment": ("apps/v1", SELECTOR, "Always"),
    "StatefulSet": ("apps/v1", f"{SELECTOR}\n  serviceName: trainer", "Always"),
    "Job": ("batch/v1", "", "Never"),
}


def base(kind: str, sidecar: bool) -> str:
    api, spec, restart = KINDS[kind]
    text = BASE.replace("KIND_API", api).replace("KIND_SPEC", spec).replace("KIND", kind)
    return text.replace("RESTART", restart).replace("SIDECAR", SIDECAR if sidecar else "")


def assert_changed(document: Any, kind: str, sidecar: bool) -> None:
    """It has the size, the mount and the limit, and everything it had before."""
    assert document["kind"] == kind
    assert kubernetes.errors(document) == []
    spec = document["spec"]["template"]["spec"]
    trainer, *others = spec["containers"]
    assert pod_spec({**spec, "containers": [trainer]}) == 8 << 30
    assert trainer["resources"] == {
        "limits": {"cpu": "8", "memory": "72Gi"},
        "requests": {"memory": "72Gi"},
    }
    before = yaml(base(kind, sidecar))["spec"]["template"]["spec"]
    for key in ("name", "image", "command", "env"):
        assert trainer[key] == before["containers"][0][key]
    assert len(trainer["volumeMounts"]) == 2
    assert before["containers"][0]["volumeMounts"][0] in trainer["volumeMounts"]
    assert others == before["containers"][1:]
    assert len(spec["volumes"]) == 3
    assert all(volume in spec["volumes"] for volume in before["volumes"])


EACH = pytest.mark.parametrize(
    ("kind", "sidecar"), [(kind, sidecar) for kind in KINDS for sidecar in (False, True)]
)

# ---------------------------------------------------------------- kubectl patch


def patched(folder: Path, manifest: str, patch: str) -> Any:
    """Run the command that the block gives for a file."""
    (words,) = re.findall(r"^# +(kubectl patch --local .*) > job-shm\.yaml$", patch, re.MULTILINE)
    (folder / "job.yaml").write_text(manifest, encoding="utf-8")
    (folder / "shm-patch.yaml").write_text(patch, encoding="utf-8")
    _, *arguments = words.split()
    files = {name: str(folder / name) for name in ("job.yaml", "shm-patch.yaml")}
    done = kubernetes.kubectl(*[files.get(word, word) for word in arguments])
    assert done.returncode == 0, done.stderr
    return yaml(done.stdout)


@EACH
def test_the_patch_adds_and_takes_nothing_away(kind, sidecar, tmp_path) -> None:
    document = patched(tmp_path, base(kind, sidecar), block("kubernetes-patch").text)
    document["metadata"].pop("creationTimestamp", None)
    document["spec"]["template"]["metadata"].pop("creationTimestamp", None)
    document.pop("status", None)
    assert_changed(document, kind, sidecar)


def test_a_patch_for_a_container_of_another_name_would_be_seen(tmp_path) -> None:
    other = block("kubernetes-patch", deployment={"name": "other"}).text
    document = patched(tmp_path, base("Job", False), other)
    assert [each["name"] for each in document["spec"]["template"]["spec"]["containers"]] == [
        "other",
        "trainer",
    ]


def test_the_patch_says_which_namespace_and_what_cannot_be_patched() -> None:
    text = block("kubernetes-patch", deployment={"name": "a-b", "namespace": "ml"}).text
    assert "kubectl patch deployment a-b -n ml --patch-file shm-patch.yaml" in text
    assert "bare Pod cannot be patched" in text


# ---------------------------------------------------------------- Kustomize


def built(folder: Path, manifests: list[str], component: str) -> list[Any]:
    """Build a kustomization that names the component as the block says."""
    shm = folder / "components" / "shm"
    shm.mkdir(parents=True)
    (shm / "kustomization.yaml").write_text(component, encoding="utf-8")
    resources = [f"{number}.yaml" for number, _ in enumerate(manifests)]
    for name, manifest in zip(resources, manifests, strict=True):
        (folder / name).write_text(manifest, encoding="utf-8")
    (use,) = re.findall(
        r"^# In your kustomization\.yaml:\n((?:#   .*\n)+)", component, re.MULTILINE
    )
    lines = [line.removeprefix("#   ") for line in use.splitlines()]
    text = "\n".join([*lines, "resources:", *(f"  - {name}" for name in resources), ""])
    (folder / "kustomization.yaml").write_text(text, encoding="utf-8")
    done = kubernetes.kustomize(folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return documents(done.stdout)


@EACH
def test_the_component_adds_and_takes_nothing_away(kind, sidecar, tmp_path) -> None:
    component = block("kustomize-component").text
    (document,) = built(tmp_path, [base(kind, sidecar)], component)
    assert_changed(document, kind, sidecar)


def test_the_component_leaves_what_it_does_not_name(tmp_path) -> None:
    other = base("Deployment", True).replace("name: trainer\nspec", "name: server\nspec")
    longer = base("Job", False).replace("name: trainer\nspec", "name: trainer-2\nspec")
    service = (
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: trainer\nspec:\n  clusterIP: None\n"
    )
    found = built(
        tmp_path, [other, longer, service, base("Job", True)], block("kustomize-component").text
    )
    by_name = {(each["kind"], each["metadata"]["name"]): each for each in found}
    assert_changed(by_name.pop(("Job", "trainer")), "Job", sidecar=True)
    assert by_name == {
        ("Deployment", "server"): yaml(other),
        ("Job", "trainer-2"): yaml(longer),
        ("Service", "trainer"): yaml(service),
    }


def test_kustomize_would_refuse_a_component_that_is_none(tmp_path) -> None:
    wrong = block("kustomize-component").text.replace("kind: Component", "kind: Kustomization")
    with pytest.raises(AssertionError, match="apiVersion for Kustomization should be"):
        built(tmp_path, [base("Job", False)], wrong)


@pytest.mark.parametrize("wrong", ["Deployments|Job", "job"])
def test_a_target_that_matches_nothing_would_be_seen(wrong, tmp_path) -> None:
    component = block("kustomize-component").text
    assert "kind: Deployment|StatefulSet|Job\n" in component
    component = component.replace("kind: Deployment|StatefulSet|Job\n", f"kind: {wrong}\n")
    (document,) = built(tmp_path, [base("StatefulSet", False)], component)
    with pytest.raises(ValueError, match="not enough values"):
        assert_changed(document, "StatefulSet", sidecar=False)


def test_the_component_takes_the_name_for_what_it_is(tmp_path) -> None:
    manifest = base("Job", False).replace("name: trainer", 'name: "on"')
    (document,) = built(
        tmp_path, [manifest], block("kustomize-component", deployment={"name": "on"}).text
    )
    (container,) = document["spec"]["template"]["spec"]["containers"]
    assert container["name"] == "on"
    assert len(container["volumeMounts"]) == 2


# ---------------------------------------------------------------- Helm

CHART = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  selector: {matchLabels: {app: trainer}}
  template:
    metadata:
      labels: {app: trainer}
    spec:
      containers:
        - name: trainer
          image: theirs:1
IN_THE_CONTAINER
IN_THE_SPEC
"""


def parts(text: str) -> list[str]:
    """Split the block at its numbered lines; uncomment the parts for templates."""
    _, values, *templates = re.split(r"^# \d\. .*\n", text, flags=re.MULTILINE)
    snippets = []
    for each in templates:
        lines = each.rstrip("\n").split("\n")
        assert all(line.startswith("# ") for line in lines)
        snippets.append("\n".join(line.removeprefix("# ") for line in lines))
    return [values, *snippets]


def chart(folder: Path, text: str, skeleton: str = CHART) -> Path:
    """Put a chart together of nothing but the block's parts; return the block as a values file."""
    values, container, spec = parts(text)
    templates = folder / "chart" / "templates"
    templates.mkdir(parents=True)
    about = "apiVersion: v2\nname: trainer\nversion: 0.1.0\nicon: https://a.example/i.png\n"
    (folder / "chart" / "Chart.yaml").write_text(about, encoding="utf-8")
    (folder / "chart" / "values.yaml").write_text(values, encoding="utf-8")
    template = skeleton.replace("IN_THE_CONTAINER", container).replace("IN_THE_SPEC", spec)
    (templates / "deployment.yaml").write_text(template, encoding="utf-8")
    whole = folder / "values-shm.yaml"
    whole.write_text(text, encoding="utf-8")
    return whole


def rendered(folder: Path, *arguments: str | Path) -> Any:
    done = kubernetes.helm("template", "run", folder / "chart", *arguments)
    assert done.returncode == 0, done.stderr
    return yaml(done.stdout)


@pytest.mark.parametrize("values", [{}, {"accelerator": False, "ranks": 1}])
def test_a_chart_of_these_parts_has_volume_mount_and_limit(values, tmp_path) -> None:
    found = block("helm", **values)
    whole = chart(tmp_path, found.text)
    lint = kubernetes.helm("lint", "--strict", tmp_path / "chart", "--values", whole)
    assert lint.returncode == 0, lint.stdout
    for values_file in (tmp_path / "chart" / "values.yaml", whole):
        document = rendered(tmp_path, "--values", values_file)
        assert kubernetes.errors(document) == []
        spec = document["spec"]["template"]["spec"]
        assert found.shm_bytes <= pod_spec(spec)
        assert spec["containers"][0]["resources"] == yaml(found.text)["resources"]
        manifest = tmp_path / "rendered.yaml"
        manifest.write_text(str(document).replace("'", '"'), encoding="utf-8")
        assert kubernetes.decode(manifest).stdout.strip() == "deployment.apps/run"


def test_the_chart_can_do_without(tmp_path) -> None:
    chart(tmp_path, block("helm").text)
    for off in ("shm.enabled=false", "shm=null"):
        spec = rendered(tmp_path, "--set", off)["spec"]["template"]["spec"]
        assert "volumes" not in spec
        assert "volumeMounts" not in spec["containers"][0]


def test_helm_would_refuse_half_a_snippet_and_we_one_that_is_missing(tmp_path) -> None:
    text = block("helm").text
    chart(tmp_path / "half", text, CHART.replace("IN_THE_SPEC", "") + "{{- if true }}")
    lint = kubernetes.helm("lint", "--strict", tmp_path / "half" / "chart")
    assert lint.returncode == 1
    assert "unexpected EOF" in lint.stdout + lint.stderr
    chart(tmp_path / "unmounted", text, CHART.replace("IN_THE_CONTAINER", ""))
    spec = rendered(tmp_path / "unmounted")["spec"]["template"]["spec"]
    with pytest.raises(KeyError, match="volumeMounts"):
        pod_spec(spec)


def test_a_new_chart_of_helm_takes_volume_and_mount_from_values_alone(tmp_path) -> None:
    """What the caveat says of charts that helm create makes."""
    done = kubernetes.helm("create", tmp_path / "chart")
    assert done.returncode == 0, done.stderr
    values = tmp_path / "values.yaml"
    pod = yaml(block("kubernetes-pod").text)["spec"]
    (container,) = pod["containers"]
    own = {"volumes": pod["volumes"], "volumeMounts": container["volumeMounts"]}
    values.write_text(str(own).replace("'", '"'), encoding="utf-8")
    done = kubernetes.helm("template", "run", tmp_path / "chart", "--values", values)
    (deployment,) = [each for each in documents(done.stdout) if each["kind"] == "Deployment"]
    assert pod_spec(deployment["spec"]["template"]["spec"]) == 8 << 30
