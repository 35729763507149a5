"""Install database functions. The current text of each is a file in its app's folder `sql`.

To change a function, change its file and add a migration that installs it. A test compares both.
"""

from pathlib import Path

from django.conf import settings
from django.db.migrations import RunSQL


def text_of(app: str, name: str) -> str:
    """Return the CREATE OR REPLACE statement of one function."""
    return (Path(settings.BASE_DIR) / app / "sql" / f"{name}.sql").read_text()


def install(app: str, *names: str, backward: str = RunSQL.noop) -> RunSQL:
    """Return the operation that installs these functions, with the text of their files when the migration runs."""
    return RunSQL("\n".join(text_of(app, name) for name in names), backward)
