"""Compose and Kubernetes files and Helm values: the same file, mended; and many at once."""

from __future__ import annotations

from calculator.manifests.answer import Mended
from calculator.manifests.mending import mend

__all__ = ["Mended", "mend"]
