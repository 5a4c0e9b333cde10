"""Real services, started once for all tests that need them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support import dockerd, slurm


@pytest.fixture(scope="session")
def docker_engine() -> Iterator[dockerd.Docker]:
    """Start Docker's engine."""
    with dockerd.engine() as engine:
        yield engine


@pytest.fixture(scope="session")
def slurm_controller() -> Iterator[slurm.Slurm]:
    """Start Slurm's controller."""
    with slurm.controller() as controller:
        yield controller
