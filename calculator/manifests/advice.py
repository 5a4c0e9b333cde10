"""What to put in by hand, and where, for files that are not changed here."""

from __future__ import annotations

import re
from typing import Final

from calculator.manifests.answer import Draft, Stopped
from calculator.manifests.tree import Document
from calculator.manifests.words import say
from calculator.units import GRAMMARS

_PLACES: Final = re.compile(
    r"^[ \t-]*(containers|volumes|volumeMounts|services|shm_size):", re.MULTILINE
)
_COMPOSE: Final = re.compile(r"^services:", re.MULTILINE)

_POD: Final = """\
# into the container
volumeMounts:
  - name: dshm
    mountPath: /dev/shm
# into the pod spec, beside containers
volumes:
  - name: dshm
    emptyDir:
      medium: Memory
      sizeLimit: {size}
"""
_JSON_PATCH: Final = """\
- op: add
  path: /spec/template/spec/volumes/-
  value: {{name: dshm, emptyDir: {{medium: Memory, sizeLimit: {size}}}}}
- op: add
  path: /spec/template/spec/containers/0/volumeMounts/-
  value: {{name: dshm, mountPath: /dev/shm}}
"""
_KUSTOMIZE: Final = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: NAME
spec:
  template:
    spec:
      containers:
        - name: CONTAINER
          volumeMounts:
            - name: dshm
              mountPath: /dev/shm
      volumes:
        - name: dshm
          emptyDir:
            medium: Memory
            sizeLimit: {size}
"""


def snippet(form: str, shm_bytes: int, text: str = "") -> str:
    """Return what to put into a file of this format by hand."""
    if form.startswith("compose") or is_compose(text):
        return f"shm_size: {GRAMMARS['docker'].write(shm_bytes)}\n"
    size = GRAMMARS["kubernetes"].write(shm_bytes)
    shape = {"json-patch": _JSON_PATCH, "kustomization": _KUSTOMIZE}.get(form, _POD)
    return shape.format(size=size)


def is_compose(text: str) -> bool:
    """Whether a text that cannot be read is a Compose file by its looks."""
    return _COMPOSE.search(text) is not None


def looks_like(text: str) -> str:
    """Return the format that a text which cannot be read was meant to be."""
    if is_compose(text):
        return "compose"
    return "kubernetes" if re.search(r"^apiVersion:", text, re.MULTILINE) else "unknown"


def places(text: str) -> str:
    """Name the lines of a template where something of it belongs."""
    found = [
        f"line {text.count(chr(10), 0, match.start(1)) + 1} ({match[1]})"
        for match, _ in zip(_PLACES.finditer(text), range(6), strict=False)
    ]
    return f" Here that is {', '.join(found)}." if found else ""


def kustomization(draft: Draft, documents: list[Document]) -> None:
    """Stop at a file that only names others.

    Raises:
        Stopped: the only object is a kustomization.
    """
    kinds = [each.root.say("kind") if each.root else None for each in documents]
    text = draft.editor.text
    if len(documents) == 1 and (kinds == ["Kustomization"] or _is_kustomization(text)):
        draft.snippet = snippet("kustomization", draft.shm_bytes)
        raise Stopped("advise", say("says", "kustomization"))


def _is_kustomization(text: str) -> bool:
    return re.search(r"^kind:[ \t]*(?:Kustomization|Component)\b", text, re.MULTILINE) is not None
