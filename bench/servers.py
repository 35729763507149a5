"""What is measured runs as in production: PostgreSQL that waits for the disk, gunicorn, a Celery worker."""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from parley import servers, supervisor
from parley.processes import Child, stop_all

OURS = supervisor.WEB
FLOOR = (*supervisor.WEB[:-1], "bench.floor.wsgi:application")
# A disk: /tmp is memory on many systems, and a commit that waits for memory costs nothing.
DISK = Path("/var/tmp")
KEPT = ("PARLEY_BROWSER", "PARLEY_POSTGRES_BIN", "PARLEY_VALKEY_SERVER")


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A directory on a disk, gone afterwards. The account of PostgreSQL must be able to pass through."""
    place = Path(tempfile.mkdtemp(prefix="parley-bench-", dir=DISK if DISK.is_dir() else None))
    place.chmod(0o755)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def environment() -> dict[str, str]:
    """Without what a developer's shell says of another installation."""
    strange = ("DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE")
    return {
        name: value
        for name, value in os.environ.items()
        if name in KEPT or not (name.startswith("PARLEY_") or name in strange)
    }


@contextlib.contextmanager
def stage() -> Iterator[Path]:
    """Servers of our own with Parley's tables, and Django set up on them in this process."""
    with scratch() as place:
        held = servers.start(place, durable=True)
        try:
            kept = environment()
            os.environ.clear()
            os.environ.update(kept | held.urls | {"PARLEY_DATA": str(place)})
            # One generator plays an annotator who never pauses: the limit of requests is not what is measured.
            os.environ["PARLEY_API_REQUESTS_PER_MINUTE"] = "10000000"
            _set_up()
            yield place
        finally:
            held.stop()


def _set_up() -> None:
    import django
    from django.core.management import call_command

    from bench.floor.views import TABLE

    os.environ["DJANGO_SETTINGS_MODULE"] = "parley.settings"
    django.setup()
    call_command("migrate", interactive=False, verbosity=0)
    call_command("load_protocols", stdout=open(os.devnull, "w"))  # noqa: PTH123, SIM115
    run_sql(TABLE)


def run_sql(*statements: str) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


@contextlib.contextmanager
def serving(place: Path, line: tuple[str, ...] = OURS) -> Iterator[int]:
    """gunicorn under the settings of production; its port."""
    listener = supervisor.listen(0)
    number, port = listener.fileno(), listener.getsockname()[1]
    child = Child(
        name="web",
        argv=[sys.executable, *line],
        log=place / "log" / "web.log",
        env=os.environ | {"PARLEY_BIND": f"fd://{number}"},
        cwd=supervisor.HOME,
        pass_fds=(number,),
    )
    with running(child):
        listener.close()
        wait_for(lambda: status_of(port) == 200, child)
        yield port


@contextlib.contextmanager
def working(place: Path) -> Iterator[None]:
    """The live worker and beat."""
    lines = {"worker": (*supervisor.WORKER, *supervisor.WORKER_OPTIONS), "beat": supervisor.BEAT}
    children = [
        Child(name, [sys.executable, *line], log=place / "log" / f"{name}.log", cwd=supervisor.HOME)
        for name, line in lines.items()
    ]
    with contextlib.ExitStack() as stack:
        for child in children:
            stack.enter_context(running(child))
        wait_for(_has_beaten, children[0])
        yield


def _has_beaten() -> bool:
    from annotation.models import Heartbeat

    return Heartbeat.objects.filter(queue="live").exists()


@contextlib.contextmanager
def running(child: Child) -> Iterator[Child]:
    child.start()
    try:
        yield child
    finally:
        stop_all([child], 10)


def wait_for(is_ready, child: Child, seconds: float = 60) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + seconds
    while not is_ready():
        if not child.is_running or time.monotonic() > deadline:
            raise RuntimeError(f"{child.name} did not get ready. It said:\n{child.last_words()}")
        time.sleep(0.01)


# A new process counts the memory of the one that started it, so a small one must.
LAUNCHER = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def peak_megabytes(*command: str) -> float:
    """Of a management command, in a process that does nothing else, as its kernel counted it."""
    line = [sys.executable, "-c", LAUNCHER, sys.executable, "manage.py", *command]
    done = subprocess.run(line, cwd=supervisor.HOME, check=True, capture_output=True, text=True)
    return int(done.stdout) / 1024


def status_of(port: int, path: str = "/healthz") -> int:
    """The HTTP status, 0 when nobody answers."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        link.request("GET", path)
        return link.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        link.close()
