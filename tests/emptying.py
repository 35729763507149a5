"""What stands in the place of Django's flush after a test that commits.

A flush truncates every table and makes all content types and permissions anew: longer than most tests take. Here rows
are deleted, of those tables that have any.
"""

from functools import cache

from django.db import connection, transaction
from django.test import TransactionTestCase

MOST_BYTES = 30_000_000  # of tables, before what tests have rolled back is cleared away
SIZE = "SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
STAY = {"django_content_type", "auth_permission", "django_migrations"}  # as the migrations left them
FLUSH = TransactionTestCase._fixture_teardown


def use_instead_of_flush() -> None:
    TransactionTestCase._fixture_teardown = empty  # type: ignore[method-assign]


def empty(test: TransactionTestCase) -> None:
    """As a flush leaves the tables: without rows, sequences go on."""
    if connection.cursor().connection.get_parameter_status("is_superuser") == "on":
        delete_rows()
    else:
        FLUSH(test)


def delete_rows() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        # Behind whoever still writes, as a flush: their rows would stand in the next test.
        cursor.execute(f"LOCK TABLE {', '.join(tables())} IN SHARE ROW EXCLUSIVE MODE")
        # Without triggers: rows may go before those that refer to them, and the log lets nothing be taken from it.
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(" UNION ALL ".join(f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in tables()))
        if filled := [name for (name,) in cursor.fetchall()]:
            cursor.execute("; ".join(f"DELETE FROM {name}" for name in filled))


def clear_away() -> None:
    """What tests have rolled back, between modules: the throw-away server does not do so by itself."""
    with connection.cursor() as cursor:
        cursor.execute(SIZE)
        if cursor.fetchone()[0] > MOST_BYTES:
            cursor.execute("VACUUM")


@cache
def tables() -> list[str]:
    return sorted({*connection.introspection.django_table_names(only_existing=True, include_views=False)} - STAY)
