"""Describe real DataLoaders in the calculator's own words; needs PyTorch, and only when called."""

from calculator.inspector.batch_inspector import Description, describe

__all__ = ["Description", "describe"]
