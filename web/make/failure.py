"""The one way a build step says that it cannot go on."""

from __future__ import annotations


class BuildError(Exception):
    """A step failed for a reason the reader can act on: one line, no traceback."""

    def __init__(self, message: str, *, because: str = "") -> None:
        """Keep the message and, when another program gave one, its reason."""
        super().__init__(f"{message} ({because})" if because else message)
