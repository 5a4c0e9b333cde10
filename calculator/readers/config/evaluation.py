"""When a training file validates: after an epoch, in the middle of one, or never."""

from __future__ import annotations

from calculator.readers.config import keys
from calculator.readers.config.tree import Node, walk


def amid(root: Node) -> bool:
    """Whether validation runs in the middle of an epoch, while the training loader is full."""
    for path, node in walk(root):
        key, value = keys.plain(path[-1]) if path else "", node.scalar
        if key in {"eval_strategy", "evaluation_strategy"} and str(value).lower() == "steps":
            return True
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if key in {"val_check_interval", "eval_period"} and number and value != 1.0 and value > 0:
            return True
    return False


def off(root: Node) -> bool:
    """Whether the file says that there is no validation."""
    for path, node in walk(root):
        key, value = keys.plain(path[-1]) if path else "", node.scalar
        if key in {"eval_strategy", "evaluation_strategy"} and value in {"no", False}:
            return True
        if key == "do_eval" and value is False:
            return True
    return False
