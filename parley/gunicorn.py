"""Gunicorn's settings, the same under `manage.py up` and in production; numbers come from the environment."""

import os
from pathlib import Path

from gunicorn.arbiter import Arbiter
from gunicorn.workers import gthread


class Worker(gthread.ThreadWorker):
    """Sync views in threads, and idle connections do not hold a worker that was asked to stop.

    A tab left open would, for the whole of the grace period.
    """

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        if not self.alive:
            for conn in (*self.keepalived_conns, *self.pending_conns):
                conn.timeout = 0.0
            timeout = min(timeout, 0.1)
        super().wait_for_and_dispatch_events(timeout)


bind = os.environ.get("PARLEY_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
# Not ASGI: the same views under it halved throughput and exhausted the connections.
worker_class = Worker
threads = int(os.environ.get("PARLEY_WEB_THREADS", "4"))
# Browsers open connections ahead of need. Gunicorn lets a new one hold a thread until it speaks, up to 5 seconds, and
# eight of them stop the site. After this moment they wait in the loop, as idle ones do, and hold nothing.
gthread.DEFAULT_WORKER_DATA_TIMEOUT = 0.005
# Loaded once, then forked: workers share memory and a broken start fails at once instead of in a loop.
preload_app = True
timeout = 60
graceful_timeout = 10
keepalive = 5
accesslog = os.environ.get("PARLEY_ACCESS_LOG") or None
# The heartbeat file of a worker must not wait for a slow disk: that looks like a hung worker.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
control_socket_disable = True


def on_starting(server: Arbiter) -> None:
    """Everything is imported; under `manage.py up` the tables may not be made yet. It closes the pipe when they are."""
    if gate := os.environ.pop("PARLEY_GATE", ""):
        with open(int(gate), "rb") as made:  # noqa: PTH123 - a number, not a path
            made.read()
