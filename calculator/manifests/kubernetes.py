"""Kubernetes objects: which pods and containers are meant, and what each of them gets."""

from __future__ import annotations

from collections.abc import Iterable

from calculator.manifests import advice, trainjob
from calculator.manifests.answer import Draft, Stopped, listed
from calculator.manifests.choosing import Candidate, choose
from calculator.manifests.pods import Container, Pod, is_known, objects, owner, pods
from calculator.manifests.tree import Document, Node
from calculator.manifests.volume import mend_pod
from calculator.manifests.words import say

Job = tuple[Document, Node]


def plan(draft: Draft, documents: list[Document], kinds: Iterable[str]) -> None:
    """Plan the changes of all objects of a stream.

    Raises:
        Stopped: nothing is changed, and why.
    """
    jobs = [
        (document, each)
        for document in documents
        for each in (objects(document.root) if document.root else ())
        if each.say("kind") == "TrainJob"
    ]
    found = [pod for document in documents for pod in pods(document)]
    if not found and not jobs:
        names = sorted({kind for kind in kinds if kind})
        unknown = [kind for kind in names if not is_known(kind)]
        if unknown:
            draft.snippet = advice.snippet("kubernetes", draft.shm_bytes)
            draft.warn("unknown_kind", kind=listed(unknown), path="none was found")
            raise Stopped("advise", say("says", "no_template", kinds=listed(unknown)))
        raise Stopped("refuse", say("says", "no_pods", kinds=listed(names) or "no object"))
    if draft.container:
        _by_name(draft, found, jobs)
    else:
        _by_look(draft, found, jobs)


def _by_name(draft: Draft, found: list[Pod], jobs: list[Job]) -> None:
    """Mend what is called as a person said: a container, or an object.

    Raises:
        Stopped: there is nothing of that name.
    """
    wanted = draft.container or ""
    chosen = [(pod, each) for pod in found for each in pod.containers if each.name == wanted]
    named = [pod for pod in found if wanted in _names(pod.owner)]
    if not chosen and named:
        for pod in _computing(named):
            chosen += [(pod, each) for each in _containers(draft, pod)]
    meant = [job for job in jobs if wanted in {*_names(owner(job[1])), trainjob.CONTAINER}]
    if not chosen and not meant:
        there = [each.name for pod in found for each in pod.containers]
        names = list(dict.fromkeys([*there, *(owner(job) for _, job in jobs)]))
        text = say("says", "no_such_name", wanted=wanted, names=listed(names))
        raise Stopped("ask", text, choices=tuple(names))
    for pod, each in chosen:
        mend_pod(draft, pod, each)
    for document, job in meant if not chosen else ():
        trainjob.mend(draft, document, job)


def _names(name: str) -> set[str]:
    return {name, name.partition("/")[2], name.lower()}


def _by_look(draft: Draft, found: list[Pod], jobs: list[Job]) -> None:
    """Mend the only object that could be meant.

    Raises:
        Stopped: several could be.
    """
    owners = list(dict.fromkeys((id(pod.root), pod.owner) for pod in found))
    of = {key: [pod for pod in found if id(pod.root) == key[0]] for key in owners}
    left = choose(
        [_summary(name, of[key]) for key, name in zip(owners, [k[1] for k in owners], strict=True)]
    )
    gpu = any(pod.has_gpu for pod in found)
    if jobs and (len(jobs) > 1 or gpu):
        names = [owner(job) for _, job in jobs] + [owners[i][1] for i in left]
        raise _ask(draft, names)
    if jobs:
        trainjob.mend(draft, *jobs[0])
        return
    if len(left) > 1:
        raise _ask(draft, [owners[i][1] for i in left])
    mine = of[owners[left[0]]]
    plans = [(pod, each) for pod in _computing(mine) for each in _containers(draft, pod)]
    for pod, each in plans:
        mend_pod(draft, pod, each)


def _ask(draft: Draft, names: list[str]) -> Stopped:
    text = say("says", "ask_container", names=listed(names), size=draft.size)
    return Stopped("ask", text, choices=tuple(names))


def _summary(name: str, mine: list[Pod]) -> Candidate:
    """What choosing between objects looks at: all their containers together."""
    each = [container.candidate() for pod in mine for container in pod.mains()]
    serves = [one for one in each if not one.serves]
    return Candidate(
        name,
        any(one.gpu for one in each),
        any(one.mounts for one in each),
        " ".join([name.lower(), *(one.words for one in serves or each)]),
    )


def _computing(mine: list[Pod]) -> list[Pod]:
    """Leave out the pods of an object that only start or watch the others."""
    with_gpu = [pod for pod in mine if pod.has_gpu]
    if mine[0].compute == "gpu" and with_gpu:
        return with_gpu
    if mine[0].operator == "kuberay":
        workers = [pod for pod in mine if "workerGroupSpecs" in pod.path]
        return workers or mine
    if mine[0].guessed and with_gpu:
        return with_gpu
    return mine


def _containers(draft: Draft, pod: Pod) -> list[Container]:
    """Return the container of a pod that loads batches.

    Raises:
        Stopped: several could be it.
    """
    mains = pod.mains()
    if pod.operator == "kuberay":
        return mains[:1]  # Ray runs in the first one
    left = choose([each.candidate() for each in mains])
    if len(left) > 1:
        raise _ask(draft, [mains[i].name for i in left])
    return [mains[left[0]]]
