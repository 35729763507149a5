"""The load generator: a process of its own, so that measuring does not wait for what is measured.

Reads a plan from standard input and writes what it saw to standard output, both JSON. Each client has one connection
that is kept open, and its own list of requests; all of them begin together.
"""

from __future__ import annotations

import heapq
import json
import random
import re
import selectors
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
PATIENCE = 30.0  # seconds for one answer: a server that takes longer has failed


@dataclass(frozen=True, slots=True)
class Request:
    path: str
    method: str = "GET"
    body: str = ""
    is_timed: bool = True


@dataclass(frozen=True, slots=True)
class Client:
    headers: dict[str, str]
    requests: list[Request]


@dataclass(frozen=True, slots=True)
class Seen:
    """What the clients saw: milliseconds of the timed requests, and how many answers had which status."""

    times: list[float] = field(default_factory=list)
    statuses: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    def __add__(self, other: Seen) -> Seen:
        statuses = Counter(self.statuses) + Counter(other.statuses)
        return Seen(self.times + other.times, dict(statuses), self.seconds + other.seconds)

    @property
    def per_second(self) -> float:
        return len(self.times) / self.seconds

    def only(self, *expected: int) -> Seen:
        """Itself; a measurement of refusals or errors would be a lie."""
        strange = {status: n for status, n in self.statuses.items() if int(status) not in expected}
        if strange or not self.times:
            raise RuntimeError(f"answers with a status not in {expected}: {strange or 'none at all'}")
        return self


def run_load(port: int, clients: Sequence[Client], *, think: float = 0.0) -> Seen:
    """Play the clients against 127.0.0.1; `think`: seconds between a timed answer and the next request."""
    plan = {"port": port, "think": think, "clients": [asdict(client) for client in clients]}
    said = subprocess.run(
        [sys.executable, "-m", "bench.load"], input=json.dumps(plan), capture_output=True, text=True, check=False
    )
    if said.returncode:
        raise RuntimeError(f"the load generator failed:\n{said.stderr[-2000:]}")
    return Seen(**json.loads(said.stdout))


# --- inside the process ----------------------------------------------------------------------------
class Player:
    """One client at its connection, opened with its first request."""

    def __init__(self, port: int, client: dict[str, Any]) -> None:
        host = f"127.0.0.1:{port}"
        headers = {"Host": host, "Origin": f"http://{host}"} | client["headers"]
        self.head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.port = port
        self.requests = client["requests"]
        self.n_sent = 0
        self.read = b""
        self.began = 0.0

    @cached_property
    def link(self) -> socket.socket:
        link = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return link

    @property
    def is_done(self) -> bool:
        return self.n_sent == len(self.requests)

    @property
    def is_timed(self) -> bool:
        return self.requests[self.n_sent - 1]["is_timed"]

    def send_next(self) -> None:
        request = self.requests[self.n_sent]
        body = request["body"].encode()
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        self.n_sent += 1
        self.read = b""
        self.began = time.perf_counter()
        head = f"{request['method']} {request['path']} HTTP/1.1\r\n{self.head}{length}\r\n"
        self.link.sendall(head.encode() + body)

    def receive(self) -> str:
        """The status, once the answer is whole; nothing before."""
        part = self.link.recv(1 << 16)
        self.read += part
        head, end, body = self.read.partition(b"\r\n\r\n")
        if not part:
            raise RuntimeError(f"the server hung up in the middle of an answer: {self.read[:200]!r}")
        if not end:
            return ""
        found = LENGTH.search(head)
        if not found:
            raise RuntimeError(f"an answer without Content-Length: {head[:200]!r}")
        return head[9:12].decode() if len(body) >= int(found[1]) else ""


class Play:
    def __init__(self, plan: dict[str, Any]) -> None:
        self.think = plan["think"]
        self.players = [Player(plan["port"], client) for client in plan["clients"]]
        self.selector = selectors.DefaultSelector()
        self.due: list[tuple[float, int]] = []  # a heap: when which player speaks next
        self.n_open = 0
        self.times: list[float] = []
        self.statuses: Counter[str] = Counter()

    def run(self) -> Seen:
        began = time.perf_counter()
        # People do not begin in step.
        self.due = sorted((began + random.random() * self.think, number) for number in range(len(self.players)))
        while self.due or self.n_open:
            self._speak()
            self._listen()
        return Seen(self.times, dict(self.statuses), time.perf_counter() - began)

    def _speak(self) -> None:
        while self.due and self.due[0][0] <= time.perf_counter():
            number = heapq.heappop(self.due)[1]
            player = self.players[number]
            is_new = player.n_sent == 0
            player.send_next()
            self.n_open += 1
            if is_new:
                self.selector.register(player.link, selectors.EVENT_READ, number)

    def _listen(self) -> None:
        wait = max(self.due[0][0] - time.perf_counter(), 0) if self.due else PATIENCE
        if not self.n_open:
            time.sleep(wait)
            return
        events = self.selector.select(wait)
        if not events and not self.due:
            raise RuntimeError(f"no answer within {PATIENCE:.0f} s")
        for key, _ in events:
            self._take(key.data)

    def _take(self, number: int) -> None:
        player = self.players[number]
        status = player.receive()
        if not status:
            return
        now = time.perf_counter()
        pause = 0.0
        if player.is_timed:
            self.times.append((now - player.began) * 1000)
            pause = self.think * random.uniform(0.5, 1.5)
        self.statuses[status] += 1
        self.n_open -= 1
        if player.is_done:
            self.selector.unregister(player.link)
            player.link.close()
        else:
            heapq.heappush(self.due, (now + pause, number))


if __name__ == "__main__":
    json.dump(asdict(Play(json.load(sys.stdin)).run()), sys.stdout)
