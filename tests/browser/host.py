"""A host whose site is replaced, cut off and taken away while a browser uses it."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any, BinaryIO

from web.make import hashed, offline, serve
from web.make.stamps import files

LOGIN = b"<!doctype html><title>Log in</title>"


class Host:
    """What the host does is set here, and what it has sent is counted."""

    def __init__(self, site: Path) -> None:
        self.site = site
        self.address = ""
        self.is_down = False
        self.cut: set[str] = set()
        """Paths of which only the first half arrives."""
        self.wrong: set[str] = set()
        """Paths answered with something else as if it were right, as login pages do."""
        self.held: set[str] = set()
        """Paths that are answered only once they are taken out here."""
        self.sent: Counter[str] = Counter()
        """Answers with content, by path."""
        self.checked: Counter[str] = Counter()
        """Answers that what the browser has is still right, by path."""

    def forget(self) -> None:
        """Count from here on."""
        self.sent.clear()
        self.checked.clear()


class Server(serve.Server):
    """The server of the build, at the mercy of its host."""

    def __init__(self, host: Host) -> None:
        def handler(*arguments: Any) -> Handler:
            return Handler(*arguments, host=host)

        ThreadingHTTPServer.__init__(self, (serve.HOST, 0), handler)


class Handler(serve.Handler):
    """Answers as the host lets it."""

    def __init__(self, *arguments: Any, host: Host) -> None:
        self.host = host
        super().__init__(*arguments, directory=str(host.site))

    def send_head(self) -> BinaryIO | None:
        self.directory = str(self.host.site)
        if self.host.is_down:
            raise ConnectionResetError
        while self.path in self.host.held:
            time.sleep(0.05)
        if self.path in self.host.wrong:
            return self.something_else()
        return super().send_head()

    def something_else(self) -> BinaryIO:
        """Answer with a page of somebody's, to be kept for long."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Cache-Control", "public, max-age=31536000, immutable")
        self.send_header("Content-Length", str(len(LOGIN)))
        self.end_headers()
        return BytesIO(LOGIN)

    def copyfile(self, source: Any, outputfile: Any) -> None:
        if self.path not in self.host.cut:
            super().copyfile(source, outputfile)
            return
        content = source.read()
        outputfile.write(content[: len(content) // 2])
        raise ConnectionResetError

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        del size
        counted = {200: self.host.sent, 304: self.host.checked}.get(int(code))
        if counted is not None:
            counted[self.path] += 1


@contextmanager
def serving(site: Path) -> Iterator[Host]:
    """Serve a site from a host that can be changed."""
    host = Host(site)
    with Server(host) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        host.address = server.address
        try:
            yield host
        finally:
            server.shutdown()
            thread.join()


def newer(site: Path, target: Path, version: str) -> Path:
    """Write another version of a site: its pages and scripts differ, Python is the same."""
    left_out = shutil.ignore_patterns("*.br", "*.gz", "build.json")
    shutil.copytree(site, target, ignore=left_out)
    before = hashed.folder(target, hashed.ASSETS)
    script = before / "js" / "theme.js"
    mark = f"document.documentElement.dataset.version = {version!r};\n"
    script.write_text(mark + script.read_text("utf-8"), "utf-8")
    after = before.rename(before.with_name(hashed.name(before)))
    for page in (path for path in files(target) if path.suffix == ".html"):
        html = page.read_text("utf-8").replace(before.name, after.name)
        page.write_text(html, "utf-8")
    offline.write(target)
    return target
