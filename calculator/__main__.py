"""The door for the shell: `python -m calculator`, also installed as `shm-sizer`.

Nothing is imported here that a plain Python does not have: `probe` measures where the job
runs, and needs no other package there.  Every other command needs those of `NEEDED`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Final

from calculator.commands import probe

NEEDED: Final = ("pydantic", "jinja2", "ruamel.yaml")
"""Packages of the engine, as pip calls them."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    words = sys.argv[1:] if argv is None else list(argv)
    if words[:1] == ["probe"]:
        return probe.measure(words[1:])
    try:
        from calculator import shell  # noqa: PLC0415 - it needs packages that may be missing
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in _ROOTS:
            raise
        return _incomplete(error.name)
    return shell.run(words)


_ROOTS: Final = {each.split(".")[0] for each in NEEDED}


def _incomplete(missing: str) -> int:
    """Say how the packages are installed; only `probe` runs without them."""
    print(
        f"shm-sizer: this Python has no {missing}: `pip install .` in the checkout brings all"
        f" that is needed, or `pip install {' '.join(NEEDED)}`; only `probe` needs none",
        file=sys.stderr,
    )
    return 2


if __name__ == "__main__":
    sys.exit(main())
