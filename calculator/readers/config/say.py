"""The sentences of the readers of configurations, from their file of words."""

from __future__ import annotations

from typing import Any

from calculator import resources
from calculator.readers.reading import Question, Remark
from calculator.units import size


def _fill(part: str, key: str, values: dict[str, Any]) -> str:
    text: str = resources.table("readers/words", "config")[part][key]
    return text.format(**values)


def note(key: str, /, **values: Any) -> str:
    """Return one sentence of explanation."""
    return _fill("note", key, values)


def warn(key: str, /, **values: Any) -> Remark:
    """Return one warning."""
    return Remark(id=key, text=_fill("warning", key, values))


def ask(path: str, key: str, expression: str = "", /, **values: Any) -> Question:
    """Return one question."""
    return Question(path=path, question=_fill("ask", key, values), expression=expression)


def memory_warnings(shm: int | None, memory: int | None) -> list[Remark]:
    """Warn where a size of /dev/shm is close to, or above, the memory limit."""
    if not shm or not memory or shm * 10 < memory * 8:
        return []
    left = size(memory - shm) if memory > shm else "nothing"
    values = {"shm": size(shm), "memory": size(memory), "left": left}
    return [warn("shm_counts_toward_memory", **values)]
