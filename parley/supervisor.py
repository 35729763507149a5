"""Run the processes of an installation as one: start them together, restart those that die, stop them together."""

from __future__ import annotations

import argparse
import http.client
import os
import signal
import socket
import sys
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from parley.processes import Child, stop_all

HOME = Path(__file__).resolve().parent.parent
DEFAULT_PORT = 8000
# Production runs the same command lines (docker-compose.yml).
WEB = ("-m", "gunicorn", "-c", "parley/gunicorn.py", "parley.wsgi:application")
WORKER = ("-m", "celery", "-A", "parley.celery", "worker", "-Q", "live", "-n", "live@%h", "-c", "2")
WORKER_LONG = ("-m", "celery", "-A", "parley.celery", "worker", "-Q", "long", "-n", "long@%h", "-c", "1")
WORKER_OPTIONS = ("--loglevel", "WARNING", "--without-mingle", "--without-gossip")
# The schedule is kept in memory: every entry repeats within a minute, and no file can become stale.
BEAT = ("-m", "celery", "-A", "parley.celery", "beat", "--scheduler", "parley.beat:Scheduler", "--loglevel", "WARNING")
REVIVALS, WITHIN = 5, 60.0  # a process that dies more often than this will not live


class StartFailed(RuntimeError):
    pass


def add_port(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=_port, help="the web server's port; without it 8000, or the next free one")


def _port(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port: use a number from 1 to 65535")
    return int(text)


def wished_port(argv: Sequence[str]) -> int | None:
    """Return the port given on the command line, before Django is loaded to parse the rest."""
    parser = argparse.ArgumentParser(prog="manage.py up", add_help=False)
    add_port(parser)
    return parser.parse_known_args(argv)[0].port


def listen(port: int | None) -> socket.socket:
    """Return the socket for the web server, bound here so that nobody can take a port found free.

    Without a port, it is the first free one from the default on. Raises StartFailed if none can be used.
    """
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


class Web:
    """The web server. It starts early, and imports its code while the tables are created."""

    def __init__(self, port: int | None, logs: Path, fds: tuple[int, ...] = ()) -> None:
        """Start the server, which keeps `fds` open. Raises StartFailed if the port cannot be used."""
        self.listener = listen(port)
        number = self.listener.fileno()
        gate, self._gate = os.pipe()
        self.child = _child("web", WEB, logs, (*fds, number, gate), PARLEY_BIND=f"fd://{number}", PARLEY_GATE=str(gate))
        self.child.death_signal = signal.SIGQUIT
        self.child.start()
        os.close(gate)
        # When it is restarted, the tables exist: there is no pipe to wait for.
        self.child.env, self.child.pass_fds = _environment(PARLEY_BIND=f"fd://{number}"), (*fds, number)

    @property
    def port(self) -> int:
        return self.listener.getsockname()[1]

    def let_serve(self) -> None:
        """Close the pipe that the server waits for (parley/gunicorn.py)."""
        os.close(self._gate)


def workers(logs: Path, fds: tuple[int, ...] = ()) -> list[Child]:
    """Return two workers and beat.

    When the supervisor is gone, the broker stops too. A Celery worker that lost the broker during its own cold
    shutdown once forgot the shutdown and looked for the broker for 50 minutes, so these get SIGKILL. Their pool
    processes die with them, and the tasks are idempotent and still in the queue.
    """
    lines = {"worker": (*WORKER, *WORKER_OPTIONS), "worker-long": (*WORKER_LONG, *WORKER_OPTIONS), "beat": BEAT}
    children = [_child(name, line, logs, fds) for name, line in lines.items()]
    for child in children:
        child.death_signal = signal.SIGKILL
    return children


def _child(name: str, line: tuple[str, ...], logs: Path, fds: tuple[int, ...], **extra: str) -> Child:
    argv = [sys.executable, *line]
    return Child(name, argv, log=logs / f"{name}.log", env=_environment(**extra), cwd=HOME, pass_fds=fds)


def _environment(**extra: str) -> dict[str, str]:
    return os.environ | {"PYTHONUNBUFFERED": "1"} | extra


def health_status(port: int) -> int:
    """Return the HTTP status of /healthz, or 0 if there is no answer."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        link.request("GET", "/healthz")
        return link.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        link.close()


class Supervisor:
    """Run the children of the application, and watch the servers that they use."""

    def __init__(self, children: list[Child], servers: list[Child], say: Callable[[str], None]) -> None:
        self.children = children
        self.servers = servers
        self.say = say
        self.stop_asked = False
        self._deaths: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=REVIVALS))

    def listen(self) -> None:
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, self._on_signal)

    def start_rest(self) -> None:
        """Start workers and beat after the web server: on two cores, all at once would delay the first page."""
        for child in self.children[1:]:
            child.start()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.stop_asked:  # the second Ctrl-C: stop waiting for running tasks
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
        """Restart processes that die, until a signal asks to stop. Raises StartFailed if one keeps dying."""
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
        """Stop all children of the application; the caller stops the servers afterwards."""
        self.stop_asked = True
        stop_all(self.children, seconds)
