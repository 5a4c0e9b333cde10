"""The server of `build.py serve`: right types, nothing from outside its folder."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from web.make import serve


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a small site with a secret beside it."""
    site = tmp_path / "site"
    (site / "sub").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret", "utf-8")
    for name in ("index.html", "a.wasm", "a.mjs", "a.js", "a.json", "a.svg", "a.webmanifest"):
        (site / name).write_bytes(b"content")
    for name in ("a.css", "a.zip", "sub/page.html"):
        (site / name).write_bytes(b"content")
    return site


@pytest.fixture
def connection(folder: Path) -> Iterator[http.client.HTTPConnection]:
    """Connect to a server of that site."""
    with serve.running(folder) as address:
        connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=10)
        yield connection
        connection.close()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/a.wasm", "application/wasm"),
        ("/a.mjs", "text/javascript; charset=utf-8"),
        ("/a.js?v=1", "text/javascript; charset=utf-8"),
        ("/a.json", "application/json"),
        ("/a.svg", "image/svg+xml"),
        ("/a.webmanifest", "application/manifest+json"),
        ("/a.css", "text/css; charset=utf-8"),
        ("/a.zip", "application/zip"),
        ("/sub/page.html", "text/html; charset=utf-8"),
    ],
)
def test_types(connection: http.client.HTTPConnection, path: str, kind: str) -> None:
    """Each file comes with its type, and is asked for again the next time."""
    connection.request("GET", path)
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (200, b"content")
    assert answer.headers["Content-Type"] == kind
    assert answer.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/sub/..%2f..%2fsecret.txt",
        "/..%5csecret.txt",
        "//secret.txt",
        "/sub/",
        "/nothing",
    ],
)
def test_nothing_from_outside(connection: http.client.HTTPConnection, path: str) -> None:
    """No path leads out of the folder, and no folder is listed."""
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.status == 404
    assert b"secret\n" not in answer.read()


def test_next_free_port(folder: Path) -> None:
    """A port that is taken leads to the next one."""
    with (
        serve.Server(folder, 0) as first,
        serve.bind(folder, first.server_port) as second,
    ):
        assert second.server_port > first.server_port
