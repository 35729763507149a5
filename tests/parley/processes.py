"""Helpers that look at real processes, for the tests of the launcher."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.wait import wait_until

HOME = Path(__file__).resolve().parents[2]
READY = re.compile(r"ready at (http://127\.0\.0\.1:(\d+))")


def _state_and_parent(pid: int) -> tuple[str, int]:
    """('S', 1) of a living process, ('', 0) when there is none. From /proc: a bare Debian has no ps."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "", 0
    return fields[0], int(fields[1])


def is_alive(pid: int) -> bool:
    """A zombie is dead: only its parent has not looked yet."""
    return _state_and_parent(pid)[0] not in ("", "Z")


def descendants(pid: int) -> set[int]:
    everybody = {int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()}
    parents = {child: _state_and_parent(child)[1] for child in everybody}
    found: set[int] = set()
    front = {pid}
    while front:
        front = {child for child, parent in parents.items() if parent in front} - found
        found |= front
    return found


def wait_gone(pids: set[int], timeout: float = 15) -> None:
    wait_until(lambda: not any(map(is_alive, pids)), timeout, f"the end of {sorted(filter(is_alive, pids))}")


class Up:
    """A real `manage.py up`."""

    def __init__(self, data: Path, *arguments: str, env: dict[str, str] | None = None, **options: object) -> None:
        self.output = data.parent / f"{data.name}-{os.urandom(3).hex()}.out"
        chosen: dict = {"cwd": HOME} | options
        with self.output.open("wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", *arguments] if "args" not in chosen else chosen.pop("args"),
                env=plain_environment(data) | (env or {}),
                stdout=out,
                stderr=subprocess.STDOUT,
                **chosen,
            )

    @property
    def said(self) -> str:
        return self.output.read_text()

    def wait_ready(self) -> str:
        wait_until(lambda: READY.search(self.said) or self.process.poll() is not None, 150, "ready line or an exit")
        match = READY.search(self.said)
        assert match, f"no ready line:\n{self.said}"
        return match.group(1)

    @property
    def family(self) -> set[int]:
        return descendants(self.process.pid) | {self.process.pid}

    def end(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(60)


@contextmanager
def up(data: Path, *arguments: str, **options: object) -> Iterator[Up]:
    running = Up(data, *arguments, **options)  # type: ignore[arg-type]
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.process.kill()
            running.process.wait()


def plain_environment(data: Path) -> dict[str, str]:
    """As in a fresh shell: the addresses of the test servers must not reach the command under test."""
    kept = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    return kept | {"PARLEY_DATA": str(data)}


def run(command: list[str], data: Path, **more: object) -> subprocess.CompletedProcess[str]:
    options: dict = {"cwd": HOME, "env": plain_environment(data)} | more
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=120, **options)
