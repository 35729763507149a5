"""Servers for one run of tests, with data that nobody needs afterwards."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from parley.embedded import SOCKET_PARENT, Servers, start

THROWN = "parley-data-"


@contextlib.contextmanager
def throw_away() -> Iterator[Servers]:
    """Yield empty servers and remove them afterwards."""
    _sweep_thrown_away()
    data = Path(tempfile.mkdtemp(prefix=THROWN, dir=SOCKET_PARENT))
    data.chmod(0o755)
    lock = os.open(data / "new", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    (data / "new").rename(data / "lock")  # locked before anybody's sweep can see it
    try:
        servers = start(data, durable=False, lock=lock)
        try:
            yield servers
        finally:
            servers.stop()
    finally:
        shutil.rmtree(data, ignore_errors=True)


def _sweep_thrown_away() -> None:
    """Remove the directories that killed runs left behind: those whose lock nobody holds any more."""
    for lock in Path(SOCKET_PARENT).glob(f"{THROWN}*/lock"):
        with contextlib.suppress(OSError), lock.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with contextlib.suppress(OSError):
                shutil.rmtree((lock.parent / "sockets").read_text(encoding="utf-8"), ignore_errors=True)
            shutil.rmtree(lock.parent, ignore_errors=True)
