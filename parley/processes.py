"""Child processes that cannot outlive their parent, and the account that unprivileged ones run as."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG = 1
# Loaded before any fork: nothing may be imported between fork and exec.
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


@dataclass(frozen=True)
class Account:
    """The user that a child runs as. None instead of an account means the user of this process."""

    name: str
    uid: int
    gid: int

    @classmethod
    def of_uid(cls, uid: int) -> Account:
        entry = pwd.getpwuid(uid)
        return cls(entry.pw_name, entry.pw_uid, entry.pw_gid)

    @classmethod
    def first_of(cls, *names: str) -> Account:
        known = {entry.pw_name: entry.pw_uid for entry in pwd.getpwall()}
        return cls.of_uid(next(known[name] for name in names if name in known))


def as_account(account: Account | None) -> dict[str, Any]:
    """Return arguments for subprocess that switch to the account and to /, as it may not read the current directory."""
    if account is None:
        return {}
    return {"user": account.uid, "group": account.gid, "extra_groups": [], "cwd": "/"}


def die_with_parent(parent: int, death_signal: int) -> Callable[[], None]:
    """Return a preexec hook that makes the kernel signal the child when its parent is gone, even after kill -9.

    macOS has no such call: there, a kill -9 of the supervisor leaves the servers running.
    """

    def bind() -> None:
        # A shell without job control makes background processes ignore these signals, and their children inherit it.
        for number in (signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        if _LIBC is not None:
            _LIBC.prctl(PR_SET_PDEATHSIG, death_signal)
        if os.getppid() != parent:  # it died before the call above, so no signal will come
            os._exit(1)

    return bind


def open_log(path: Path, keep: int = 10_000_000) -> int:
    """Open a log file for appending. One older file is kept, so that logs cannot fill a disk unnoticed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > keep:
        path.replace(path.with_suffix(".old.log"))
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)


@dataclass
class Child:
    """One process of a set that starts and stops together."""

    name: str
    argv: Sequence[str | Path]
    log: Path
    env: Mapping[str, str] | None = None
    cwd: Path | None = None
    account: Account | None = None
    stop_signal: int = signal.SIGTERM
    hurry_signal: int = signal.SIGQUIT
    death_signal: int = signal.SIGTERM  # what the kernel sends when the parent is gone
    pass_fds: tuple[int, ...] = ()
    popen: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def pid(self) -> int:
        return self.popen.pid if self.popen else 0

    @property
    def is_running(self) -> bool:
        return self.popen is not None and self.popen.poll() is None

    def start(self) -> None:
        """Start in a new session: Ctrl-C in the terminal reaches only the parent, which then decides."""
        log = open_log(self.log)
        options: dict = {"cwd": self.cwd} | as_account(self.account)
        try:
            self.popen = subprocess.Popen(
                [str(part) for part in self.argv],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=None if self.env is None else dict(self.env),
                pass_fds=self.pass_fds,
                start_new_session=True,
                # Safe before threads exist; the callers are a supervisor, a command's start and pytest's start.
                preexec_fn=die_with_parent(os.getpid(), self.death_signal),  # noqa: PLW1509
                **options,
            )
        finally:
            os.close(log)

    def send(self, number: int) -> None:
        if self.is_running:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process and what it started."""
        if self.popen is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self.popen.wait()

    def wait(self, deadline: float) -> bool:
        if self.popen is None:
            return True
        try:
            self.popen.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
        return True

    def last_words(self, lines: int = 12) -> str:
        """Return the end of its log, for the message that says why it stopped."""
        try:
            text = self.log.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        return "\n".join("    " + line for line in text.splitlines()[-lines:])


def stop_all(children: Sequence[Child], seconds: float) -> None:
    """Send the stop signal to all and wait; then the hurry signal; then kill those that still run."""
    for patience, step in ((seconds, "stop_signal"), (3.0, "hurry_signal")):
        deadline = time.monotonic() + patience
        for child in children:
            child.send(getattr(child, step))
        late = [child for child in children if not child.wait(deadline)]
        if not late:
            return
    for child in late:
        child.kill()
