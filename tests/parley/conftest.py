import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def open_directory() -> Iterator[Path]:
    """A directory every account can pass through: pytest's own is closed, also to PostgreSQL's account."""
    path = Path(tempfile.mkdtemp(prefix="parley test ", dir="/tmp"))
    path.chmod(0o755)
    yield path
    for note in path.glob("**/sockets"):  # of what was killed: normally the next start takes them away
        shutil.rmtree(note.read_text(), ignore_errors=True)
    shutil.rmtree(path, ignore_errors=True)
