"""The answer in words: cause, meaning, first action with its number, what not to do, source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from jinja2 import Environment, Undefined

from calculator import resources
from calculator.diagnose.decide import Decision
from calculator.diagnose.model import Advice, Source
from calculator.diagnose.numbers import Numbers
from calculator.typed import release
from calculator.units import GRAMMARS, KIB, SizeError, count, parse_size, size

_SIGNALS: Final = {
    "SIGSEGV": "segmentation fault", "SIGABRT": "aborted", "SIGILL": "illegal instruction",
    "SIGFPE": "floating-point exception",
}  # fmt: skip
_GRAMMAR_OF: Final = {"kubernetes": "kubernetes", "slurm": "tmpfs", "bare": "tmpfs"}
_RIGHT_KEYS: Final = {
    "compose": "shm_size", "docker": "--shm-size", "podman": "--shm-size",
    "kubernetes": "emptyDir with medium: Memory and sizeLimit, mounted at /dev/shm",
}  # fmt: skip
_SHOWN_ADVICE: Final = 5


@dataclass(frozen=True)
class Words:
    """The answer's texts."""

    title: str
    means: str
    dont: str
    advice: tuple[Advice, ...]
    sources: tuple[Source, ...]
    answer: str


def write(
    made: Decision,
    named: Mapping[str, Any],
    platform: str,
    numbers: Numbers,
    facts: Mapping[str, Any],
) -> Words:
    """Render the texts of one diagnosis."""
    row = resources.table("facts", "diagnoses")[made.diagnosis]
    names = {**_names(made, named, platform, numbers), **facts}
    signature = made.primary.signature if made.primary else None
    says = [signature.says] if signature and signature.says and _own(made) else []
    title, means, dont = (render(row[key], names) for key in ("title", "means", "dont"))
    means = " ".join([*says, *_place(made, named), means, *_later(made)])
    advice = tuple(
        Advice(id=each, text=render(advice_text(each, platform), names))
        for each in actions(made, platform)
    )
    sources = tuple(_sources([signature.source if signature and _own(made) else "", row["source"]]))
    answer = (
        _environment()
        .from_string(resources.text("words", "diagnose.txt.j2"))
        .render(
            title=title,
            means=means,
            dont=dont,
            advice=advice[:_SHOWN_ADVICE],
            sources=sources,
            evidence=made.shown[: 3 if made.diagnosis == "shm_size_not_applied" else 1],
            confidence="high" if made.diagnosis == "none" else made.confidence,
        )
    )
    return Words(title, means, dont, advice, sources, answer)


def actions(made: Decision, platform: str) -> tuple[str, ...]:
    """Return the ids of what to do, the first first."""
    row = resources.table("facts", "diagnoses")[made.diagnosis]
    return made.actions or tuple(row.get("actions_on", {}).get(platform) or row["actions"])


def _own(made: Decision) -> bool:
    """Whether the signature's own sentence still fits what was decided."""
    return made.primary is not None and made.primary.signature.diagnosis == made.diagnosis


def _names(
    made: Decision, named: Mapping[str, Any], platform: str, numbers: Numbers
) -> dict[str, Any]:
    value = str(named.get("value", ""))
    grammar = (made.primary.signature.sets.get("grammar") if made.primary else None) or (
        _GRAMMAR_OF.get(platform, "docker")
    )
    return {
        "extract": named,
        "platform": platform,
        "number": numbers.shm,
        "limit": numbers.memory,
        "descriptors": numbers.descriptors,
        "asked": named.get("bytes") or named.get("requested_bytes"),
        "asked_size": named.get("asked_bytes") or numbers.shm,
        "right": _right(value, grammar),
        "right_key": _right_key(str(named.get("key", "")), platform, grammar),
        "signal_words": _SIGNALS.get(str(named.get("signal")), "segmentation fault"),
        "spawned": "spawn_dataset_tensors" in made.secondary,
        "earlier_shm": made.diagnosis == "oom_killed" and "shm_exhausted" in made.secondary,
        "feeder": made.feeder,
        "sigbus_in_new": named.get("torch_era") == "<=2.9" and _newer(named.get("torch_version")),
        "clipped": made.clipped,
        "misplaced": "move_flag_before_image" in made.actions,
    }


def _right_key(key: str, platform: str, grammar: str) -> str | None:
    """Name the key that was meant, where the one refused is about the size."""
    if key.startswith("-"):
        return _RIGHT_KEYS["docker"]
    if "shm" not in key.lower():
        return None
    return _RIGHT_KEYS.get(platform) or _RIGHT_KEYS.get(grammar)


def _newer(version: Any) -> bool:
    return isinstance(version, str) and release(version) >= (2, 10)


def _right(value: str, grammar: str) -> str:
    """Spell a refused size as the platform reads it; empty where it is no size at all."""
    try:
        found = parse_size(value)
        return GRAMMARS[grammar].write(found) if found >= KIB else ""
    except (SizeError, KeyError, OverflowError):
        return ""


def _place(made: Decision, named: Mapping[str, Any]) -> list[str]:
    """Say who failed first, where several ranks or pods speak."""
    rank, pod = named.get("rank"), named.get("pod")
    waiting = made.diagnosis == "vllm_broadcast_wait"
    if made.primary is None or made.primary.signature.role == "echo" or waiting:
        return []
    many = len(named.get("ranks", ())) > 1
    if rank is not None:
        others = ", ".join(str(each) for each in named.get("ranks", ())[1:9])
        also = f"; the same happened on rank {others}" if many else ""
        return [f"Rank {rank} failed first{also}."]
    return [f"The first failure is in pod {pod}."] if pod else []


def _later(made: Decision) -> list[str]:
    words = []
    if "nccl_abort_is_consequence" in made.secondary:
        words.append(
            "The later messages of NCCL and of the store are a consequence: the other ranks wait "
            "for one that is gone. A longer timeout does not help."
        )
    if "nccl_shm_attach_missing" in made.secondary:
        words.append("The attach error of the other rank only follows: there is nothing to attach.")
    if "spawn_dataset_tensors" in made.secondary:
        words.append(
            "The traceback shows the start of a worker (start method spawn or forkserver): the "
            "dataset's own tensors travel to /dev/shm and stay there, before the first batch."
        )
    if "shm_exhausted" in made.secondary and made.diagnosis == "shm_size_not_applied":
        words.append("The failure in the text is that of a /dev/shm that is still small.")
    return words


def advice_text(action: str, platform: str) -> str:
    """Return an action's template, the platform's own where it has one."""
    row = resources.table("facts", "actions")[action]
    return str(row.get(platform) or row["any"])


def _sources(keys: Sequence[str]) -> list[Source]:
    table = resources.table("facts", "sources")
    return [
        Source(title=table[key]["title"], url=table[key]["url"])
        for key in dict.fromkeys(keys)
        if key
    ]


def render(text: str, names: Mapping[str, Any]) -> str:
    """Fill a template of diagnoses.toml or actions.toml; names that are not known are left out."""
    return _environment().from_string(text).render(names).strip()


@cache
def _environment() -> Environment:
    environment = Environment(  # noqa: S701 - plain text, not HTML
        undefined=Undefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters.update({name: grammar.write for name, grammar in GRAMMARS.items()})
    environment.filters.update(size=size, count=count)
    return environment
