"""Where a workload comes from: preset, file, single values; each wins over the one before."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from calculator import paths, presets
from calculator.errors import InputError
from calculator.references import dangling
from calculator.typed import MAX_BYTES, plain
from calculator.units import SizeError, parse_size, size
from calculator.workload import Workload, parse


def gather(
    preset: str | None,
    given: Any,
    changes: Mapping[str, Any],
    removals: Sequence[str] = (),
) -> Workload:
    """Put a workload together and validate it.

    Args:
        preset: id of a preset to start from.
        given: input JSON, laid over the preset position by position.
        changes: dotted path -> value; after `removals`.
        removals: dotted paths of list entries to drop.

    Raises:
        InputError: with one problem per place.
    """
    return parse(collect(preset, given, changes, removals))


def collect(
    preset: str | None,
    given: Any,
    changes: Mapping[str, Any],
    removals: Sequence[str] = (),
) -> Any:
    """Put a workload together as `gather` does, and return it as it was given.

    Raises:
        InputError: what changes and removals are about is not there.
    """
    base = _preset_data(preset)
    if given is not None:
        base = merge(base, given)
    if changes or removals:
        base = paths.assign(_without(_whole(base), removals), changes)
    return base


def _whole(given: Any) -> Any:
    """Return input with every default: each edit asks it of the same job, so the last is kept."""
    try:
        return _filled(json.dumps(given))
    except RecursionError:
        raise InputError.at("", "is nested too deeply") from None


@lru_cache(maxsize=1)
def _filled(text: str) -> Any:
    return parse(json.loads(text)).model_dump(mode="json")


def _without(whole: Any, removals: Sequence[str]) -> Any:
    """Drop list entries; a tensor that shared the storage of a dropped one has its own now."""
    if not removals:
        return whole
    left = paths.remove(whole, removals)
    try:
        loaders = Workload.model_validate(left).loaders
    except ValidationError:
        return left  # said when it is parsed
    return paths.assign(left, {problem.path: "" for problem in dangling(loaders)})


def _preset_data(preset: str | None) -> dict[str, Any]:
    try:
        return presets.workload_data(preset or presets.DEFAULT_PRESET)
    except presets.UnknownPresetError as error:
        raise InputError.at("preset", str(error)) from None


def merge(base: Any, over: Any) -> Any:
    """Lay `over` on `base`: keys and list positions that both have are merged in turn."""
    if isinstance(base, dict) and isinstance(over, dict):
        return {
            **base,
            **{key: merge(base.get(key), value) for key, value in over.items()},
        }
    if isinstance(base, list) and isinstance(over, list):
        shared = [merge(old, new) for old, new in zip(base, over, strict=False)]
        return shared + over[len(base) :]
    return over


def read_shm(text: str) -> int:
    """Read a size of /dev/shm that is given.

    Raises:
        InputError: it is no size, or none that can be set.
    """
    try:
        value = parse_size(plain(text))
    except SizeError as error:
        raise InputError.at("shm", f"must be {error.expected}") from None
    except ValueError as error:
        raise InputError.at("shm", str(error)) from None
    if not 0 < value <= MAX_BYTES:
        raise InputError.at("shm", f"must be more than 0 and at most {size(MAX_BYTES)}")
    return value
