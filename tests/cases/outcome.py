"""What holding one case against the product gave."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Outcome:
    """Hard checks that failed, and soft checks that did, each as a sentence.

    `soft_total` counts the soft checks that were made.
    """

    hard: list[str] = field(default_factory=list)
    soft_misses: list[str] = field(default_factory=list)
    soft_total: int = 0
