"""What mending does to a file, line by line: only what must change, in the manner of the file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from calculator import resources
from calculator.errors import InputError
from calculator.manifests import mend
from calculator.manifests.pods import podless
from calculator.units import GIB, MIB

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: t}\nspec:\n"
MAIN = "  containers:\n    - name: m\n      image: x\n"
MOUNT = "      volumeMounts: [{name: d, mountPath: /dev/shm}]\n"
Row = tuple[str, dict[str, Any], list[str]]


def changes(text: str, **given: Any) -> list[str]:
    found = mend(text, 8 * GIB, **given)
    return [line for line in found.diff.splitlines()[2:] if line[:1] in {"+", "-"}]


PRIVATE = {"given": {"policy": "private"}}
CHANGES: dict[str, Row] = {
    "a comment under the image": (
        "services:\n  a:\n    image: x # img\n    # end\n",
        {},
        ["+    shm_size: 8g"],
    ),
    "steps of four": (
        "services:\n    a:\n        image: x\n",
        {},
        ["+        shm_size: 8g"],
    ),
    "a service without a word": ("services:\n  a:\n", {}, ["+    shm_size: 8g"]),
    "a service in braces": (
        "services: {a: {image: x}}\n",
        {},
        ["-services: {a: {image: x}}", "+services: {a: {image: x, shm_size: 8g}}"],
    ),
    "single quotes stay": (
        "services:\n  a:\n    image: x\n    shm_size: '1gb' # small\n",
        {},
        ["-    shm_size: '1gb' # small", "+    shm_size: '8g' # small"],
    ),
    "an alias is replaced, its anchor is not": (
        "x-s: &s 1g\nservices:\n  a:\n    image: x\n    shm_size: *s\n",
        {},
        ["-    shm_size: *s", "+    shm_size: 8g"],
    ),
    "host IPC that is merged in": (
        "x-b: &b\n  ipc: host\nservices:\n  a:\n    <<: *b\n    image: x\n",
        PRIVATE,
        ["+    ipc: private", "+    shm_size: 8g"],
    ),
    "an old stack file": (
        'version: "3.3"\nservices:\n  a:\n    image: x\n',
        {"given": {"platform": "swarm"}},
        [
            '-version: "3.3"',
            '+version: "3.8"',
            "+    volumes:",
            "+      - type: tmpfs",
            "+        target: /dev/shm",
            "+        tmpfs:",
            "+          size: 8589934592",
        ],
    ),
    "a variable alone": (
        "services:\n  a:\n    image: x\n    shm_size: ${SHM}\n",
        {},
        ["-    shm_size: ${SHM}", "+    shm_size: ${SHM:-8g}"],
    ),
    "lists without indentation": (
        POD + "  containers:\n  - name: m\n    image: x\n  # the end\n",
        {},
        [
            "+    volumeMounts:",
            "+    - name: dshm",
            "+      mountPath: /dev/shm",
            "+  volumes:",
            "+  - name: dshm",
            "+    emptyDir:",
            "+      medium: Memory",
            "+      sizeLimit: 8Gi",
        ],
    ),
    "an empty list with a comment": (
        POD + MAIN + MOUNT.replace("d,", "dshm,") + "  volumes: [] # none\n",
        {},
        [
            "-  volumes: [] # none",
            "+  volumes: # none",
            "+    - name: dshm",
            "+      emptyDir:",
            "+        medium: Memory",
            "+        sizeLimit: 8Gi",
        ],
    ),
    "hostPath first, name after": (
        POD
        + MAIN
        + MOUNT
        + "  volumes:\n    - hostPath:\n        path: /dev/shm\n"
        + "        type: Directory\n      name: d\n",
        PRIVATE,
        [
            "-    - hostPath:",
            "-        path: /dev/shm",
            "-        type: Directory",
            "-      name: d",
            "+    - name: d",
            "+      emptyDir:",
            "+        medium: Memory",
            "+        sizeLimit: 8Gi",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_the_lines_that_change(name: str) -> None:
    text, given, expected = CHANGES[name]
    assert changes(text, **given) == expected


ACTIONS: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "host IPC alone stays": ("services: {a: {image: x, ipc: host}}", {}, "no_change", "host"),
    "another container's": ("services: {a: {image: x, ipc: 'container:b'}}", {}, "advise", "b"),
    "no such service": ("services: {a: {image: x}}", {"container": "z"}, "ask", "z"),
    "two pods": (POD + MAIN + "---\n" + POD + MAIN, {}, "ask", "Pod/t"),
    "old Compose": ("a: {image: x, ports: ['80']}", {}, "advise", "services"),
    "a kustomization": (
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n",
        {},
        "advise",
        "patch",
    ),
    "an unknown object": (
        "apiVersion: a.example/v1\nkind: Thing\nspec: {}\n",
        {},
        "advise",
        "Thing",
    ),
    "a workflow of GitHub": ("on: push\njobs: {}\n", {}, "refuse", "GitHub"),
    "prose": ("It does not work.", {}, "refuse", "not understood"),
    "nothing": ("", {}, "refuse", "nothing"),
    "a tab": ("services:\n\ta: 1\n", {}, "refuse", "Line 2"),
    "too long": ("a: b\n" * 500_000, {}, "refuse", "characters"),
    "a removal that would leave nothing": (
        "x-b: &b\n  image: x\n  volumes: [/dev/shm:/dev/shm]\nservices:\n  a:\n    <<: *b\n",
        PRIVATE,
        "advise",
        "by hand",
    ),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_what_is_not_changed(name: str) -> None:
    text, given, action, mentions = ACTIONS[name]
    found = mend(text, 8 * GIB, **given)
    assert (found.action, found.text, found.diff) == (action, text, "")
    assert mentions in found.answer


def test_a_choice_is_named() -> None:
    found = mend("services: {a: {image: x, gpus: all}, b: {image: y, gpus: all}}", GIB)
    assert found.choices == ("a", "b")


def test_what_shares_the_part_is_said() -> None:
    text = "services:\n  a: &a\n    image: x\n    gpus: all\n  b: *a\n"
    notes = " ".join(mend(text, GIB, container="b").notes)
    assert "&a" in notes
    assert "line 5" in notes


@pytest.mark.parametrize("size", [1, 63 * MIB, 8 * GIB + 1, 2**53])
def test_the_size_is_never_less_than_asked(size: int) -> None:
    text = mend("services: {a: {image: x}}", size).text
    assert mend(text, size).action == "no_change"
    text = mend(POD + MAIN, size).text
    assert mend(text, size).action == "no_change"


@pytest.mark.parametrize("size", [0, -1, 2**53 + 1])
def test_a_size_that_is_none_is_refused(size: int) -> None:
    with pytest.raises(InputError):
        mend("services: {a: {image: x}}", size)


WORDS = resources.table("manifests", "words")
FOLDER = Path(__file__).parents[2] / "calculator" / "manifests"
CODE = "".join(path.read_text("utf-8") for path in FOLDER.glob("*.py"))


def test_every_fact_cites_a_source_that_is_there() -> None:
    known = resources.table("facts", "sources")
    rows = [*WORDS["warnings"].values(), *resources.table("manifests", "findings").values()]
    assert {row["source"] for row in rows if "source" in row} <= set(known)


def test_every_sentence_is_used() -> None:
    asked = {"shm_counts_toward_memory", "shm_large_share_of_memory", "unit_invalid"}
    for section in ("reasons", "says"):
        asked |= {name for name in WORDS[section] if re.search(rf'"{name}"', CODE)}
    made = {"compose_v1", "json_patch", "recreate_compose", "recreate_kubernetes", "recreate_helm"}
    assert set(WORDS["reasons"]) | set(WORDS["says"]) <= asked | made


def test_no_kind_both_runs_pods_and_does_not() -> None:
    rows = resources.table("manifests", "kinds")["kinds"]
    plain = {kind for row in rows if "group" not in row for kind in row["kinds"]}
    assert not [kind for kind in plain if podless(kind)]
