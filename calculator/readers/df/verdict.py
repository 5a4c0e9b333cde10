"""What a size and its use mean: the verdict, and its words."""

from __future__ import annotations

from typing import Any, Final

from calculator import resources
from calculator.units import GIB, MIB, size
from calculator.workload import DEFAULT_SHM_BYTES

PODMAN_DEFAULT_BYTES: Final = 65_536_000
"""Podman's default of 65536k, read as thousands: df shows 63M (containers/common)."""

FULL: Final = 0.99
NEARLY_FULL: Final = 0.85
AMPLE_SHARE: Final = 0.05
DECLARED_TOLERANCE: Final = 1.02


def words(key: str, **values: Any) -> str:
    """Return the sentence of a verdict or a note, with sizes written for people."""
    table = resources.table("readers/words", "df")
    text: str = {**table["note"], **table["verdict"]}[key]
    shown = {
        name: size(value) if isinstance(value, int) else value for name, value in values.items()
    }
    return text.format_map(_Missing(shown))


class _Missing(dict[str, Any]):
    """A value nobody knows is left as a word."""

    def __missing__(self, key: str) -> str:
        return "an unknown part" if key in {"used", "avail", "size"} else key


def of_size(total: int, need: int | None = None, declared: int | None = None) -> str:
    """Return the verdict on a size alone, as a mount line shows it."""
    if need is not None and total < need:
        return "too_small_for_need"
    if declared is not None and total > declared * DECLARED_TOLERANCE:
        return "larger_than_declared"
    if total < MIB:
        return "too_small"
    if PODMAN_DEFAULT_BYTES * 0.98 <= total <= DEFAULT_SHM_BYTES * 1.01:
        return "default_64m"
    return "below_default" if total < DEFAULT_SHM_BYTES else "size_only"


def of_use(
    total: int,
    used: int | None,
    percent: float | None,
    need: int | None = None,
    declared: int | None = None,
) -> str:
    """Return the verdict on a row of df.

    Args:
        total: size in bytes.
        used: bytes in use; None where it is not shown.
        percent: what df shows as Use%, if it does.
        need: what the job needs, if that is known.
        declared: what the manifest says, if that is known.
    """
    by_size = of_size(total, need, declared)
    if used is None or by_size in {"too_small_for_need", "larger_than_declared", "too_small"}:
        return by_size
    share = percent / 100 if percent is not None else used / total
    if share >= FULL:
        return "full"
    if share >= NEARLY_FULL:
        return "nearly_full"
    if by_size != "size_only":
        return by_size
    return "ample" if total >= GIB and share <= AMPLE_SHARE else "ok"


def trend(used: list[int], total: int) -> str:
    """Return whether several readings rise, fall or stay: `rising`, `falling`, `flat`."""
    spread = max(used) - min(used)
    moved = used[-1] - used[0]
    if spread <= total // 100 or abs(moved) * 2 < spread:
        return "flat"
    return "rising" if moved > 0 else "falling"
