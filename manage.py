#!/usr/bin/env python
"""Parley's command line. Where no servers are named, it uses those that run here, or starts its own."""

import os
import sys

from parley import servers

# Commands that make the tables themselves, or tell how far they are made.
ABOUT_TABLES = frozenset({"up", "migrate", "showmigrations"})
MISSING = frozenset({"42P01", "42703"})  # PostgreSQL's undefined table and undefined column


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "parley.settings")
    servers.ensure()
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import ProgrammingError

    try:
        make_first_tables()
        execute_from_command_line(sys.argv)
    except BrokenPipeError:  # the reader, `head` for one, has read enough; the flush at the end would raise it again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except ImproperlyConfigured as error:
        sys.exit(f"Parley does not start: {error}")
    except ProgrammingError as error:
        if getattr(error.__cause__, "pgcode", "") not in MISSING:
            raise
        sys.exit(
            "Parley: The database lacks tables or columns that this version of Parley needs. "
            "Run ./dev manage migrate, and then your command again."
        )


def make_first_tables() -> None:
    """A new database that only this process uses has its tables at once, whatever the command."""
    held = servers.current()
    if held is None or "DATABASE_URL" not in held.urls or ABOUT_TABLES.intersection(sys.argv[1:2]):
        return
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    if not connection.introspection.table_names():
        sys.stderr.write("The database is new: making its tables ...\n")
        call_command("migrate", interactive=False, verbosity=0)


if __name__ == "__main__":
    main()
