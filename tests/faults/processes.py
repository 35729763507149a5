"""The real web server and worker as processes of a test, on the test's own database."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from celery import Celery
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from parley.processes import die_with_parent
from tests.plugin import worker_number
from tests.wait import wait_until

HOME = Path(__file__).resolve().parents[2]
CSRF = "c" * 32
FIRST_BROKER = 7  # a Valkey has 16 databases; those of the tests' own processes come first


def environment(port: int) -> dict[str, str]:
    """The test's database, and a broker database that no test process shares."""
    at = connection.settings_dict
    url = f"postgres://{quote(at['USER'])}:{quote(at['PASSWORD'])}@/{at['NAME']}?host={quote(str(at['HOST']), safe='')}"
    broker = re.sub(r"\d+$", str(FIRST_BROKER + worker_number()), os.environ["REDIS_URL"])
    return os.environ | {
        "DATABASE_URL": url,
        "REDIS_URL": broker,
        "PARLEY_SECRET_KEY": settings.SECRET_KEY,
        "PARLEY_BIND": f"127.0.0.1:{port}",
        "WEB_CONCURRENCY": "2",
    }


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Process:
    """A command in a process group of its own, so that kill -9 takes its children too."""

    def __init__(self, command: list[str], port: int) -> None:
        self.running = subprocess.Popen(
            command,
            cwd=HOME,
            env=environment(port),
            start_new_session=True,
            stderr=subprocess.DEVNULL,
            preexec_fn=die_with_parent(os.getpid(), signal.SIGKILL),  # noqa: PLW1509 - it calls the kernel alone
        )

    def kill(self) -> None:
        os.killpg(self.running.pid, signal.SIGKILL)
        self.running.wait(10)


@contextmanager
def killed_at_the_end(process: Process) -> Iterator[Process]:
    try:
        yield process
    finally:
        if process.running.poll() is None:
            process.kill()


def start_web(port: int) -> Process:
    process = Process([sys.executable, "-m", "gunicorn", "-c", "parley/gunicorn.py", "parley.wsgi:application"], port)
    try:
        wait_until(lambda: _answers(port), 30, "the web server")
    except BaseException:
        process.kill()
        raise
    return process


def start_worker(queues: str = "live") -> Process:
    return Process([sys.executable, "-m", "celery", "-A", "parley", "worker", "-Q", queues, "-c", "1"], 0)


def tick() -> None:
    """Beat's part: queue one sweep for the worker under test."""
    Celery(broker=environment(0)["REDIS_URL"]).send_task("annotation.tasks.sweep", queue="live")


def _answers(port: int) -> bool:
    try:
        return request(port, "GET", "/healthz")[0] == 200
    except OSError:
        return False


def request(port: int, verb: str, path: str, body: dict | None = None, session: str = "") -> tuple[int, dict]:
    """One request of a browser that is signed in. Raises OSError or HTTPException when the server is gone."""
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {"Cookie": f"sessionid={session}; csrftoken={CSRF}", "X-CSRFToken": CSRF}
    try:
        client.request(verb, path, json.dumps(body or {}), headers | {"Content-Type": "application/json"})
        answer = client.getresponse()
        return answer.status, json.loads(answer.read() or b"{}")
    finally:
        client.close()


def session_of(user: User) -> str:
    client = Client()
    client.force_login(user)
    return client.cookies["sessionid"].value
