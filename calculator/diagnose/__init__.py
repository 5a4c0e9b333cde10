"""From a pasted log to its cause, and to what helps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calculator.diagnose import context
from calculator.diagnose.answer import actions, write
from calculator.diagnose.context import Context
from calculator.diagnose.decide import decide
from calculator.diagnose.extract import extract, missing_ranks
from calculator.diagnose.lines import Line, clean
from calculator.diagnose.model import Advice, Diagnosis, Evidence, Source
from calculator.diagnose.numbers import compute
from calculator.diagnose.scanner import Sieve
from calculator.diagnose.signatures import match

__all__ = ["Advice", "Diagnosis", "Evidence", "Scanner", "Source", "diagnose"]

_CHUNK: Final = 1_000_000
_SHOWN: Final = 12
_LONGEST_SHOWN: Final = 600


def diagnose(text: str, given: Mapping[str, Any] | None = None) -> Diagnosis:
    """Say what a log means.

    Args:
        text: the log, as it was pasted.
        given: what is known beside it: `workload` (input JSON) or `preset` or `need_bytes`
            for the number, `platform` for its spelling.

    Raises:
        InputError: what is given cannot be used.
    """
    scanner = Scanner()
    for start in range(0, len(text), _CHUNK):
        scanner.feed(text[start : start + _CHUNK])
    return scanner.finish(given)


class Scanner:
    """Reads a log piece by piece, in bounded memory; the pieces may end anywhere."""

    def __init__(self) -> None:
        self._sieve = Sieve()
        self._blank = True
        self._kept: list[tuple[int, str]] | None = None

    def feed(self, chunk: str) -> None:
        """Take the next piece of the log."""
        self._blank = self._blank and not chunk.strip("\ufeff \t\r\n")
        self._sieve.feed(chunk)

    def finish(self, given: Mapping[str, Any] | None = None) -> Diagnosis:
        """Answer for all that was fed; may be asked again with something else given.

        Raises:
            InputError: what is given cannot be used.
        """
        if self._kept is None:
            self._kept = self._sieve.finish()
        lines = [line for number, raw in self._kept for line in clean(number, raw)]
        return self._answer(lines, given or {})

    def _answer(self, lines: list[Line], given: Mapping[str, Any]) -> Diagnosis:
        findings = match(lines)
        found = context.read(lines, findings, given)
        made = decide(lines, findings, found)
        numbers = compute(given)
        named = extract(made, found, lines, findings, self._sieve.counts)
        facts = {
            "blank": self._blank,
            "logind": "logind" in found.lines,
            "missing_ranks": ", ".join(map(str, missing_ranks(findings))),
            "note": found.notes[0].signature.says if found.notes else "",
        }
        if self._blank:
            made.confidence = "high"
        words = write(made, named, found.platform, numbers, facts)
        return Diagnosis(
            diagnosis=made.diagnosis,
            confidence=made.confidence,
            evidence=tuple(
                Evidence(line=line.number, text=line.text[:_LONGEST_SHOWN])
                for line in made.shown[:_SHOWN]
            ),
            extract=named,
            actions=actions(made, found.platform),
            secondary=tuple(dict.fromkeys(made.secondary)),
            answer=words.answer,
            title=words.title,
            means=words.means,
            dont=words.dont,
            platform=found.platform,
            advice=words.advice,
            sources=words.sources,
            workload=_inputs(named, found),
            size_bytes=numbers.shm,
            lines=self._sieve.lines,
        )


_ERA_VERSIONS: Final = {"<=2.9": "2.9", "2.10-2.11": "2.11", ">=2.10": "2.12"}


def _inputs(named: Mapping[str, Any], found: Context) -> dict[str, Any]:
    """Return inputs of the form that the text names."""
    era = _ERA_VERSIONS.get(str(named.get("torch_era", "")))
    inputs = {
        "torch_version": named.get("torch_version") or era,
        "python_version": found.named.get("python_version"),
        "current_shm": named.get("shm_size_bytes"),
        "memory_limit": named.get("memory_limit_bytes"),
        "ranks": found.named.get("processes"),
    }
    return {key: value for key, value in inputs.items() if value is not None}
