"""An endpoint of chat completions on 127.0.0.1 that speaks the wire format, and misbehaves when told to."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["StubEndpoint", dict[str, Any], int], "Said"]
KEY = "sk-stub-0123456789-secret"


@dataclass
class Said:
    """What goes back. `body` bytes are sent as they are; `cut` closes the line in the middle of them."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0
    drip: float = 0
    cut: bool = False


def completion(content: str | None, **choice: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, "refusal": choice.pop("refusal", None)}
    return {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": 1790000000,
        "model": "stub-1-2026",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"} | choice],
        "usage": {"prompt_tokens": 120, "completion_tokens": 8, "total_tokens": 128},
    }


def error(message: str, kind: str = "server_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": None}}


def say(key: str) -> Said:
    return Said(completion(json.dumps({"answer": key})))


@dataclass
class StubEndpoint:
    """`answer(stub, request, number)` decides; requests are kept with their headers."""

    answer: Answer
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""


def _handler(stub: StubEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stub.requests.append(body)
            stub.headers.append(dict(self.headers) | {"path": self.path})
            said = self._refused() or stub.answer(stub, body, len(stub.requests))
            time.sleep(said.delay)
            self._send(said)

        def _refused(self) -> Said | None:
            if self.path != "/v1/chat/completions":
                return Said(error("no such path", "invalid_request_error"), 404)
            if self.headers["Authorization"] != f"Bearer {KEY}":
                said = f"Incorrect API key provided: {self.headers['Authorization']}"
                return Said(error(said, "invalid_request_error"), 401)
            return None

        def _send(self, said: Said) -> None:
            data = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
            self.send_response(said.status)
            for name, value in ({"Content-Type": "application/json"} | said.headers).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            try:
                for at in range(0, len(data), 20) if said.drip else ():
                    self.wfile.write(data[at : at + 20])
                    self.wfile.flush()
                    time.sleep(said.drip)
                if not said.drip:
                    self.wfile.write(data[: len(data) // 2] if said.cut else data)
            except OSError:
                pass  # who asked has gone
            self.close_connection = said.cut or self.close_connection

        def log_message(self, format: str, *args: object) -> None:
            """Tests print enough."""

    return Handler


@contextmanager
def stub_endpoint(answer: Answer) -> Iterator[StubEndpoint]:
    stub = StubEndpoint(answer)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(stub))
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
