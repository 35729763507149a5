"""The load generator: a process of its own, so that measuring does not wait for what is measured.

Reads a plan from standard input and writes what it saw to standard output, both JSON. Each client has one connection
that is kept open, and its own list of requests; all of them begin together.
"""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

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
    """Play the clients against 127.0.0.1; `think`: seconds between an answer and the next request."""
    plan = {"port": port, "think": think, "clients": [asdict(client) for client in clients]}
    said = subprocess.run(
        [sys.executable, "-m", "bench.load"], input=json.dumps(plan), capture_output=True, text=True, check=False
    )
    if said.returncode:
        raise RuntimeError(f"the load generator failed:\n{said.stderr[-2000:]}")
    return Seen(**json.loads(said.stdout))


# --- inside the process ----------------------------------------------------------------------------
async def play(plan: dict[str, Any]) -> Seen:
    times: list[float] = []
    statuses: Counter[str] = Counter()
    links = [await asyncio.open_connection("127.0.0.1", plan["port"]) for _ in plan["clients"]]
    began = time.perf_counter()
    pairs = zip(plan["clients"], links, strict=True)
    await asyncio.gather(*(_client(each, link, plan["think"], times, statuses) for each, link in pairs))
    return Seen(times, dict(statuses), time.perf_counter() - began)


async def _client(client: dict[str, Any], link: Any, think: float, times: list[float], statuses: Counter[str]) -> None:
    reader, writer = link
    host = "{}:{}".format(*writer.get_extra_info("peername"))
    headers = {"Host": host, "Origin": f"http://{host}"} | client["headers"]
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    if think:  # people do not begin in step
        await asyncio.sleep(random.random() * think)
    for request in client["requests"]:
        message = _message(request, head)
        began = time.perf_counter()
        writer.write(message)
        status, keeps = await asyncio.wait_for(_answer(reader), PATIENCE)
        if request["is_timed"]:
            times.append((time.perf_counter() - began) * 1000)
        statuses[status] += 1
        if not keeps:
            writer.close()
            reader, writer = await asyncio.open_connection(*writer.get_extra_info("peername"))
        if think:
            await asyncio.sleep(think * random.uniform(0.5, 1.5))
    writer.close()


def _message(request: dict[str, Any], head: str) -> bytes:
    body = request["body"].encode()
    length = f"Content-Length: {len(body)}\r\n" if body else ""
    return f"{request['method']} {request['path']} HTTP/1.1\r\n{head}{length}\r\n".encode() + body


async def _answer(reader: asyncio.StreamReader) -> tuple[str, bool]:
    """The status of one answer, read to its end, and whether the connection stays open."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    _, _, length = head.partition("content-length:")
    if not length:
        raise RuntimeError(f"an answer without Content-Length: {head[:200]}")
    await reader.readexactly(int(length.split("\r\n", 1)[0]))
    return head.split(" ", 2)[1], "connection: close" not in head


if __name__ == "__main__":
    json.dump(asdict(asyncio.run(play(json.load(sys.stdin)))), sys.stdout)
