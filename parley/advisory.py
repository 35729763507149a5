"""Advisory locks of PostgreSQL. A connection holds them, so the locks of a killed worker are released."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def locked(space: int, number: int) -> Iterator[bool]:
    """Yield whether the lock was free. If it was, hold it until the end of the block."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [space, number % 2**31])
        is_mine = cursor.fetchone()[0]
    try:
        yield is_mine
    finally:
        if is_mine:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [space, number % 2**31])


def is_locked(space: int, number: int) -> bool:
    with locked(space, number) as is_free:
        return not is_free
