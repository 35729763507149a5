"""Queries whose SQL is composed once.

Django composes the SQL of a query set each time it is used; with six tables this takes longer than PostgreSQL takes
to answer. For pages that are fetched hundreds of times a second, the SQL is kept and only its values change.
"""

import threading
from collections.abc import Callable
from itertools import count
from typing import Any, Generic, TypeVar
from uuid import UUID, uuid4

from django.db import connections
from django.db.models import QuerySet

Row = TypeVar("Row")
# Unique values that fit every integer column and that no query contains.
STAND_INS = {UUID: uuid4, int: count(1_900_000_000).__next__}


class Ready(Generic[Row]):
    """A query set with fixed SQL and changing values: `ready = Ready(compose, user=int)`, then `ready(user=5)`.

    `compose` gets one value of each kind and returns the query set. It is called once for each connection of a thread,
    so it must not depend on the request, the language or the time.
    """

    def __init__(self, compose: Callable[..., QuerySet[Any, Row]], **kinds: type) -> None:
        self._compose = compose
        self._kinds = kinds
        self._kept = threading.local()

    def __call__(self, **values: object) -> list[Row]:
        if not hasattr(self._kept, "query") or self._kept.query.is_of_another_connection():
            self._kept.query = _Query(self._compose, {name: STAND_INS[kind]() for name, kind in self._kinds.items()})
        return self._kept.query.run(values)


class _Query(Generic[Row]):
    """The query of one connection, to which its compiler belongs. Raises TypeError for unused values."""

    def __init__(self, compose: Callable[..., QuerySet[Any, Row]], stand_ins: dict[str, object]) -> None:
        self.rows = compose(**stand_ins)
        self.compiler = self.rows.query.get_compiler(self.rows.db)
        self.sql, values = self.compiler.as_sql()
        names = {stand_in: name for name, stand_in in stand_ins.items()}
        self.places = [(names.get(value, ""), value) for value in values]
        if missing := set(stand_ins) - {name for name, _ in self.places}:
            raise TypeError(f"The query does not use {', '.join(sorted(missing))}.")
        self.rows.query.get_compiler = lambda *_args, **_kwargs: self.compiler  # type: ignore[method-assign]

    def is_of_another_connection(self) -> bool:
        """A thread gets a second one while an event loop runs in it: through the first, its rows are not to be seen."""
        return self.compiler.connection is not connections[self.rows.db]

    def run(self, values: dict[str, object]) -> list[Row]:
        filled = tuple(values[name] if name else value for name, value in self.places)
        self.compiler.as_sql = lambda *_args, **_kwargs: (self.sql, filled)
        rows: Any = self.rows
        return list(rows._iterable_class(rows))
