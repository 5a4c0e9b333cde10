"""The engine's start in a real browser: from its own folder only, and honest when it fails."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from web.make import bundle, hashed, runtime, serve, snapshot
from web.make.places import Places
from web.make.policy import CONTENT_SECURITY_POLICY

BLANK = '<!doctype html><title>blank</title><link rel="icon" href="favicon.svg">'

SHARED = (*runtime.SHIPPED, bundle.CORE, bundle.LOCK)

TYPES = {
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".json": "application/json",
    ".so": "application/octet-stream",
    ".zip": "application/zip",
    ".bin": "application/octet-stream",
}

SOURCES = Path(__file__).parents[2] / "web" / "js"
SINGLE = ("engine.js", "thread.js", "starts.js", "loader.js", "archives.js", "memory.js")
"""Modules that the site joins to others: taken alone here, as if they lay beside these."""

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


WAYS = {
    "direct": (*SHARED, bundle.START),
    "resumed": (*SHARED, bundle.DATA, *snapshot.CONTENT),
}


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    """Return each way to start."""
    return str(request.param)


@pytest.fixture
def page(browser: Browser, under_path: str, way: str) -> Iterator[Page]:
    """Open a page in the site's place and under its policy that starts nothing by itself."""

    def blank(route: Route) -> None:
        policy = {"Content-Security-Policy": CONTENT_SECURITY_POLICY}
        route.fulfill(body=BLANK, content_type="text/html", headers=policy)

    def single(route: Route) -> None:
        path = SOURCES / route.request.url.rpartition("/")[2]
        route.fulfill(path=path, content_type="text/javascript")

    context = browser.new_context()
    context.route(f"{under_path}blank.html?*", blank)
    for name in SINGLE:
        context.route(f"{under_path}a/*/js/{name}", single)
    page = context.new_page()
    page.goto(f"{under_path}blank.html?start={way}")
    yield page
    context.close()


def start(page: Page, *requests: dict[str, Any]) -> Any:
    """Start the engine with these requests waiting; return its answers, or the reason it failed."""
    return page.evaluate(START, [scripts(page), list(requests)])


def scripts(page: Page) -> str:
    """Return the address of the site's scripts."""
    return f"{folder(page.url, hashed.ASSETS)}js/"


def folder(address: str, kind: str) -> str:
    """Return the address of a folder that is named by its content."""
    dist = Places(Path(__file__).parents[2]).dist
    return f"{address.partition('blank.html')[0]}{kind}/{hashed.folder(dist, kind).name}/"


def test_answers_from_its_own_folder(page: Page, under_path: str, way: str) -> None:
    """The start asks for its files, each once, and nothing else; the console stays empty."""
    asked: list[str] = []
    complaints: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    page.context.on("console", lambda message: complaints.append(message.text))
    (answer,) = start(page, {"preset": "images-8gpu"})
    assert answer["ok"] is True
    assert [url for url in asked if not url.startswith(under_path)] == []
    python = [url.rpartition("/")[2] for url in asked if "/py/" in url]
    assert sorted(python) == sorted(WAYS[way])
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


def refusing(page: Page, name: str, how: str) -> Callable[[], None]:
    """Let a file of Python's not arrive until what is returned is called."""
    pattern = f"**/py/*/{name}"

    def refuse(route: Route) -> None:
        if how == "cut off":
            route.abort("connectionreset")
        elif how == "damaged":
            route.fulfill(body=b"<html>not it</html>", content_type=TYPES[Path(name).suffix])
        else:
            route.fulfill(status=404, body="no such file")

    page.context.route(pattern, refuse)
    return lambda: page.context.unroute(pattern, refuse)


def lost(page: Page, name: str, how: str) -> Callable[[], None]:
    """Expect a start without this file to end with a reason; return what brings the file back."""
    restore = refusing(page, name, how)
    reason = start(page, {"preset": "images-8gpu"})
    assert isinstance(reason, str)
    assert reason
    return restore


@pytest.mark.parametrize(
    ("name", "how"),
    [
        *((name, "not found") for name in (*SHARED, bundle.START)),
        *(("pyodide.asm.wasm", how) for how in ("cut off", "damaged")),
        *((bundle.CORE, how) for how in ("cut off", "damaged")),
        *((name, "damaged") for name in ("pyodide.asm.mjs", bundle.LOCK, bundle.START)),
    ],
)
@pytest.mark.parametrize("way", ["direct"], indirect=True)
def test_missing_file_is_said(page: Page, name: str, how: str) -> None:
    """A file that does not arrive ends the start with a reason."""
    lost(page, name, how)


@pytest.mark.parametrize(
    ("name", "how"), [("pyodide.asm.wasm", "damaged"), (bundle.START, "not found")]
)
@pytest.mark.parametrize("way", ["direct"], indirect=True)
def test_missing_file_can_be_retried(page: Page, name: str, how: str) -> None:
    """Trying again starts afresh, and answers what was asked before."""
    restore = lost(page, name, how)
    restore()
    assert page.evaluate(RETRY)["ok"] is True


@pytest.mark.parametrize("way", ["direct"], indirect=True)
def test_host_that_does_not_know_the_type_is_no_matter(page: Page) -> None:
    """WebAssembly that a host calls something else starts all the same."""

    def call(route: Route) -> None:
        route.fulfill(response=route.fetch(), content_type="application/octet-stream")

    page.context.route("**/pyodide.asm.wasm", call)
    (answer,) = start(page, {"preset": "images-8gpu"})
    assert answer["ok"] is True


@pytest.mark.parametrize("name", ["pyodide.asm.wasm", bundle.CORE])
@pytest.mark.parametrize("way", ["resumed"], indirect=True)
def test_file_of_both_starts_is_missed_by_both(page: Page, name: str) -> None:
    """Resuming gives way to the direct start, which says what is missing."""
    lost(page, name, "not found")


@pytest.mark.parametrize("how", ["not found", "damaged"])
@pytest.mark.parametrize("name", [bundle.DATA, *snapshot.CONTENT])
@pytest.mark.parametrize("way", ["resumed"], indirect=True)
def test_missing_memory_costs_only_time(page: Page, name: str, how: str) -> None:
    """Without what only resuming needs the engine starts directly, and says so where few look."""
    refusing(page, name, how)
    assert_direct(page)


@pytest.mark.parametrize(
    "damage", ["cut short", "another word", "another runtime's", "other answer"]
)
@pytest.mark.parametrize("way", ["resumed"], indirect=True)
def test_memory_that_does_not_fit_costs_only_time(page: Page, damage: str) -> None:
    """A memory that is damaged, of another Pyodide, or that answers otherwise is not used."""

    def spoil(route: Route) -> None:
        content = bytearray(route.fetch().body())
        if damage == "cut short":
            del content[len(content) // 2 & ~3 :]
        else:
            content[len(content) // 2] ^= 1
        route.fulfill(body=bytes(content))

    def retell(route: Route) -> None:
        told = route.fetch().json()
        if damage == "another runtime's":
            head = bytearray(b64decode(told["head"]))
            head[16] ^= 1  # in the build id, which follows four words
            told["head"] = b64encode(head).decode()
        else:
            told["response"] = ""
        route.fulfill(json=told)

    if damage in {"cut short", "another word"}:
        page.context.route(f"**/{snapshot.MEMORY}", spoil)
    else:
        page.context.route(f"**/{snapshot.ABOUT}", retell)
    assert_direct(page)


def assert_direct(page: Page) -> None:
    """Expect the engine to answer after one note in the console, from the archive."""
    notes: list[str] = []
    asked: list[str] = []
    page.context.on(
        "console",
        lambda message: notes.append(message.text) if message.type == "info" else None,
    )
    page.context.on("request", lambda request: asked.append(request.url))
    (answer,) = start(page, {"preset": "images-8gpu"})
    assert answer["ok"] is True
    assert [url.rpartition("/")[2] for url in asked].count(bundle.START) == 1
    assert len(notes) == 1
    assert "could not be resumed" in notes[0]


ASK = """(request) => window.engine.ask(request).catch(({ message }) => message)"""
PASTE = {"workload": {}, "paste": {"chunk": "batch_size: 16", "first": True, "last": True}}


def test_rest_comes_when_nobody_waits(page: Page) -> None:
    """After the first answer the rest is fetched, once, whatever is asked meanwhile."""
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    with page.context.expect_event(
        "response", lambda response: response.url.endswith(bundle.LATER)
    ):
        start(page, {"preset": "images-8gpu"})
    for _ in range(3):
        assert page.evaluate(ASK, PASTE)["paste"]["kind"] == "config"
    page.wait_for_timeout(1000)
    assert sum(url.endswith(bundle.LATER) for url in asked) == 1


def test_paste_brings_the_rest_at_once(page: Page) -> None:
    """A text that is pasted before that is answered all the same, and the rest fetched once."""
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    (answer,) = start(page, PASTE)
    assert answer["paste"]["kind"] == "config"
    page.wait_for_timeout(1000)
    assert sum(url.endswith(bundle.LATER) for url in asked) == 1


@pytest.mark.parametrize("how", ["not found", "damaged"])
def test_missing_rest_is_said_of_what_needs_it(page: Page, how: str) -> None:
    """Without the rest only the request that needs it fails, in words; the next one tries again."""
    restore = refusing(page, bundle.LATER, how)
    start(page, {"preset": "images-8gpu"})
    assert "could not be fetched" in page.evaluate(ASK, PASTE)
    assert page.evaluate(ASK, {"preset": "llm-tokens"})["ok"] is True
    restore()
    assert page.evaluate(ASK, PASTE)["paste"]["kind"] == "config"


CHOICE = """async ([scripts, connection, wanted]) => {
  Object.defineProperty(navigator, "connection", { value: connection, configurable: true });
  const { choose } = await import(scripts + "starts.js");
  return choose("https://nowhere.invalid/", wanted);
}"""

LINES: dict[str, tuple[dict[str, Any] | None, str, str]] = {
    "a browser that does not tell": (None, "", "resumed"),
    "a fast line": ({"saveData": False, "effectiveType": "4g", "downlink": 10}, "", "resumed"),
    "bytes are dear": ({"saveData": True, "effectiveType": "4g", "downlink": 10}, "", "direct"),
    "a slow line": ({"saveData": False, "effectiveType": "3g", "downlink": 10}, "", "direct"),
    "a thin line": ({"saveData": False, "effectiveType": "4g", "downlink": 1.5}, "", "direct"),
    "asked for by name": ({"saveData": True, "effectiveType": "2g"}, "resumed", "resumed"),
    "the other name": (None, "direct", "direct"),
    "no name": (None, "sideways", "resumed"),
}


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("way", ["direct"], indirect=True)
def test_start_follows_the_line(page: Page, line: str) -> None:
    """Where bytes are dear or slow the start that takes fewer is chosen."""
    connection, wanted, expected = LINES[line]
    assert page.evaluate(CHOICE, [scripts(page), connection, wanted]) == expected


DICE = """async ([scripts, base]) => {
  const { resume } = await import(scripts + "loader.js");
  const { python } = await resume(base);
  return python.runPython("import random; random.random()");
}"""


@pytest.mark.parametrize("way", ["resumed"], indirect=True)
def test_chance_is_not_frozen(page: Page, under_path: str) -> None:
    """Two resumed Pythons draw different numbers."""
    drawn = {
        page.evaluate(DICE, [scripts(page), folder(under_path, hashed.PYTHON)]) for _ in range(2)
    }
    assert len(drawn) == 2


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
