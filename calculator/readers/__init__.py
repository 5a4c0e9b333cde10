"""Readers of pasted text: `read` says what a paste is and what it means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from calculator.errors import InputError
from calculator.probed import MARK
from calculator.readers import config, df, probe
from calculator.readers.code import read_code
from calculator.readers.config.say import note
from calculator.readers.reading import Reading

KINDS: Final = ("auto", "code", "config", "df", "probe")

_CODE: Final = re.compile(
    r"\bDataLoader\w*\s*\(|\bDataModule\b|\bTrainingArguments\s*\(|^[^\S\n]*(?:from|import)\s+torch\b"
    r"|^[^\S\n]*(?:async\s+)?def\s+\w+\s*\(|^[^\S\n]*class\s+\w+\s*[(:]|\bAccelerator\s*\(|\bTrainer\s*\("
    r"|\badd_argument\s*\(|\bDistributedSampler\s*\(",
    re.MULTILINE,
)
_NO_CODE: Final = re.compile(
    r"^[^\S\n]*(?:docker|podman|srun|#SBATCH|apiVersion:|services:)\b", re.MULTILINE
)
_MANIFEST: Final = re.compile(r"^(?:apiVersion|services)\s*:", re.MULTILINE)


def read(text: str, kind: str = "auto", given: Mapping[str, Any] | None = None) -> Reading:
    """Read a paste.

    Args:
        text: what was pasted.
        kind: what it is, if a person says so: `code`, `config`, `df` or `probe`; `auto` finds out.
        given: what is known beside it, such as `sample_shape`, `dtype` and `need_bytes`.

    Raises:
        InputError: the paste is too long or too deep, or what is given cannot be used.
    """
    if kind not in KINDS:
        raise InputError.at("kind", f"must be one of {', '.join(KINDS)}")
    if kind == "probe" or (kind == "auto" and MARK.search(text)):
        return probe.read(text, given)
    if kind == "df":
        return df.read(text, given)
    if kind == "config":
        return config.read(text, given)
    if kind == "code":
        return read_code(text, given)
    return _guess(text, given)


def _guess(text: str, given: Mapping[str, Any] | None) -> Reading:
    """Try each kind, the one that is easiest to know first."""
    measured = df.read(text, given)
    if measured.verdict != "unparsable":
        return measured
    if _MANIFEST.search(text):
        return Reading(kind="yaml", notes=(note("manifest"),))
    python = _CODE.search(text) is not None and _NO_CODE.search(text) is None
    if python and (found := _code(text, given)) is not None and found.loaders:
        return found
    configured = config.attempt(text, given)
    if configured is not None:
        return configured
    found = _code(text, given)
    if found is not None and (python or found.loaders):
        return found
    return measured


def _code(text: str, given: Mapping[str, Any] | None) -> Reading | None:
    """Read DataLoader code; None where it is none."""
    try:
        return read_code(text, given)
    except InputError:
        return None
