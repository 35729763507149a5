"""`manage.py up` as a user meets it: real processes, started, killed and started again."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest

from parley import supervisor
from tests.parley.processes import HOME, Up, descendants, is_alive, run, up, wait_gone
from tests.throwing_away import throw_away
from tests.wait import wait_until

GRACE = 10  # seconds, of parley/gunicorn.py


def deaf() -> None:
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)


def state(data: Path) -> dict:
    return json.loads((data / "servers.json").read_text())


def execute(data: Path, *statements: str) -> list[tuple]:
    connection = psycopg2.connect(state(data)["urls"]["DATABASE_URL"])
    connection.autocommit = True
    try:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []
    finally:
        connection.close()


def status_of(address: str) -> int:
    with urllib.request.urlopen(f"{address}/healthz", timeout=5) as answer:
        return int(answer.status)


@pytest.fixture(scope="module")
def data(open_directory: Path) -> Path:
    return open_directory / "the data"


@pytest.fixture(scope="module")
def running(data: Path) -> Iterator[Up]:
    """One installation for the tests that do not end it; its data directory has a space in its name."""
    with up(data) as started:
        started.wait_ready()
        yield started
        started.end()


def test_ready_means_that_pages_are_served(running: Up) -> None:
    assert status_of(running.wait_ready()) == 200


def test_the_ready_line_comes_with_where_the_data_is_and_how_to_stop(running: Up, data: Path) -> None:
    assert f"Data and logs: {data}   Stop: Ctrl-C" in running.said


def test_a_second_start_on_the_same_data_is_refused_with_the_address(running: Up, data: Path) -> None:
    address = running.wait_ready()
    said = run([sys.executable, "manage.py", "up"], data)
    assert said.returncode == 1
    assert f"already running on this data at {address} (process {running.process.pid})" in said.stderr
    assert "Traceback" not in said.stderr


def test_another_command_uses_the_running_servers(running: Up, data: Path) -> None:
    show = "from django.db import connection as c; c.ensure_connection(); print('at', c.settings_dict['HOST'])"
    said = run([sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", show], data)
    assert said.returncode == 0, said.stderr
    assert said.stdout.split("at ")[1].strip() == state(data)["sockets"]
    assert is_alive(running.process.pid)


def test_a_worker_that_dies_is_started_again(running: Up) -> None:
    def workers() -> set[int]:
        found = set()
        for pid in descendants(running.process.pid):
            line = Path(f"/proc/{pid}/cmdline")
            if line.exists() and b"live@%h" in line.read_bytes():
                found.add(pid)
        return found

    before = wait_until(workers, 60, "the worker")
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: workers() - before, 60, "a new worker")
    assert "worker stopped unexpectedly (exit -9); starting it again." in running.said


def test_kill_9_leaves_no_orphan_and_the_next_start_has_the_data(open_directory: Path) -> None:
    data = open_directory / "killed"
    with up(data) as first:
        first.wait_ready()
        execute(data, "CREATE TABLE kept (n int)", "INSERT INTO kept SELECT generate_series(1, 500)")
        wait_until(lambda: len(first.family) >= 12, 60, "web, both workers with their pools, beat and the servers")
        family = first.family
        first.process.kill()
        first.process.wait()
        wait_gone(family, 10)
    with up(data) as second:
        second.wait_ready()
        assert execute(data, "SELECT count(*) FROM kept") == [(500,)]
        family = second.family
        assert second.end(signal.SIGINT) == 0
    assert not any(map(is_alive, family)), "Ctrl-C stops everything before the supervisor ends"
    assert not (data / "servers.json").exists()
    assert "Stopped. The data stays in" in second.said


def test_a_tab_left_open_does_not_hold_the_stop(open_directory: Path) -> None:
    with up(open_directory / "tab") as running:
        link = http.client.HTTPConnection(running.wait_ready().removeprefix("http://"), timeout=20)
        link.request("GET", "/healthz")
        assert link.getresponse().read()
        wait_until(lambda: len(running.family) >= 12, 60, "web, both workers with their pools, beat and the servers")
        asked = time.monotonic()
        assert running.end(signal.SIGINT) == 0
        assert time.monotonic() - asked < GRACE, "it would be waited for as for a request"


def test_sigterm_during_the_start_leaves_nothing(open_directory: Path) -> None:
    data = open_directory / "early"
    # As a shell script does with `./dev run &`: deaf to Ctrl-C and SIGQUIT, and so would be whatever it starts.
    with up(data, preexec_fn=deaf) as starting:
        wait_until((data / "servers.json").exists, 60, "the servers")
        family = starting.family
        starting.process.terminate()
        starting.process.wait(20)
        wait_gone(family, 10)


def test_with_servers_of_ones_own_nothing_embedded_is_started(open_directory: Path) -> None:
    data = open_directory / "own servers"
    with throw_away() as own, up(data, env=own.urls) as running:
        assert status_of(running.wait_ready()) == 200
        assert not (data / "postgres").exists()
        assert not (data / "valkey").exists()
        assert state(data)["urls"] == {}
        assert running.end() == 0


def test_without_a_wish_the_next_free_port_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        monkeypatch.setattr(supervisor, "DEFAULT_PORT", number)
        with supervisor.listen(None) as link:
            assert link.getsockname()[1] != number


def test_a_wished_port_that_is_taken_is_an_error_that_names_it(open_directory: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        said = run([sys.executable, "manage.py", "up", "--port", str(number)], open_directory / "taken")
    assert said.returncode == 1
    assert f"Port {number} cannot be used" in said.stderr
    assert "Choose another with --port." in said.stderr


def python_for_everybody(env: dict[str, str], place: Path) -> str:
    """This Python, or a copy of it where root's own lies in a closed home."""
    line = [sys.executable, "-c", "import celery, gunicorn, psycopg2, redis.asyncio"]
    with contextlib.suppress(OSError):
        if subprocess.run(line, check=False, user="nobody", cwd="/", env=env, capture_output=True).returncode == 0:
            return sys.executable
    library = Path(sysconfig.get_path("stdlib"))
    needless = shutil.ignore_patterns("site-packages", "test", "tests", "idlelib", "__pycache__", "config-*")
    shutil.copytree(library, place / "lib" / library.name, ignore=needless)
    for shared in library.parent.glob("libpython3*.so*"):  # the copy must not meet another Python's
        shutil.copy(shared, place / "lib")
    env["LD_LIBRARY_PATH"] = str(place / "lib")
    (place / "bin").mkdir()
    return shutil.copy(Path(sys.executable).resolve(), place / "bin" / library.name)


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests already run as an ordinary user")
def test_an_ordinary_user_can_run_it(open_directory: Path) -> None:
    env = {"PYTHONPATH": sysconfig.get_path("purelib"), "HOME": "/nonexistent"}
    python = python_for_everybody(env, open_directory / "python")
    place = open_directory / "of nobody"
    ignored = shutil.ignore_patterns(".venv*", ".git", "var", "node_modules", "__pycache__", ".*_cache", "data")
    shutil.copytree(HOME, place, ignore=ignored)
    shutil.chown(place, "nobody")
    options = {"args": [python, "manage.py", "up"], "cwd": place, "user": "nobody", "group": "nogroup", "env": env}
    with up(place / "var", extra_groups=[], **options) as running:
        assert status_of(running.wait_ready()) == 200
        owners = {Path(f"/proc/{pid}").stat().st_uid for pid in running.family}
        assert owners == {place.stat().st_uid}
        assert running.end() == 0
