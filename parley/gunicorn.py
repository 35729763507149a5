"""Settings of Gunicorn, the same for `manage.py up` and production; numbers come from the environment."""

import os
from pathlib import Path

from gunicorn.arbiter import Arbiter
from gunicorn.workers import gthread


class Worker(gthread.ThreadWorker):
    """Run sync views in threads, and close idle connections when the worker is asked to stop.

    Otherwise an open browser tab would hold the worker for the whole grace period.
    """

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        if not self.alive:
            for conn in (*self.keepalived_conns, *self.pending_conns):
                conn.timeout = 0.0
            timeout = min(timeout, 0.1)
        super().wait_for_and_dispatch_events(timeout)


bind = os.environ.get("PARLEY_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
# Not ASGI: with the same views it halved throughput and exhausted the connections.
worker_class = Worker
threads = int(os.environ.get("PARLEY_WEB_THREADS", "4"))
# Browsers open connections in advance. In Gunicorn a new one holds a thread until it sends data, up to 5 seconds, so
# eight of them stop the site. After this delay they wait in the event loop like idle ones and hold no thread.
gthread.DEFAULT_WORKER_DATA_TIMEOUT = 0.005
# The app is loaded once, then forked: workers share memory, and a broken start fails at once instead of in a loop.
preload_app = True
timeout = 60
graceful_timeout = 10
keepalive = 5
accesslog = os.environ.get("PARLEY_ACCESS_LOG") or None
# The heartbeat file of a worker must not wait for a slow disk: that looks like a hung worker.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108
control_socket_disable = True


def on_starting(server: Arbiter) -> None:
    """Wait until the tables exist: under `manage.py up` they may not, and it closes this pipe when they do."""
    if gate := os.environ.pop("PARLEY_GATE", ""):
        with open(int(gate), "rb") as made:  # noqa: PTH123 - a number, not a path
            made.read()
