"""From the command to the first page: everything made on the first start, everything there on the next."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from bench.rows import Goal, Row
from bench.servers import FLOOR, environment, running, status_of, wait_for
from parley import supervisor
from parley.processes import Child

FIRST, LATER = Goal(4), Goal(2)


def run(place: Path, is_quick: bool) -> Iterator[Row]:
    floor = _floor(place)
    yield Row("first start on a ready venv", _up(place), "s", "gunicorn + Django", floor, FIRST)
    seconds = min(_up(place) for _ in range(1 if is_quick else 3))
    yield Row("later start", seconds, "s", "gunicorn + Django", floor, LATER)


def _up(place: Path) -> float:
    """Database, broker, web, workers and beat, as `./dev run` starts them; stopped again."""
    with closing(supervisor.listen(0)) as free:
        port = free.getsockname()[1]
    line = ["manage.py", "up", "--port", str(port)]
    return _seconds(Child("up", [sys.executable, *line], place / "up.log", _own(place), supervisor.HOME), port)


def _floor(place: Path) -> float:
    with closing(supervisor.listen(0)) as free:
        port = free.getsockname()[1]
    here = _own(place) | {"PARLEY_BIND": f"127.0.0.1:{port}", "DATABASE_URL": "postgres:///nothing?host=/nowhere"}
    return _seconds(Child("floor", [sys.executable, *FLOOR], place / "floor.log", here, supervisor.HOME), port)


def _own(place: Path) -> dict[str, str]:
    data = place / "data"
    data.mkdir(exist_ok=True)
    return environment() | {"PARLEY_DATA": os.fspath(data)}


def _seconds(child: Child, port: int) -> float:
    began = time.perf_counter()
    with running(child):
        wait_for(lambda: status_of(port) == 200, child)
        return time.perf_counter() - began
