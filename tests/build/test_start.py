"""The engine's start in a real browser: from its own folder only, and honest when it fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from web.make import bundle, hashed, serve
from web.make.places import Places
from web.make.policy import CONTENT_SECURITY_POLICY

BLANK = '<!doctype html><title>blank</title><link rel="icon" href="favicon.svg">'

TYPES = {
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".json": "application/json",
    ".so": "application/octet-stream",
    ".zip": "application/zip",
}

# Runs in a page that holds nothing: the engine's client is all that is loaded.
START = """async ([address, requests]) => {
  const { Engine } = await import(address + "engine.js");
  window.steps = [];
  window.engine = new Engine((progress) => window.steps.push(progress));
  window.engine.start();
  const answers = requests.map((request) => window.engine.ask(request));
  return Promise.race([Promise.all(answers), failure()]);

  async function failure() {
    while (window.steps.at(-1)?.step !== "failed") await new Promise((go) => setTimeout(go, 20));
    return window.steps.at(-1).reason;
  }
}"""

RETRY = """() => {
  const answer = window.engine.ask({preset: "llm-tokens"});
  window.engine.retry();
  return answer;
}"""


@pytest.fixture(scope="module")
def under_path(dist: Path, places: Places) -> Iterator[str]:
    """Serve the checkout, so that the site lies under a path of its server; return that address."""
    assert dist.is_dir()
    with serve.running(places.root) as address:
        yield f"{address}dist/"


@pytest.fixture
def page(browser: Browser, under_path: str) -> Iterator[Page]:
    """Open a page in the site's place and under its policy that starts nothing by itself."""

    def blank(route: Route) -> None:
        policy = {"Content-Security-Policy": CONTENT_SECURITY_POLICY}
        route.fulfill(body=BLANK, content_type="text/html", headers=policy)

    context = browser.new_context()
    context.route(f"{under_path}blank.html", blank)
    page = context.new_page()
    page.goto(f"{under_path}blank.html")
    yield page
    context.close()


def start(page: Page, *requests: dict[str, Any]) -> Any:
    """Start the engine with these requests waiting; return its answers, or the reason it failed."""
    dist = Places(Path(__file__).parents[2]).dist
    scripts = f"{hashed.ASSETS}/{hashed.folder(dist, hashed.ASSETS).name}/js/"
    return page.evaluate(START, [page.url.removesuffix("blank.html") + scripts, list(requests)])


def test_answers_from_its_own_folder(page: Page, under_path: str) -> None:
    """The start asks for nothing outside the site's folder, and the console stays empty."""
    asked: list[str] = []
    complaints: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    page.context.on("console", lambda message: complaints.append(message.text))
    (answer,) = start(page, {"preset": "images-8gpu"})
    assert answer["ok"] is True
    assert [url for url in asked if not url.startswith(under_path)] == []
    assert sum(url.endswith(".whl") for url in asked) == 0
    assert complaints == []


def test_tells_its_steps_in_order(page: Page) -> None:
    """Progress runs from fetching to ready, and every file arrives."""
    start(page, {"preset": "images-8gpu"})
    steps = page.evaluate("window.steps")
    names = list(dict.fromkeys(step["step"] for step in steps))
    assert names == ["fetch", "start", "import", "ready"]
    fetched = [step for step in steps if step["step"] == "fetch"]
    assert fetched[0]["loaded"] == 0
    assert fetched[-1]["loaded"] == fetched[-1]["total"]


def test_newest_request_wins(page: Page) -> None:
    """Of the requests made before the engine is up, only the last is computed."""
    names = ["images-8gpu", "medical-3d", "llm-tokens"]
    *overtaken, last = start(page, *({"preset": name} for name in names))
    assert overtaken == [None, None]
    assert last["workload"]["loaders"][0]["fields"]
    ready = page.evaluate(
        """(names) => Promise.all(names.map((preset) => window.engine.ask({ preset })))""", names
    )
    assert [answer and answer["ok"] for answer in ready] == [True, None, True]


@pytest.mark.parametrize("how", ["not found", "cut off", "damaged"])
@pytest.mark.parametrize("name", bundle.CONTENT)
def test_missing_file_is_said_and_can_be_retried(page: Page, name: str, how: str) -> None:
    """A file that does not arrive ends the start with a reason; trying again starts afresh."""

    def refuse(route: Route) -> None:
        if how == "cut off":
            route.abort("connectionreset")
        elif how == "damaged":
            route.fulfill(body=b"<html>not it</html>", content_type=TYPES[Path(name).suffix])
        else:
            route.fulfill(status=404, body="no such file")

    page.context.route(f"**/py/*/{name}", refuse)
    reason = start(page, {"preset": "images-8gpu"})
    assert isinstance(reason, str)
    assert reason
    page.context.unroute(f"**/py/*/{name}", refuse)
    assert page.evaluate(RETRY)["ok"] is True


def test_missing_worker_is_said(page: Page) -> None:
    """So does a worker that cannot be loaded at all."""
    page.context.route("**/js/worker.js", lambda route: route.abort())
    assert start(page, {}) == "the engine's files cannot be loaded"


def test_forbidden_webassembly_is_said(page: Page) -> None:
    """A policy that forbids WebAssembly, under which Pyodide would wait forever, fails at once."""

    def forbid(route: Route) -> None:
        response = route.fetch()
        policy = response.headers["content-security-policy"].replace(" 'wasm-unsafe-eval'", "")
        headers = {**response.headers, "content-security-policy": policy}
        route.fulfill(response=response, headers=headers)

    page.context.route("**/js/worker.js", forbid)
    assert "WebAssembly" in start(page, {})
