"""Both starts in Firefox, and the page without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

from calculator import presets, report
from tests.browser.host import Host, serving
from tests.browser.test_firefox import fill, named
from tests.browser.test_paste import LOG, SHM
from tests.support import firefox
from tests.support.firefox import Firefox

CONTROLLED = "Boolean(navigator.serviceWorker.controller)"
STATE = "navigator.serviceWorker.ready.then(({ active }) => active.state)"


@pytest.fixture(scope="module")
def started() -> Iterator[Firefox]:
    """Start Firefox once."""
    with firefox.running() as browser:
        yield browser


@pytest.fixture
def host(dist: Path) -> Iterator[Host]:
    """Serve the built site."""
    with serving(dist) as host:
        yield host


@pytest.mark.parametrize(("way", "fetched"), [("direct", "start.zip"), ("resumed", "snapshot.bin")])
def test_either_start_gives_the_engines_answer(
    started: Firefox, host: Host, way: str, fetched: str
) -> None:
    """A start that could not go on as it began would say so on the console."""
    started.begin()
    started.open(f"{host.address}?start={way}")
    started.sees("#status", "Live")
    assert fetched in {PurePosixPath(path).name for path in host.sent}
    started.click("#preset-vision-language-8gpu")
    expected = report.build(presets.load("vision-language-8gpu").workload).targets[0].text
    started.waits(lambda: started.text("#chosen pre") == expected.strip(), "the engine's block")
    started.types(named("loaders.0.num_workers"), "16")
    started.sees("#recommended", "24 GiB")
    fill(started, LOG)
    started.sees("#paste-result h3", SHM)
    assert started.complaints() == []


def test_after_one_visit_the_network_may_go(started: Firefox, host: Host) -> None:
    started.begin()
    started.open(host.address)
    started.sees("#status", "Live")
    started.waits(lambda: started.evaluate(CONTROLLED), "the worker that keeps the page")
    started.waits(lambda: started.evaluate(STATE) == "activated", "all that the page needs")
    host.is_down = True
    started.open(host.address)
    started.sees("#status", "Live")
    started.types(named("loaders.0.num_workers"), "16")
    started.sees("#recommended", "16 GiB")
    fill(started, LOG)
    started.sees("#paste-result h3", SHM)
