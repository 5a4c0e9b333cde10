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


NEVER_CHANGES = "a/0123456789ab/js/main.js"
SIZES = {"": 3000, ".br": 1000, ".gz": 2000}


@pytest.fixture
def copies(folder: Path) -> Path:
    """Add files with compressed copies, which differ in size, to the small site."""
    for name in ("copied.html", NEVER_CHANGES):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        for end, size in SIZES.items():
            (folder / f"{name}{end}").write_bytes(b"x" * size)
    (folder / "only.js").write_bytes(b"x" * 3000)
    (folder / "only.js.gz").write_bytes(b"x" * 2000)
    return folder


def fetch(
    connection: http.client.HTTPConnection, path: str, method: str = "GET", **headers: str
) -> http.client.HTTPResponse:
    """Ask for a path; an underscore in a header's name stands for a hyphen."""
    spelled = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers=spelled)
    return connection.getresponse()


@pytest.mark.usefixtures("copies")
@pytest.mark.parametrize(
    ("path", "accepted", "coding", "size"),
    [
        ("/copied.html", "gzip, deflate, br", "br", 1000),
        ("/copied.html", "gzip, deflate", "gzip", 2000),
        ("/copied.html", "br;q=0, gzip;q=0.5", "gzip", 2000),
        ("/copied.html", "br;q=0.2, gzip;q=0.8", "gzip", 2000),
        ("/copied.html", "GZIP ; q=1.0 , Br", "br", 1000),
        ("/copied.html", "br;q=0, gzip;q=0", None, 3000),
        ("/copied.html", "identity", None, 3000),
        ("/copied.html", "*", "br", 1000),
        ("/copied.html", "br;q=0, *", "gzip", 2000),
        ("/copied.html", "br;q=much", None, 3000),
        ("/copied.html", "brotli", None, 3000),
        ("/copied.html", "", None, 3000),
        ("/only.js", "br, gzip", "gzip", 2000),
        ("/only.js", "br", None, 3000),
        ("/a.wasm", "br, gzip", None, 7),
    ],
)
def test_sends_the_copy_that_the_browser_takes(
    connection: http.client.HTTPConnection, path: str, accepted: str, coding: str | None, size: int
) -> None:
    """What is sent keeps the original's type, and says that it depends on what was asked for."""
    answer = fetch(connection, path, Accept_Encoding=accepted)
    assert (answer.status, len(answer.read())) == (200, size)
    assert answer.headers["Content-Encoding"] == coding
    assert answer.headers["Content-Length"] == str(size)
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert "br" not in answer.headers["Content-Type"]


@pytest.mark.usefixtures("copies")
def test_what_the_browser_has_is_not_sent_again(connection: http.client.HTTPConnection) -> None:
    first = fetch(connection, "/copied.html", Accept_Encoding="br")
    assert len(first.read()) == 1000
    tag = first.headers["ETag"]
    for known in (tag, f'"other", W/{tag}', "*"):
        again = fetch(connection, "/copied.html", Accept_Encoding="br", If_None_Match=known)
        assert (again.status, again.read()) == (304, b"")
        assert again.headers["ETag"] == tag
    for accepted, known in {"gzip": tag, "br": '"other"'}.items():
        other = fetch(connection, "/copied.html", Accept_Encoding=accepted, If_None_Match=known)
        assert other.status == 200
        other.read()


def test_changed_file_is_sent_again(connection: http.client.HTTPConnection, copies: Path) -> None:
    before = fetch(connection, "/only.js")
    before.read()
    (copies / "only.js").write_bytes(b"y" * 3000)
    answer = fetch(connection, "/only.js", If_None_Match=before.headers["ETag"])
    assert (answer.status, answer.read()) == (200, b"y" * 3000)


@pytest.mark.usefixtures("copies")
@pytest.mark.parametrize(
    ("path", "status", "kept"),
    [
        (f"/{NEVER_CHANGES}", 200, "public, max-age=31536000, immutable"),
        ("/a/0123456789ab/js/gone.js", 404, "no-cache"),
        ("/a/0123456789ab", 301, "no-cache"),
        ("/copied.html?/a/0123456789ab/", 200, "no-cache"),
        ("/", 200, "no-cache"),
    ],
)
def test_only_what_never_changes_is_kept(
    connection: http.client.HTTPConnection, path: str, status: int, kept: str
) -> None:
    answer = fetch(connection, path)
    answer.read()
    assert (answer.status, answer.headers["Cache-Control"]) == (status, kept)


@pytest.mark.usefixtures("copies")
def test_head_tells_the_same_without_the_content(connection: http.client.HTTPConnection) -> None:
    whole = fetch(connection, "/copied.html", Accept_Encoding="br")
    whole.read()
    head = fetch(connection, "/copied.html", "HEAD", Accept_Encoding="br")
    assert (head.status, head.read()) == (200, b"")
    told = ("Content-Type", "Content-Length", "Content-Encoding", "ETag")
    assert [head.headers[name] for name in told] == [whole.headers[name] for name in told]


def test_next_free_port(folder: Path) -> None:
    """A port that is taken leads to the next one."""
    with (
        serve.Server(folder, 0) as first,
        serve.bind(folder, first.server_port) as second,
    ):
        assert second.server_port > first.server_port
