"""A static web server for dist/, as plain as any host that the site may be put on."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import BinaryIO

from web.make import hashed, hosts, negotiate
from web.make.failure import BuildError
from web.make.policy import CONTENT_SECURITY_POLICY

HOST = "127.0.0.1"
_PORTS_TRIED = 20
_PORTS = 65536
_TYPES = {
    ".br": "application/octet-stream",
    ".css": "text/css; charset=utf-8",
    ".gz": "application/gzip",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".zip": "application/zip",
    "": "application/octet-stream",
}
_FOREVER = re.compile(rf"/(?:{hashed.ASSETS}|{hashed.PYTHON})/{hashed.NAME.pattern}/")
"""Paths in folders that are named by their content: what they name never changes."""
_ASKED_AGAIN = "no-cache"


class Handler(SimpleHTTPRequestHandler):
    """Answers with files and nothing else, with the headers that a host should send."""

    protocol_version = "HTTP/1.1"
    extensions_map = _TYPES
    keep = _ASKED_AGAIN

    def send_head(self) -> BinaryIO | None:
        """Send a file's headers, in the form that suits the browser best; return what follows."""
        path = self.named()
        if path is None:
            return super().send_head()  # another address, or none
        coding, chosen = negotiate.choose(path, self.headers.get("Accept-Encoding", ""))
        tag = negotiate.tag(chosen)
        known = negotiate.is_current(tag, self.headers.get("If-None-Match", ""))
        self.keep = hosts.KEPT if _FOREVER.search(self.path.partition("?")[0]) else _ASKED_AGAIN
        self.send_response(HTTPStatus.NOT_MODIFIED if known else HTTPStatus.OK)
        self.send_header("ETag", tag)
        self.send_header("Vary", "Accept-Encoding")
        if not known:
            self.describe(path, coding, chosen.stat().st_size)
        self.end_headers()
        return None if known else chosen.open("rb")

    def named(self) -> Path | None:
        """Return the file that the address names; None where it names none or lacks a slash."""
        path = Path(self.translate_path(self.path))
        ends_in_slash = self.path.partition("?")[0].partition("#")[0].endswith("/")
        if path.is_dir() and ends_in_slash:
            path /= "index.html"
        elif ends_in_slash:
            return None
        return path if path.is_file() else None

    def describe(self, path: Path, coding: str, size: int) -> None:
        """Send the headers that say what a body is; its type is that of the file as it is."""
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Length", str(size))
        if coding:
            self.send_header("Content-Encoding", coding)

    def end_headers(self) -> None:
        """Say how long this may be kept, and hold it to the page's policy."""
        self.send_header("Cache-Control", self.keep)
        self.keep = _ASKED_AGAIN  # the next answer on this connection may be an error
        self.send_header("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: str) -> BinaryIO | None:  # type: ignore[override]
        """Show no folder's content."""
        del path
        self.send_error(HTTPStatus.NOT_FOUND)
        return None

    def log_message(self, *_: object) -> None:
        """Keep quiet: the address stays the last line on the terminal."""


class Server(ThreadingHTTPServer):
    """Serves one folder on this machine only."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int) -> None:
        """Bind to the port; 0 takes any free one."""
        super().__init__((HOST, port), partial(Handler, directory=str(folder)))

    @property
    def address(self) -> str:
        """The address of the folder's root."""
        return f"http://{HOST}:{self.server_port}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of a browser that went away in the middle of an answer."""


def serve(folder: Path, first_port: int) -> None:
    """Serve the folder until Ctrl-C."""
    with bind(folder, first_port) as server:
        print(f"Open {server.address} (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


def bind(folder: Path, first_port: int) -> Server:
    """Return a server on the first free port from this one on."""
    for port in range(first_port, min(first_port + _PORTS_TRIED, _PORTS)):
        try:
            return Server(folder, port)
        except OSError as error:
            if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
                raise BuildError(f"cannot serve on port {port}", because=str(error)) from None
    raise BuildError(f"no free port from {first_port} on: name another with --port")


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Serve the folder on a free port from another thread; yield its address."""
    with Server(folder, 0) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.address
        finally:
            server.shutdown()
            thread.join()
