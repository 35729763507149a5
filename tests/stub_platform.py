"""A crowd platform on 127.0.0.1: a page with the link to a study, and the pages where people come back."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


@dataclass
class StubPlatform:
    """`came_back` holds what was told: (verb, path, parameters)."""

    link: str = ""  # of the study, as the platform has filled it in
    codes: tuple[str, ...] = ()
    came_back: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    url: str = ""

    @property
    def told_codes(self) -> list[str]:
        return [told.get("cc", "") for _verb, _path, told in self.came_back]


def _page(title: str, body: str) -> bytes:
    text = f'<!doctype html><html lang="en"><title>{title}</title><link rel="icon" href="data:,"><h1>{title}</h1>{body}'
    return text.encode()


def _handler(stub: StubPlatform) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/start":
                return self._say(200, _page("Studies", f'<p><a href="{escape(stub.link)}">Open the study</a></p>'))
            if parts.path == "/frame":
                return self._say(200, _page("Task", f'<iframe title="Task" src="{escape(stub.link)}"></iframe>'))
            if parts.path == "/submissions/complete":
                return self._come_back(parts.path, parts.query)
            return self._say(404, _page("No such page", ""))

        def _come_back(self, path: str, query: str) -> None:
            told = {name: values[-1] for name, values in parse_qs(query).items()}
            stub.came_back.append((self.command, path, told))
            is_known = told.get("cc") in stub.codes
            self._say(200 if is_known else 400, _page("Submission received" if is_known else "Unknown code", ""))

        def _say(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Tests print enough."""

    return Handler


@contextmanager
def stub_platform(codes: tuple[str, ...]) -> Iterator[StubPlatform]:
    stub = StubPlatform(codes=codes)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(stub))
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
