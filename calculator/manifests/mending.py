"""From a text to the same text, mended: read, plan, change, and check that nothing else changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calculator.errors import InputError
from calculator.manifests import advice, compose, helm, kubernetes
from calculator.manifests.answer import Action, Draft, Mended, Reason, Stopped, listed
from calculator.manifests.checking import as_meant
from calculator.manifests.detecting import detect, other, template
from calculator.manifests.diffing import unified
from calculator.manifests.editing import CannotEditError, Editor
from calculator.manifests.pods import runs_nothing
from calculator.manifests.tree import (
    MAX_CHARACTERS,
    MAX_EVENTS,
    MAX_READ,
    Document,
    GuardError,
    Node,
    NotReadError,
    doubled,
    read,
    spans,
)
from calculator.manifests.words import say
from calculator.manifests.writing import Manner
from calculator.typed import MAX_BYTES
from calculator.units import size


def mend(
    text: str,
    shm_bytes: int,
    *,
    container: str | None = None,
    given: Mapping[str, Any] | None = None,
) -> Mended:
    """Give the container that a file describes a /dev/shm of `shm_bytes`.

    Args:
        text: a Compose file, Kubernetes objects or Helm values.
        shm_bytes: the size that /dev/shm shall have at least.
        container: the service, container or object that is meant, where that is not clear.
        given: what else is known: `policy` (private, host), `platform` (swarm).

    Raises:
        InputError: the size is none.
    """
    if not 0 < shm_bytes <= MAX_BYTES:
        raise InputError.at("--shm", f"must be more than 0 and at most {size(MAX_BYTES)}")
    try:
        documents, kinds = _documents(text)
    except NotReadError as error:
        return _unread(text, shm_bytes, error)
    form = detect(documents)
    draft = _draft(text, shm_bytes, documents, container, given)
    try:
        _plan(draft, form, documents, kinds)
        return _changed(draft, form) if draft.editor.spans else _left(draft, form)
    except Stopped as stop:
        return _answer(draft, form, stop.action, stop.message, choices=stop.choices)
    except (CannotEditError, NotReadError, RecursionError) as error:
        draft.snippet = draft.snippet or advice.snippet(form, shm_bytes)
        why = str(error) or "it is nested too deeply"
        return _answer(draft, form, "advise", say("says", "not_safe", why=why))


def _draft(
    text: str,
    shm_bytes: int,
    documents: list[Document],
    container: str | None,
    given: Mapping[str, Any] | None,
) -> Draft:
    root = next((each.root for each in documents if each.root is not None), None)
    manner = Manner.of(root, text) if root is not None else Manner()
    editor = Editor(text, manner)
    return Draft(shm_bytes, editor, documents, (container or "").strip() or None, dict(given or {}))


# ---------------------------------------------------------------- reading


def _documents(
    text: str, known: Mapping[str, Node] | None = None
) -> tuple[list[Document], list[str]]:
    """Read the documents of a text that may run something; return also the kinds of the others.

    What stands in `known`, text for text, is not read again.

    Raises:
        NotReadError: it cannot be read.
    """
    if len(text) > MAX_CHARACTERS:
        raise GuardError(say("says", "large", limit=f"{MAX_CHARACTERS:,}"))
    bom = 1 if text.startswith("\ufeff") else 0
    found, kinds, seen, characters, line, at = [], [], 0, 0, 1, 0
    for index, (start, end) in enumerate(spans(text)):
        line += text.count("\n", at, start)
        at = start
        kind = runs_nothing(text, start, end)
        if kind:
            kinds.append(kind)
            found.append(Document(index, start, end, line, None))
            continue
        characters += end - start
        if characters > MAX_READ:
            raise GuardError(say("says", "large", limit=f"{MAX_READ:,}"))
        old = (known or {}).get(text[start:end])
        root, events = (old, 0) if old else read(text, max(start, bom), end, line)
        seen += events
        if seen > MAX_EVENTS:
            raise GuardError("the file is too large to be mended at once: give its parts singly.")
        double = doubled(root) if root is not None else None
        if double is not None:
            text_of = double.real.text
            raise NotReadError(f"the key {text_of[:60]!r} stands twice in one place.", double.line)
        found.append(Document(index, start, end, line, root))
        if root is not None and root.get("kind") is not None:
            kinds.append(root.say("kind") or "")
    return found, kinds


def _unread(text: str, shm_bytes: int, error: NotReadError) -> Mended:
    """Answer a text that cannot be read: a template gets advice, the rest a reason."""
    draft = Draft(shm_bytes, Editor(text, Manner()), [])
    form = "" if isinstance(error, GuardError) else template(text)
    if form:
        draft.warn("helm_template")
        draft.snippet = advice.snippet(form, shm_bytes, text)
        kind = "template_compose" if advice.is_compose(text) else "template"
        message = say("says", kind) + advice.places(text)
        return _answer(draft, form, "advise", message, parse_ok=False)
    return _answer(draft, advice.looks_like(text), "refuse", str(error), parse_ok=False)


# ---------------------------------------------------------------- planning


def _plan(draft: Draft, form: str, documents: list[Document], kinds: list[str]) -> None:
    first = next((each for each in documents if each.root is not None), None)
    if form == "kubernetes":
        advice.kustomization(draft, documents)
        kubernetes.plan(draft, documents, kinds)
    elif form == "compose" and first is not None:
        having = [each for each in documents if each.root and each.root.get("services")]
        compose.plan(draft, having[0] if having else first)
    elif form == "helm-values" and first is not None:
        helm.plan(draft, first)
    elif form in {"json-patch", "compose-v1"}:
        draft.snippet = advice.snippet(form, draft.shm_bytes)
        raise Stopped("advise", say("says", form.replace("-", "_")))
    elif not documents:
        raise Stopped("refuse", say("says", "empty"))
    else:
        what = other(documents)
        text = say("says", "known_other", what=what) if what else say("says", "not_known")
        raise Stopped("refuse", text)


# ---------------------------------------------------------------- answering


def _changed(draft: Draft, form: str) -> Mended:
    """Make the changes, and hold the result against what was meant.

    Raises:
        CannotEditError: it is not what was meant.
    """
    new = draft.editor.result()
    try:
        after, kinds = _documents(new, _texts(draft))
    except NotReadError:
        raise CannotEditError("the changed text would not be YAML") from None
    pairs = list(zip(draft.documents, after, strict=False))
    if len(after) != len(draft.documents) or not all(
        (a.root is None and b.root is None)
        or (a.root is not None and b.root is not None and as_meant(a.root, b.root, draft.editor))
        for a, b in pairs
    ):
        raise CannotEditError("other parts would change with it")
    again = _draft(new, draft.shm_bytes, after, draft.container, draft.given)
    try:
        _plan(again, form, after, kinds)
    except Stopped:
        again.editor.spans.clear()
    if again.editor.spans:
        raise CannotEditError("it would not be right after one change")
    _say_shared(draft)
    draft.note(f"recreate_{form.partition('-')[0]}")
    return _answer(draft, form, "patch", _patched(draft), new)


def _say_shared(draft: Draft) -> None:
    """Say where else a change shows, because the part that changed is used there too."""
    touched = {id(node) for node in draft.editor.touched}
    for document in draft.documents:
        uses: dict[int, tuple[Node, list[int]]] = {}
        for node in document.root.walk() if document.root else ():
            if node.target is not None:
                uses.setdefault(id(node.target), (node.target, []))[1].append(node.line)
        for anchored, lines in uses.values():
            if any(id(node) in touched for node in anchored.walk()):
                draft.note("shared_anchor", anchor=f"&{anchored.anchor}", lines=listed(lines))


def _texts(draft: Draft) -> dict[str, Node]:
    """Return the documents before, by their text; most of them are the same afterwards."""
    text = draft.editor.text
    return {text[each.start : each.end]: each.root for each in draft.documents if each.root}


def _patched(draft: Draft) -> str:
    names = list(dict.fromkeys(_called(each.object, each.container) for each in draft.targets))
    return say("says", "patched", where=listed(names), size=draft.size)


def _called(owner: str, container: str) -> str:
    return f"{container} ({owner})" if owner else container or "the chart"


def _left(draft: Draft, form: str) -> Mended:
    why = draft.kept or [say("says", "enough", where="it", had=draft.size)]
    return _answer(draft, form, "no_change", "Nothing is changed. " + " ".join(why))


def _answer(
    draft: Draft,
    form: str,
    action: Action,
    message: str,
    new: str | None = None,
    *,
    choices: tuple[str, ...] = (),
    parse_ok: bool = True,
) -> Mended:
    text = draft.editor.text
    changed = action == "patch"
    return Mended(
        format=form or "unknown",
        parse="ok" if parse_ok else "error",
        action=action,
        text=text if new is None else new,
        diff=unified(text, draft.editor.ordered()) if changed else "",
        message=message,
        reasons=tuple(_reasons(draft)) if changed else (),
        warnings=tuple(draft.warnings),
        targets=tuple(draft.targets) if action in {"patch", "no_change"} else (),
        notes=(*draft.notes, *(draft.kept if changed else ())),
        choices=choices or draft.others,
        snippet=draft.snippet,
    )


def _reasons(draft: Draft) -> list[Reason]:
    """Say for each changed place of the new text why it changed."""
    found: list[Reason] = []
    moved, text, line, at = 0, draft.editor.text, 1, 0
    for span in draft.editor.ordered():
        line += text.count("\n", at, span.start)
        at = span.start
        down = 1 if span.new.startswith(("\n", "\r\n")) else 0
        reason = Reason(line=line + moved + down, text=span.why)
        moved += span.new.count("\n") - text.count("\n", span.start, span.end)
        if not any(each.text == reason.text for each in found):
            found.append(reason)
    return found
