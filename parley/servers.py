"""The servers of an installation whose environment names none.

`manage.py up` keeps them running; any other command starts them for its lifetime if they are not running.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from parley.binaries import ServerError
from parley.embedded import PORT, URL_NAMES, Servers, answers, start
from parley.supervisor import StartFailed, Web, wished_port

BEGAN_AT = time.monotonic()
# These commands neither read nor write data, so they start no servers.
WITHOUT_SERVERS = frozenset({
    "help", "version", "check", "makemigrations", "makemessages", "compilemessages", "collectstatic", "findstatic",
    "diffsettings", "startapp", "startproject", "spectacular", "agreement", "audit", "compare", "rank",
    "protocol_check",
})  # fmt: skip

_current: Servers | None = None
_begun: Web | None = None


def current() -> Servers | None:
    """Return the servers that `ensure` started in this process."""
    return _current


def begun() -> Web | None:
    """Return the web server of `up`, which `ensure` started before Django was imported."""
    return _begun


def read_state(data: Path) -> dict:
    """Return what `up` wrote if its process is alive and its servers answer; otherwise an empty dict."""
    try:
        state: dict = json.loads((data / "servers.json").read_text(encoding="utf-8"))
        os.kill(state["pid"], 0)
    except (OSError, ValueError, KeyError):
        return {}
    sockets = Path(state["sockets"])
    probes = {"DATABASE_URL": f".s.PGSQL.{PORT}", "REDIS_URL": "valkey.sock"}
    return state if all(answers(sockets / probes[name]) for name in state["urls"]) else {}


def running_urls(data: Path) -> dict[str, str] | None:
    """Return the addresses of the servers that `up` keeps running on this data, or None."""
    return read_state(data).get("urls")


def _unset() -> list[str]:
    return [name for name in URL_NAMES if not os.environ.get(name, "").strip()]


def take_lock(data: Path, is_up: bool, seconds: float = 60) -> int | None:
    """Lock the data for this process and its children, or return None if a running `up` serves it.

    Every child inherits the lock: after a kill -9 of the supervisor, the next start waits until the last child
    is gone, so two PostgreSQLs or two Valkeys never write to the same files. Raises ServerError if another `up` runs
    on the data, or if the lock is not free after `seconds`.
    """
    lock = os.open(data / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    began = time.monotonic()
    has_said = False
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        if state := read_state(data):
            os.close(lock)
            if not is_up:
                return None
            where = f" at {state['address']}" if state.get("address") else ""
            raise ServerError(
                f"Parley is already running on this data{where} (process {state['pid']}). "
                "Stop it with Ctrl-C there, or set PARLEY_DATA for a second one."
            )
        waited = time.monotonic() - began
        if waited > seconds:
            raise ServerError(f"Another Parley command still uses the data in {data}. Try again when it is done.")
        if waited > 1.5 and not has_said:
            sys.stderr.write(f"Waiting for another Parley command that uses {data} ...\n")
            has_said = True
        time.sleep(0.05)


def needs_servers(argv: Sequence[str]) -> bool:
    command = argv[1] if len(argv) > 1 else "help"
    return not (command.startswith("-") or command in WITHOUT_SERVERS or {"-h", "--help"} & set(argv))


def data_directory() -> Path:
    home = Path(__file__).resolve().parent.parent
    return Path(os.environ.get("PARLEY_DATA", "").strip() or home / "var").absolute()


def ensure(data: Path | None = None, argv: Sequence[str] | None = None) -> None:
    """Put the addresses of the servers into the environment, starting those that are neither named nor running.

    They stop with this process. Call it before Django reads its settings.
    """
    global _begun  # noqa: PLW0603 - as _current
    data = data or data_directory()
    argv = sys.argv if argv is None else argv
    is_up = argv[1:2] == ["up"]
    if not needs_servers(argv) or not (is_up or _unset()):
        return
    port = wished_port(argv[2:]) if is_up else None
    try:
        _have_servers(data, is_up)
        if is_up:
            _begun = Web(port, data / "log", () if _current is None else _current.fds)
    except (ServerError, StartFailed) as error:
        sys.exit(f"Parley: {error}")
    except PermissionError as error:
        sys.exit(f"Parley: no permission for {error.filename}. It belongs to another user: set PARLEY_DATA.")


def _have_servers(data: Path, is_up: bool) -> None:
    global _current  # noqa: PLW0603 - one per process, like the environment it is written to
    data.mkdir(parents=True, exist_ok=True)
    running = None if is_up else running_urls(data)
    lock = None if running else take_lock(data, is_up)
    if lock is None:
        running = running or running_urls(data) or {}
        os.environ.update({name: url for name, url in running.items() if name in _unset()})
        return
    _current = start(data, names=_unset(), lock=lock)
    atexit.register(_current.stop)
    os.environ.update(_current.urls)
    if is_up:
        _current.record(data / "servers.json")
