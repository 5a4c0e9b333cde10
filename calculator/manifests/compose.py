"""Compose files: which service is meant, and what gives it its /dev/shm."""

from __future__ import annotations

from calculator.manifests.answer import Draft, Stopped, listed
from calculator.manifests.choosing import Candidate, choose
from calculator.manifests.service import Service, mend_service
from calculator.manifests.shm_keys import find
from calculator.manifests.tree import Document, Node
from calculator.manifests.words import say


def plan(draft: Draft, document: Document) -> None:
    """Plan the changes of one Compose file.

    Raises:
        Stopped: nothing is changed, and why.
    """
    root = document.root
    services = root.get("services") if root else None
    if root is None or services is None or services.kind != "map" or not services.pairs:
        raise Stopped("refuse", say("says", "no_services"))
    stray = _stray(draft, root, services)
    names = [name for name in services.names() if name not in stray and name != "<<"]
    if not names:
        raise Stopped("refuse", say("says", "no_services"))
    for name in _chosen(draft, root, names):
        mend_service(draft, document, Service(root, services, name))
        draft.done(document, "", name)
    done = {target.container for target in draft.targets}
    same = {id(services.get(name)) for name in done}
    rest = [name for name in names if id(services.get(name)) not in same]
    draft.others = tuple(rest)
    if rest and any(node.anchor for node in root.walk()):
        draft.note("others_unchanged", names=listed(rest))


def _stray(draft: Draft, root: Node, services: Node) -> set[str]:
    """Take sizes away that stand beside the services, where Compose refuses them."""
    found = set()
    for parent, where in ((root, "top level"), (services, "services")):
        for name, value in find(parent):
            if value.kind != "map":
                draft.warn("unknown_key", key=name.text, where=where)
                draft.editor.remove(parent, name, draft.why("misplaced", key=name.text))
                found.add(name.text)
    return found


def _chosen(draft: Draft, root: Node, names: list[str]) -> list[str]:
    """Return the services that are meant.

    Raises:
        Stopped: that is not clear, or there is none of that name.
    """
    services = root.get("services")
    wanted = draft.container
    every = [Service(root, services, name) for name in names] if services else []
    if wanted:
        found = [each.name for each in every if wanted in {each.name, each.say("container_name")}]
        if not found:
            text = say("says", "no_such_name", wanted=wanted, names=listed(names))
            raise Stopped("ask", text, choices=tuple(names))
        return found
    left = choose([candidate(each) for each in every])
    if len(left) == 1:
        (only,) = left
        if len(names) > 1 and not every[only].has_gpu:
            draft.note("only_gpu", where=f"service {names[only]}")
        return [names[only]]
    could = [names[i] for i in left]
    text = say("says", "ask_service", names=listed(could), size=draft.size)
    raise Stopped("ask", text, choices=tuple(could))


def candidate(service: Service) -> Candidate:
    """Return what choosing between services looks at."""
    words = [service.name, service.say("image") or "", service.words("command")]
    mounts = service.get("shm_size") is not None or service.say("ipc") in {"host", "shareable"}
    return Candidate(
        service.name,
        service.has_gpu,
        mounts or "/dev/shm" in service.words("tmpfs") + service.words("volumes"),  # noqa: S108 - a mount
        " ".join(words).lower(),
    )
