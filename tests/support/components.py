"""Real components that tests need: found, or skipped with a reason, or failed in CI."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def component(name: str) -> str:
    """Return the path of a program; without it skip, or fail where CI=true."""
    return shutil.which(name) or missing(f"{name} is not installed")


def missing(reason: str) -> NoReturn:
    """Skip with a reason; in CI nothing may be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason}; CI must install it")
    pytest.skip(reason)
