"""Runs the processes of an installation as one: they start together, are revived, and stop together."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType

from parley.processes import Child, stop_all

HOME = Path(__file__).resolve().parent.parent
DEFAULT_PORT = 8000
# The production form runs the same lines (docker-compose.yml), so what is tried here is what runs there.
WEB = ("-m", "gunicorn", "-c", "parley/gunicorn.py", "parley.wsgi:application")
WORKER = ("-m", "celery", "-A", "parley.celery", "worker", "-Q", "live", "-n", "live@%h", "-c", "2")
WORKER_LONG = ("-m", "celery", "-A", "parley.celery", "worker", "-Q", "long", "-n", "long@%h", "-c", "1")
WORKER_OPTIONS = ("--loglevel", "WARNING", "--without-mingle", "--without-gossip")
# The schedule is kept in memory: every entry repeats within seconds, and there is no file to go stale.
BEAT = (
    "-m",
    "celery",
    "-A",
    "parley.celery",
    "beat",
    "--scheduler",
    "celery.beat:Scheduler",
    "--loglevel",
    "WARNING",
)
REVIVALS, WITHIN = 5, 60.0  # a process that dies more often than this will not live


class StartFailed(RuntimeError):
    pass


def listen(port: int | None) -> socket.socket:
    """The socket the web server will use. Bound here, so between looking and taking no port gets lost;
    without a wish, the next free one after the default."""
    wishes = [port] if port is not None else [*range(DEFAULT_PORT, DEFAULT_PORT + 20), 0]
    for wish in wishes:
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            link.bind(("127.0.0.1", wish))
        except (OSError, OverflowError) as error:
            link.close()
            reason = error
            continue
        link.listen(128)
        return link
    raise StartFailed(f"Port {port} cannot be used ({reason}). Choose another with --port.")


def application(listener: socket.socket, logs: Path, fds: tuple[int, ...] = ()) -> list[Child]:
    """Web, two workers and beat.

    When the supervisor is gone the broker goes too, and a Celery worker that loses it during its own cold
    shutdown was seen to forget the shutdown and look for the broker for 50 minutes: so SIGKILL for these. Its
    pool processes die with it, and the tasks are idempotent and still in the queue.
    """
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}

    def child(name: str, line: Iterable[str], extra: dict[str, str] | None = None, *more: int) -> Child:
        return Child(
            name=name,
            argv=[sys.executable, *line],
            log=logs / f"{name}.log",
            env=environment | (extra or {}),
            cwd=HOME,
            death_signal=signal.SIGQUIT if name == "web" else signal.SIGKILL,
            pass_fds=(*fds, *more),
        )

    number = listener.fileno()
    return [
        child("web", WEB, {"PARLEY_BIND": f"fd://{number}"}, number),
        child("worker", (*WORKER, *WORKER_OPTIONS)),
        child("worker-long", (*WORKER_LONG, *WORKER_OPTIONS)),
        child("beat", BEAT),
    ]


def health_status(port: int) -> int:
    """The HTTP status of /healthz, 0 when nobody answers."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        link.request("GET", "/healthz")
        return link.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        link.close()


class Supervisor:
    """Owns the application's children; the servers under them are watched and stopped last."""

    def __init__(self, children: list[Child], servers: list[Child], say: Callable[[str], None]) -> None:
        self.children = children
        self.servers = servers
        self.say = say
        self.stop_asked = False
        self._deaths: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=REVIVALS))

    def start(self) -> None:
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, self._on_signal)
        self.children[0].start()

    def start_rest(self) -> None:
        """Workers and beat after the web server: on two cores all at once would delay the first page."""
        for child in self.children[1:]:
            child.start()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.stop_asked:  # the second Ctrl-C: no more waiting for running tasks
            for child in self.children:
                if child.is_running:
                    os.killpg(child.pid, signal.SIGKILL)
        self.stop_asked = True

    def wait_ready(self, port: int, seconds: float = 120) -> None:
        deadline = time.monotonic() + seconds
        status = 0
        while not self.stop_asked and status != 200:
            for child in (self.children[0], *self.servers):
                if not child.is_running:
                    raise StartFailed(f"{child.name} stopped while starting. Its log ends:\n{child.last_words()}")
            if time.monotonic() > deadline:
                web = self.children[0]
                raise StartFailed(f"/healthz said {status or 'nothing'} for {seconds:.0f} s:\n{web.last_words()}")
            status = health_status(port)
            time.sleep(0 if status == 200 else 0.03)

    def run(self) -> None:
        """Until a signal asks to stop. A process that dies is started again."""
        while not self.stop_asked:
            for child in (*self.children, *self.servers):
                if not child.is_running and not self.stop_asked:
                    self._revive(child)
            time.sleep(0.1)

    def _revive(self, child: Child) -> None:
        deaths = self._deaths[child.name]
        now = time.monotonic()
        if len(deaths) == REVIVALS and now - deaths[0] < WITHIN:
            raise StartFailed(f"{child.name} keeps stopping. Its log ends:\n{child.last_words()}")
        code = child.popen.returncode if child.popen else None
        self.say(f"{child.name} stopped unexpectedly (exit {code}); starting it again.")
        if deaths and now - deaths[-1] < 5:
            time.sleep(1)
        deaths.append(now)
        child.start()

    def stop(self, seconds: float = 10) -> None:
        """The application first, all at once; whoever started the servers stops them afterwards."""
        self.stop_asked = True
        stop_all(self.children, seconds)
