"""Real threads with a connection each, released together by a barrier."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connection


def run_together(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Call all at the same moment. Returns each result, or the exception it raised, in order."""
    barrier = Barrier(len(calls), timeout=30)

    def one(call: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            barrier.wait()
            return call()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls))
