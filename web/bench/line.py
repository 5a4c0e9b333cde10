"""A server that writes down what it sends, over a line as slow as one wants.

The browser's own throttling does not reach the worker, which fetches nearly everything: so the
server holds back. One connection more is no more bandwidth: all of them share one pipe.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from io import BufferedIOBase
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from web.make import serve

PIECE = 1 << 14


@dataclass(frozen=True, slots=True)
class Line:
    """How fast bytes go through, and how long a question takes to get an answer."""

    bits_per_second: float
    latency_s: float


FAST = Line(float("inf"), 0.0)
SLOW = Line(20e6, 0.05)


class Pipe:
    """What all connections of a line have to go through, one piece after the other."""

    def __init__(self, line: Line) -> None:
        """Start with nothing on the way."""
        self.line = line
        self._free_at = 0.0
        self._turn = Lock()

    def carry(self, count: int) -> None:
        """Return when that many bytes have gone through."""
        with self._turn:
            begin = max(time.monotonic(), self._free_at)
            self._free_at = begin + count * 8 / self.line.bits_per_second
            wait = self._free_at - time.monotonic()
        if wait > 0:
            time.sleep(wait)


@dataclass(frozen=True, slots=True)
class Transfer:
    """One answered request: its path and query, and its bytes with their headers."""

    path: str
    status: int
    bytes: int
    begun_ms: float
    """Since the epoch, as a page's clock says it."""


@dataclass(slots=True)
class Log:
    """What a server has sent."""

    transfers: list[Transfer] = field(default_factory=list)
    open: int = 0
    """Answers that are on their way."""

    def before(self, moment_ms: float) -> list[Transfer]:
        """Return what was asked for before that moment."""
        return [each for each in self.transfers if each.begun_ms < moment_ms]

    def repeated(self) -> list[str]:
        """Return the paths whose content was sent more than once."""
        whole = [each.path for each in self.transfers if each.status == HTTPStatus.OK]
        return sorted({path for path in whole if whole.count(path) > 1})


class Meter(BufferedIOBase):
    """A connection's way out, which counts and holds back."""

    def __init__(self, out: Any, pipe: Pipe) -> None:
        """Put the pipe before that way out."""
        self.sent = 0
        self._out = out
        self._pipe = pipe

    def writable(self) -> bool:
        """Say yes."""
        return True

    def write(self, data: Any) -> int:
        """Send bytes piece by piece, each when the pipe has carried it."""
        view = memoryview(data).cast("B")
        for at in range(0, len(view), PIECE):
            piece = view[at : at + PIECE]
            self._pipe.carry(len(piece))
            self._out.write(piece)
            self.sent += len(piece)
        return len(view)


class Handler(serve.Handler):
    """Answers as the site's own server does, metered."""

    server: Server
    disable_nagle_algorithm = True  # a wait for the other side's sign would be counted as ours
    status = 0

    def setup(self) -> None:
        """Put the meter into the way out; a new connection takes a round trip of its own."""
        super().setup()
        self.meter = Meter(self.wfile, self.server.pipe)
        self.wfile = self.meter
        time.sleep(self.server.pipe.line.latency_s)

    def parse_request(self) -> bool:
        """Wait as long as the question and its answer are on their way."""
        understood = super().parse_request()
        self.begun_ms = time.time() * 1000
        self.before = self.meter.sent
        time.sleep(self.server.pipe.line.latency_s)
        return understood

    def send_response(self, code: int, message: str | None = None) -> None:
        """Remember what the answer says."""
        self.status = code
        super().send_response(code, message)

    def do_GET(self) -> None:  # noqa: N802  its base calls it so
        """Answer, and write down what that took."""
        log = self.server.log
        log.open += 1
        try:
            super().do_GET()
        finally:
            log.open -= 1
        sent = self.meter.sent - self.before
        log.transfers.append(Transfer(self.path, self.status, sent, self.begun_ms))


class Server(serve.Server):
    """Serves one folder over one line."""

    def __init__(self, folder: Path, line: Line) -> None:
        """Bind to any free port."""
        super().__init__(folder, 0)
        self.RequestHandlerClass = partial(Handler, directory=str(folder))
        self.pipe = Pipe(line)
        self.log = Log()


@contextmanager
def running(folder: Path, line: Line) -> Iterator[Server]:
    """Serve the folder over this line from another thread."""
    with Server(folder, line) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
