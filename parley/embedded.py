"""Start and stop PostgreSQL and Valkey, with data that is kept or, for tests, may be lost.

The servers listen only on Unix sockets in a private directory, and stop when the process that started them is gone.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from parley.binaries import ServerError, can_enter, find_postgres, find_valkey, open_ground, reachable_postgres
from parley.processes import Account, Child, as_account, stop_all

URL_NAMES = ("DATABASE_URL", "REDIS_URL")
# A path in sockaddr_un has about 100 bytes, so sockets cannot be in the data directory.
SOCKET_PARENT = "/tmp"  # noqa: S108 - mkdtemp makes the directory, mode 0700
PORT = "5432"  # part of the socket's name; nothing listens on TCP
NAME = "parley"  # the name of the database and of its owner
ALWAYS = ("-c", "listen_addresses=", "-c", "max_connections=200")
SERVED = ("-c", "max_wal_size=2GB", "-c", "random_page_cost=1.1", "-c", "jit=off", "-c", "shared_buffers=256MB")
UNSAFE = ("-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off", "-c", "jit=off")
# Autovacuum does not count the rows of an open test: it would lead to plans for empty tables, which take minutes.
THROW_AWAY = (*UNSAFE, "-c", "autovacuum=off")


@dataclass
class Servers:
    """The servers that one process has started. Either is missing if the user has named their own."""

    sockets: Path
    postgres: Child | None = None
    valkey: Child | None = None
    lock: int | None = None
    state: Path | None = None
    urls: dict[str, str] = field(default_factory=dict)
    owner: int = field(default_factory=os.getpid)

    @property
    def children(self) -> list[Child]:
        return [child for child in (self.valkey, self.postgres) if child]

    @property
    def fds(self) -> tuple[int, ...]:
        """Return what every process on the data keeps open, so that the next start waits for the last of them."""
        return () if self.lock is None else (self.lock,)

    def stop(self, seconds: float = 20) -> None:
        if os.getpid() != self.owner:  # a fork of the owner is ending: the servers are not its own
            return
        stop_all(self.children, seconds)
        shutil.rmtree(self.sockets, ignore_errors=True)
        if self.state:
            self.state.unlink(missing_ok=True)
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None

    def record(self, state: Path, address: str = "") -> None:
        """Tell other commands of this installation where the servers are."""
        self.state = state
        facts = {"pid": os.getpid(), "sockets": str(self.sockets), "urls": self.urls, "address": address}
        new = state.with_suffix(".new")
        new.write_text(json.dumps(facts, indent=1), encoding="utf-8")
        new.replace(state)


# --- PostgreSQL ----------------------------------------------------------------------------------
def server_account(cluster: Path) -> Account | None:
    """Return the account for PostgreSQL, which refuses to run as root: the data's owner, or an unprivileged one."""
    if os.geteuid() != 0:
        return None
    owner = cluster.stat().st_uid if cluster.exists() else 0
    return Account.of_uid(owner) if owner else Account.first_of("postgres", "nobody")


def place_cluster(data: Path) -> Path:
    """Return the directory of the database: <data>/postgres, or the target if that is a link.

    As root, below a closed directory, PostgreSQL's account cannot reach the data, and Parley must not open the
    parents. The data is then elsewhere and the link points to it. Raises ServerError if the account cannot reach it.
    """
    place = data / "postgres"
    if place.is_symlink() and not place.exists():
        place.unlink()
    account = server_account(place)
    if place.exists():
        if not can_enter(place.resolve(), account):
            raise ServerError(f"The account that owns {place} cannot reach it. Move it, or set PARLEY_DATA.")
        return place.resolve()
    if can_enter(data, account):
        return place
    elsewhere = Path(tempfile.mkdtemp(prefix="data-", dir=open_ground("data"))) / "postgres"
    elsewhere.parent.chmod(0o755)
    place.symlink_to(elsewhere)
    return elsewhere


def _plain_environment() -> dict[str, str]:
    """Return the environment without PGDATA, PGPORT and the like, which belong to another server."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}


def create_cluster(binaries: Path, version: int, cluster: Path, extra: Sequence[str] = ()) -> None:
    """Run initdb in a directory beside `cluster`, then rename it: an interrupted start leaves nothing half done."""
    account = server_account(cluster)
    fresh = cluster.with_name(cluster.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    if account:
        os.chown(fresh, account.uid, account.gid)
    locale = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    command = [str(binaries / "initdb"), "-D", str(fresh), "-U", NAME, "-E", "UTF8"]
    # 'trust' is safe because the directory of the only socket is closed to everybody else.
    options = [*(locale if version >= 17 else locale[2:]), "-A", "trust", "--no-instructions", *extra]
    said = subprocess.run(
        [*command, *options],
        check=False,
        capture_output=True,
        text=True,
        env=_plain_environment(),
        **as_account(account),
    )
    if said.returncode:
        shutil.rmtree(fresh, ignore_errors=True)
        raise ServerError(f"The database could not be made in {cluster}:\n{said.stderr.strip()[-2000:]}")
    fresh.rename(cluster)


def _postgres_is_ready(cluster: Path, pid: int) -> bool:
    """Return whether postmaster.pid has this pid and says ready in its eighth line, as pg_ctl checks it."""
    try:
        lines = (cluster / "postmaster.pid").read_text().splitlines()
    except OSError:
        return False
    return len(lines) >= 8 and lines[0].strip() == str(pid) and lines[7].startswith("ready")


def _create_database(sockets: Path) -> None:
    import psycopg2

    connection = psycopg2.connect(host=str(sockets), port=PORT, user=NAME, dbname="postgres", connect_timeout=10)
    connection.autocommit = True
    with contextlib.closing(connection), connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [NAME])
        if not cursor.fetchone():
            cursor.execute(f"CREATE DATABASE {NAME}")


def start_postgres(
    data: Path,
    sockets: Path,
    *,
    settings: Sequence[str] = SERVED,
    initdb: Sequence[str] = (),
    fds: tuple[int, ...] = (),
) -> Child:
    cluster = place_cluster(data)
    binaries, version = find_postgres(cluster)
    account = server_account(cluster)
    binaries = reachable_postgres(binaries, account)
    if not (cluster / "PG_VERSION").exists():
        create_cluster(binaries, version, cluster, initdb)
    if account:
        os.chown(sockets, account.uid, account.gid)
    child = Child(
        name="postgres",
        argv=[binaries / "postgres", "-D", cluster, "-k", sockets, "-p", PORT, *ALWAYS, *settings],
        log=data / "log" / "postgres.log",
        env=_plain_environment(),
        account=account,
        stop_signal=signal.SIGINT,  # 'fast': does not wait for clients; the hurry signal, SIGQUIT, is 'immediate'
        death_signal=signal.SIGINT,
        pass_fds=fds,
    )
    child.start()
    wait_ready(child, lambda: _postgres_is_ready(cluster, child.pid), seconds=120)
    _create_database(sockets)
    return child


# --- Valkey --------------------------------------------------------------------------------------
def answers(path: Path, say: bytes = b"", expect: bytes = b"") -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(2)
            link.connect(str(path))
            link.sendall(say)
            return not expect or link.recv(64).startswith(expect)
    except OSError:
        return False


def start_valkey(data: Path, sockets: Path, *, durable: bool = True, fds: tuple[int, ...] = ()) -> Child:
    home = data / "valkey"
    home.mkdir(exist_ok=True)
    where = sockets / "valkey.sock"
    listening: list[str | Path] = ["--port", "0", "--unixsocket", where, "--unixsocketperm", "700"]
    child = Child(
        name="valkey",
        argv=[find_valkey(), *listening, "--save", "", "--appendonly", "yes" if durable else "no"],
        log=data / "log" / "valkey.log",
        cwd=home,  # it writes here; in the configuration a path with a space would break
        pass_fds=fds,
    )
    child.start()
    wait_ready(child, lambda: answers(where, b"PING\r\n", b"+PONG"), seconds=60)
    return child


def wait_ready(child: Child, is_ready: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not is_ready():
        if not child.is_running:
            raise ServerError(f"{child.name} did not start. It said:\n{child.last_words()}")
        if time.monotonic() > deadline:
            child.kill()
            raise ServerError(f"{child.name} was not ready after {seconds:.0f} s. It said:\n{child.last_words()}")
        time.sleep(0.01)


# --- both ----------------------------------------------------------------------------------------
def make_sockets(data: Path) -> Path:
    """Create a directory for the sockets and note it in the data; remove the one of a start that was killed."""
    note = data / "sockets"
    with contextlib.suppress(OSError):
        left = Path(note.read_text(encoding="utf-8"))
        if left.name.startswith("parley-") and str(left.parent) == SOCKET_PARENT:
            shutil.rmtree(left, ignore_errors=True)
    made = Path(tempfile.mkdtemp(prefix="parley-", dir=SOCKET_PARENT))
    note.write_text(str(made), encoding="utf-8")
    return made


def start(
    data: Path,
    *,
    names: Sequence[str] = URL_NAMES,
    durable: bool = True,
    lock: int | None = None,
) -> Servers:
    """Start the named servers on this data. With `durable=False`, for tests, the data may be lost."""
    sockets = make_sockets(data)
    servers = Servers(sockets, lock=lock)
    fds = () if lock is None else (lock,)
    try:
        if "DATABASE_URL" in names:
            settings, initdb = (SERVED, ()) if durable else (THROW_AWAY, ("--no-sync",))
            servers.postgres = start_postgres(data, sockets, settings=settings, initdb=initdb, fds=fds)
            servers.urls["DATABASE_URL"] = f"postgres://{NAME}@:{PORT}/{NAME}?host={sockets}"
        if "REDIS_URL" in names:
            servers.valkey = start_valkey(data, sockets, durable=durable, fds=fds)
            servers.urls["REDIS_URL"] = f"redis+socket://{sockets}/valkey.sock?virtual_host=0"
    except BaseException:
        servers.stop()
        raise
    return servers
