"""One PyTorch at work on tmpfses of any size: the peak of a case, and the least that survives."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from tests.lab import saying

PAGE: Final = 4096
ROOMY: Final = 8 * 1024**3
"""A tmpfs takes memory only for what is in it: this one never is full."""

SURVIVALS: Final = 3

Answer = dict[str, Any]


class LabError(Exception):
    """A PyTorch that cannot be measured, or a case that does not run in it."""


@dataclass(frozen=True)
class Smallest:
    """The smallest /dev/shm that survived every run, and what one page less made happen."""

    bytes: int | None
    below: Answer


class Bench:
    """A process that has PyTorch, in a mount namespace of its own."""

    def __init__(self, python: Sequence[str], packages: Path) -> None:
        unshare = ["unshare", "--mount", "--propagation", "private"]
        script = Path(__file__).parent / "job.py"
        self.process = subprocess.Popen(
            [*unshare, *python, "-B", str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(packages.resolve())},
        )
        self.about: dict[str, str] = self._read()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.process.terminate()
        self.process.communicate()

    def _read(self) -> Answer:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise LabError(f"PyTorch's process ended with status {self.process.wait()}")
        found: Answer = json.loads(line)
        return found

    def run(self, case: dict[str, Any], size: int, *, describe: bool = False) -> Answer:
        """Run a case once on a /dev/shm of `size` bytes.

        Raises:
            LabError: the process that runs it has ended.
        """
        assert self.process.stdin is not None
        request = {"case": case, "size": size, "describe": describe}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self._read()

    def peak(self, case: dict[str, Any]) -> Answer:
        """Run a case where there is room.

        Raises:
            LabError: it does not run in this PyTorch even so; the message is its own.
        """
        found = self.run(case, ROOMY, describe=True)
        if not survived(found):
            raise LabError(f"{found['ended']}: {saying.last(found['said'])}")
        return found

    def smallest(self, case: dict[str, Any], peak: int) -> Smallest:
        """Search the smallest /dev/shm, in whole pages, on which every of three runs survived.

        It begins at the measured peak and one page below, where it ends for most; otherwise
        it bisects between what failed and what survived.  No model is asked.
        """
        low, high, step = 0, 0, PAGE
        below: Answer = {}
        size = peak
        while not (low and high and high - low <= PAGE):
            failed = self._failure(case, size)
            if failed is None:
                high = size
            else:
                low, below = size, failed
            if high == PAGE or low > ROOMY:
                break
            size = next_size(low, high, step)
            step *= 2
        return Smallest(high or None, below)

    def _failure(self, case: dict[str, Any], size: int) -> Answer | None:
        for _ in range(SURVIVALS):
            found = self.run(case, size)
            if not survived(found):
                return found
        return None


def next_size(low: int, high: int, step: int) -> int:
    """Return the size to try next: the middle; before there is one, a step that doubles."""
    if low and high:
        return (low + high) // 2 // PAGE * PAGE
    return max(PAGE, high - step) if high else low + step


def survived(found: Answer) -> bool:
    """Tell whether a run went through."""
    return bool(found["ended"] == "exit 0")
