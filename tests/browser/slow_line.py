"""A line so slow that a page arrives in two parts, and the browser draws the first one alone."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import Request, urlopen

NOT_PASSED_ON = frozenset({"host", "accept-encoding", "connection", "content-length", "transfer-encoding"})


class SlowLine(BaseHTTPRequestHandler):
    """Passes GETs on to `server.origin`, and stops within the page, at the mark, until `server.go` is set."""

    protocol_version = "HTTP/1.1"
    server: "SlowServer"

    def do_GET(self) -> None:
        headers = {name: value for name, value in self.headers.items() if name.lower() not in NOT_PASSED_ON}
        with urlopen(Request(self.server.origin + self.path, headers=headers)) as found:
            body = found.read()
            self.send_response(found.status)
            for name, value in found.headers.items():
                if name.lower() not in NOT_PASSED_ON:
                    self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        at = self.server.place_in(body)
        self.send_part(body[:at])
        if at < len(body):
            assert self.server.go.wait(timeout=60)
        self.send_part(body[at:])
        self.wfile.write(b"0\r\n\r\n")

    def send_part(self, part: bytes) -> None:
        if part:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class SlowServer(ThreadingHTTPServer):
    def __init__(self, origin: str, mark: bytes, number: int) -> None:
        super().__init__(("localhost", 0), SlowLine)
        self.origin, self.mark, self.number, self.go = origin, mark, number, threading.Event()

    @property
    def url(self) -> str:
        return f"http://localhost:{self.server_port}"

    def place_in(self, body: bytes) -> int:
        """Return where the mark stands for this number of times, counted from 0; the end of a body without it."""
        parts = body.split(self.mark, self.number + 1)
        return len(body) - len(self.mark + parts[-1]) if len(parts) == self.number + 2 else len(body)


@contextmanager
def slow_line(origin: str, mark: bytes, number: int) -> Iterator[SlowServer]:
    with SlowServer(origin, mark, number) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.go.set()
        server.shutdown()
